package ranged

import "strconv"

// Path is the way to a field of a FlatBuffer, spelled only where something is wrong with it. The
// nil Path is the root.
type Path struct {
	up    *Path
	field string
	index int // -1 for a field that is no vector
}

// Field is the way to a field of what p leads to.
func (p *Path) Field(name string) *Path { return &Path{p, name, -1} }

// Element is the way to element i of a field of what p leads to.
func (p *Path) Element(name string, i int) *Path { return &Path{p, name, i} }

// String spells the path: "children[3].segments[0]".
func (p *Path) String() string {
	if p == nil {
		return ""
	}
	var b []byte
	for at := p; at != nil; at = at.up { // at most as many steps as tables may nest
		step := at.field
		if at.index >= 0 {
			step += "[" + strconv.Itoa(at.index) + "]"
		}
		if at != p {
			step += "."
		}
		b = append([]byte(step), b...)
	}
	return string(b)
}
