package works

import (
	"context"

	"github.com/fbverify/go/benches/internal/reads"
	"github.com/fbverify/go/internal/pair"
)

// readWorks are reads of messages that are verified already. Flatc is the
// accessors that flatc --go generates, and struct what decoding gives.
func readWorks() []Work {
	var works []Work
	add := func(name string, proof int, ours string, others []string, loop func(env *Env, form string) (reads.Loop, error)) {
		works = append(works, Work{
			Name: name + "/" + ours,
			Make: func(_ context.Context, env *Env) (pair.Leg, []pair.Leg, error) {
				var legs []pair.Leg
				for _, form := range append([]string{ours}, others...) {
					leg, err := looping(form, proof, func() (reads.Loop, error) { return loop(env, form) })
					if err != nil {
						return pair.Leg{}, nil, err
					}
					legs = append(legs, leg)
				}
				return legs[0], legs[1:], nil
			},
		})
	}

	for _, chain := range []string{"walked", "cached", "written"} {
		for _, ours := range []string{"view", "fixed", "dynamic"} {
			add("read/hier-hot/"+chain, reads.HotMessages, ours, []string{"flatc", "struct", "inline"}, func(_ *Env, form string) (reads.Loop, error) {
				hot, err := reads.NewHot()
				if err != nil {
					return nil, err
				}
				switch chain {
				case "walked":
					return hot.Walked(form), nil
				case "cached":
					return hot.Cached(form), nil
				}
				return hot.Wrote(form), nil
			})
		}
	}
	for _, flat := range []struct {
		name string
		make func() (*reads.Flat, error)
	}{{"flat10", reads.NewFlat10}, {"flat100", reads.NewFlat100}} {
		for _, ours := range []string{"view", "fixed", "dynamic"} {
			add("read/"+flat.name, 8, ours, []string{"flatc", "struct"}, func(_ *Env, form string) (reads.Loop, error) {
				messages, err := flat.make()
				if err != nil {
					return nil, err
				}
				return messages.Loop(form), nil
			})
		}
	}
	for _, chain := range []string{"walked", "cached"} {
		for _, ours := range []string{"view", "fixed"} {
			add("read/hier-cold/"+chain, 1000, ours, []string{"flatc", "struct", "inline"}, func(env *Env, form string) (reads.Loop, error) {
				if env.cold == nil {
					size := reads.ColdSize
					if env.Short {
						size = reads.ColdSizeShort
					}
					cold, err := reads.NewCold(size)
					if err != nil {
						return nil, err
					}
					env.cold = cold
				}
				return env.cold.Loop(form, chain == "walked"), nil
			})
		}
	}
	return append(works, Work{
		Name: "unchecked/scalar",
		Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
			ours, err := looping("RootUnchecked and a read", 8, func() (reads.Loop, error) { return reads.Scalar(false) })
			if err != nil {
				return ours, nil, err
			}
			held, err := looping("the read alone", 8, func() (reads.Loop, error) { return reads.Scalar(true) })
			return ours, []pair.Leg{held}, err
		},
	})
}
