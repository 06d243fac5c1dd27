package flatgeobuf_test

import (
	"context"
	"fmt"
	"os"

	"github.com/fbverify/go/readers/flatgeobuf"
)

// The features of a file in a box.
func Example() {
	file, err := os.Open("../../testdata/flatgeobuf/gdal-points-indexed.fgb")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	f, err := flatgeobuf.Open(ctx, file, info.Size(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	count, _ := f.Count()
	fmt.Println(f.GeometryType(), f.CRS(), count, "features,", len(f.Columns()), "columns")
	for feature, err := range f.Search(ctx, flatgeobuf.Box{MinX: -90, MinY: 0, MaxX: 0, MaxY: 40}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		properties, err := f.Properties(feature)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("feature", feature.Number, "at", feature.Offset, feature.Root().Geometry().Xy())
		for _, p := range properties[:2] {
			fmt.Printf("  %s %s: %v\n", p.Name, p.Type, p.Value())
		}
	}
	// Output:
	// Point EPSG:4326 60 features, 10 columns
	// feature 26 at 8768 [-33 18]
	//   flag Bool: false
	//   small Short: -9
	// feature 27 at 8952 [-40 5]
	//   flag Bool: true
	//   small Short: -10
	// feature 28 at 9128 [-26 31]
	//   flag Bool: true
	//   small Short: -8
}
