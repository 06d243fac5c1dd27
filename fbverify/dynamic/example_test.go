package dynamic_test

import (
	"fmt"
	"log"
	"os"
	"testing/fstest"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema/fbs"
)

const fleet = `
enum Rig : ubyte { Sloop, Ketch, Schooner }
table Ship { name: string (key); rig: Rig = Ketch; crew: [string]; }
table Fleet { home: string (required); ships: [Ship]; }
root_type Fleet;
`

// fleetType compiles the schema once, as a program would.
var fleetType = func() *fbverify.Type {
	s, err := fbs.ParseFS(fstest.MapFS{"fleet.fbs": {Data: []byte(fleet)}}, "fleet.fbs")
	if err != nil {
		log.Fatal(err)
	}
	return fbverify.MustCompile(s, "Fleet")
}()

func encode(json string) []byte {
	buf, err := dynamic.EncodeJSON(fleetType, []byte(json), nil)
	if err != nil {
		log.Fatal(err)
	}
	return buf
}

// Reading by a schema that is known at run time: verify, resolve the fields once,
// and read.
func Example() {
	buf := encode(`{home: "Kiel", ships: [{name: "Thea", rig: "Sloop"}, {name: "Ada"}]}`)

	msg, err := dynamic.Root(fleetType, buf, nil)
	if err != nil {
		log.Fatal(err)
	}
	root := msg.Root()
	fmt.Println(root.String(root.Field("home")))

	ships, _ := root.Get(root.Field("ships"))
	ship := ships.Type().Elem.Object
	name, rig := ship.Field("name"), ship.Field("rig")
	for _, v := range ships.All() {
		t := v.Table()
		fmt.Println(t.String(name), rig.Type().EnumName(t.Int(rig)))
	}
	if v, ok := ships.LookupString("Thea"); ok {
		fmt.Println("Thea has her rig set:", v.Table().Has(rig))
	}
	// Output:
	// Kiel
	// Ada Ketch
	// Thea Sloop
	// Thea has her rig set: true
}

func ExampleWriteJSON() {
	msg, err := dynamic.Root(fleetType, encode(`{home: "Kiel", ships: [{name: "Ada", crew: ["Ann", "Bo"]}]}`), nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := dynamic.WriteJSON(os.Stdout, msg, &dynamic.JSONOptions{Defaults: true, Depth: 3}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"home":"Kiel","ships":[{"name":"Ada","rig":"Ketch","crew":"[... 2]"}]}
}

// Errors say where the text goes wrong, and what was expected there.
func ExampleEncodeJSON() {
	_, err := dynamic.EncodeJSON(fleetType, []byte(`{
  "home": "Kiel",
  "ships": [
    {"name": "Ada"},
    {"name": "Thea", "rig": "Slop"},
  ]
}`), nil)
	fmt.Println(err)
	// Output:
	// 5:29: Fleet.ships[1].rig: expected a value of Rig, found "Slop"
}

func ExamplePath_Select() {
	msg, err := dynamic.Root(fleetType, encode(`{home: "Kiel", ships: [{name: "Ada"}, {name: "Bo"}, {name: "Cy"}]}`), nil)
	if err != nil {
		log.Fatal(err)
	}
	path, err := dynamic.ParsePath("ships[1:].name")
	if err != nil {
		log.Fatal(err)
	}
	err = path.Select(msg.Root().AsValue(), func(at string, v dynamic.Value) error {
		fmt.Printf("%s = %s, at byte %d\n", at, v, v.Offset())
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// ships[1].name = Bo, at byte 64
	// ships[2].name = Cy, at byte 48
}
