package main

import (
	"strings"
	"testing"
)

// A game as somebody writes it who knows flatc's Go code: its state with nested tables, a
// vector with a key and a union, built by hand and by objects, and a log of what happened.
const gameSchema = `namespace Game.State;

enum Team : byte { Red, Blue, Green = 10 }
enum Perk : ubyte (bit_flags) { Fast, Strong, Hidden }
struct Vec3 { x: float; y: float; z: float; }
table Item { id: uint (key); name: string; price: int = 5; }
table Sword { damage: int; }
table Shield { armor: float; }
union Equip { Sword, Shield }
table Inventory { gold: long; items: [Item]; }
table Player {
  name: string (key, required); pos: Vec3; team: Team = Blue; perks: Perk; hp: int = null;
  inventory: Inventory; equip: Equip; trail: [Vec3];
}
table World { tick: ulong; players: [Player]; type: string; }
table Entry { tick: ulong; world: World; text: string; }
root_type World;
file_identifier "GAME";
`

// gameState is the part that is written with flatc's habits; ID is how Go spells Id.
const gameState = `package main

import (
	"fmt"

	"example.test/shop/state"
	flatbuffers "github.com/google/flatbuffers/go"
)

func build() []byte {
	b := flatbuffers.NewBuilder(0)
	var offsets []flatbuffers.UOffsetT
	for _, id := range []uint32{9, 2, 5} {
		name := b.CreateString(fmt.Sprint("item ", id))
		state.ItemStart(b)
		state.ItemAdd@ID@(b, id)
		state.ItemAddName(b, name)
		offsets = append(offsets, state.ItemEnd(b))
	}
	items := b.CreateVectorOfSortedTables(offsets, state.ItemKeyCompare)
	state.InventoryStart(b)
	state.InventoryAddGold(b, 10)
	state.InventoryAddItems(b, items)
	inventory := state.InventoryEnd(b)
	state.SwordStart(b)
	state.SwordAddDamage(b, 3)
	sword := state.SwordEnd(b)
	name := b.CreateString("Ann")
	state.PlayerStart(b)
	state.PlayerAddName(b, name)
	state.PlayerAddPos(b, state.CreateVec3(b, 1, 2, 3))
	state.PlayerAddInventory(b, inventory)
	state.PlayerAddPerks(b, state.PerkFast|state.PerkHidden)
	state.PlayerAddHp(b, 0)
	state.PlayerAddEquipType(b, state.EquipSword)
	state.PlayerAddEquip(b, sword)
	player := state.PlayerEnd(b)
	state.WorldStartPlayersVector(b, 1)
	b.PrependUOffsetT(player)
	players := b.EndVector(1)
	state.WorldStart(b)
	state.WorldAddTick(b, 1)
	state.WorldAddPlayers(b, players)
	state.FinishWorldBuffer(b, state.WorldEnd(b))
	return b.FinishedBytes()
}
`

// gameLog is the part that is the library's own: the log.
const gameLog = `package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"example.test/shop/state"
	"github.com/fbverify/go/fbverify"
)

func main() {
	if err := play(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play() error {
	v, err := fbverify.RootWithOptions[state.World](build(), &fbverify.Options{Identifier: state.WorldIdentifier})
	if err != nil {
		return err
	}
	show(v.Root())
	world := v.Root().@Unpack@()
	world.Players = append(world.Players, &state.PlayerT{Name: "Aaron", Equip: &state.EquipT{Type: state.EquipShield, Value: &state.ShieldT{Armor: 2}}})
	var file bytes.Buffer
	log := fbverify.NewWriter(&file, nil)
	for range 2 {
		world.Tick++
		e := state.EntryT{Tick: world.Tick, World: world, Text: "moved"}
		if err := log.Finish(e.Pack(log.Builder())); err != nil {
			return err
		}
	}
	if err := log.Close(); err != nil {
		return err
	}
	whole := file.Bytes()
	for _, n := range []int{len(whole), len(whole) - 3} { // the second as after a crash
		if err := replay(bytes.NewReader(whole[:n])); err != nil {
			fmt.Println("the log ends:", err)
		}
	}
	return nil
}

func replay(r io.Reader) error {
	for root, err := range fbverify.Messages[state.Entry](fbverify.NewReader(r, nil, nil)) {
		if err != nil {
			return err
		}
		fmt.Println("entry", root.Root().Tick(), string(root.Root().Text()))
		show(@World@)
	}
	return nil
}
`

const gameShow = `
func show(w state.World) {
	for i := range w.Players().Len() {
		p := w.Players().At(i)
		hp, alive := p.Hp()
		fmt.Println(p.Name(), hp, alive, p.Team(), p.Perks(), p.EquipType())
		if sword, ok := p.Equip().AsSword(); ok {
			fmt.Println("damage", sword.Damage())
		}
		if pos, ok := p.Pos(); ok {
			fmt.Println("at", pos.X, pos.Y, pos.Z)
		}
		if item, ok := p.Inventory().Items().Lookup(5); ok {
			fmt.Println(item.Name(), item.Price())
		}
	}
}
`

// gameShowFlatc is the same by flatc's accessors.
const gameShowFlatc = `
func show(w state.World) {
	var p state.Player
	for i := 0; i < w.PlayersLength(); i++ {
		if !w.Players(&p, i) {
			continue
		}
		hp, alive := int32(0), false
		if x := p.Hp(); x != nil {
			hp, alive = *x, true
		}
		fmt.Println(string(p.Name()), hp, alive, p.Team(), p.Perks(), p.EquipType())
		if sword, ok := p.Equip().AsSword(); ok {
			fmt.Println("damage", sword.Damage())
		}
		if pos := p.Pos(nil); pos != nil {
			fmt.Println("at", pos.X(), pos.Y(), pos.Z())
		}
		var item state.Item
		if inventory := p.Inventory(nil); inventory != nil && inventory.ItemsByKey(&item, 5) {
			fmt.Println(string(item.Name()), item.Price())
		}
	}
}
`

const gameOutput = `Ann 0 true Blue Fast Hidden Sword
damage 3
at 1 2 3
item 5 5
entry 2 moved
Aaron 0 false Red  Shield
Ann 0 true Blue Fast Hidden Sword
damage 3
at 1 2 3
item 5 5
entry 3 moved
Aaron 0 false Red  Shield
Ann 0 true Blue Fast Hidden Sword
damage 3
at 1 2 3
item 5 5
entry 2 moved
Aaron 0 false Red  Shield
Ann 0 true Blue Fast Hidden Sword
damage 3
at 1 2 3
item 5 5
the log ends: message 1 at stream offset 344: unexpected EOF
`

func TestAGameAndItsLogAreWrittenWithFlatcsHabits(t *testing.T) {
	for _, c := range []struct {
		name, show string
		flags      []string
		spelling   *strings.Replacer
	}{
		{"own names", gameShow, nil, strings.NewReplacer("@ID@", "ID", "@Unpack@", "Unpack", "@World@", "root.Root().World()")},
		{"flatc's names", gameShowFlatc, []string{"-names", "flatc"}, strings.NewReplacer("@ID@", "Id", "@Unpack@", "UnPack", "@World@", "*root.Root().World(nil)")},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := module(t, map[string]string{
				"state.fbs": gameSchema,
				"state.go":  c.spelling.Replace(gameState),
				"main.go":   c.spelling.Replace(gameLog + c.show),
			})
			mustRun(t, append(c.flags, "-o", "state", "state.fbs")...)
			if out, err := run("vet", "./..."); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			out, err := run("run", ".")
			if err != nil || out != gameOutput {
				t.Errorf("%v, got:\n%s\nwant:\n%s", err, out, gameOutput)
			}
		})
	}
}
