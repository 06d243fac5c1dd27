package info

import "github.com/fbverify/go/schema/bfbs"

// binarySchema tells of a .bfbs.
func (i *Info) binarySchema(b []byte) error {
	s, err := bfbs.Load(b)
	if err != nil {
		return err
	}
	i.Metadata = nil
	if s.Root != nil {
		i.Metadata = append(i.Metadata, Pair{"root", s.Root.Name})
	}
	if s.FileIdentifier != "" {
		i.Metadata = append(i.Metadata, Pair{"file identifier", s.FileIdentifier})
	}
	if s.FileExtension != "" {
		i.Metadata = append(i.Metadata, Pair{"file extension", s.FileExtension})
	}
	for _, f := range s.Files {
		i.Metadata = append(i.Metadata, Pair{"file", f.Name})
	}
	i.types(s)
	return nil
}
