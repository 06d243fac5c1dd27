package inputs

import "testing"

// near fails unless size is within 15 % of want bytes.
func near(t *testing.T, name string, size, want int) {
	t.Helper()
	if size < want*85/100 || size > want*115/100 {
		t.Errorf("%s has %d bytes, which is not within 15 %% of %d", name, size, want)
	}
}

// TestTreesHaveTheSizesNamed holds the trees to the sizes that DESIGN.md
// names, read both ways that "KB" is read.
func TestTreesHaveTheSizesNamed(t *testing.T) {
	for i, kb := range []float64{2, 34, 295, 2500} {
		size := LayoutSizes[i]
		layout := Layout(size.Chunks, size.Columns)
		near(t, "Layout "+layout.Name, len(layout.Bytes), int(kb*1000))
		near(t, "Layout "+layout.Name, len(layout.Bytes), int(kb*1024))
	}
	for i, kb := range []int{2, 6, 44} {
		array := Array(ArraySizes[i])
		near(t, "Array "+array.Name, len(array.Bytes), kb*1000)
		near(t, "Array "+array.Name, len(array.Bytes), kb*1024)
	}
}

func TestTextsAreAsLargeAsAskedFor(t *testing.T) {
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20} {
		near(t, "Texts", len(Texts(size).Bytes), size)
	}
}

func TestModelsAreAsLargeAsAskedFor(t *testing.T) {
	for _, size := range []int{100_000, 4 << 20} {
		near(t, "Model", len(Model(size)), size)
	}
}
