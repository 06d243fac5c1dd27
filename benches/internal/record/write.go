package record

import (
	"errors"
	"os"
	"path/filepath"
)

// WriteFile writes a file so that whoever reads it meanwhile, or after this was
// interrupted, finds the old one or the new one and nothing between.
func WriteFile(name string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(0o644), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}
