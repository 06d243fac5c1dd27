//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package fbverify

const dontWait = 0

// mapFile reads the file, as nothing here maps one.
func mapFile(name string) (data []byte, mapped bool, err error) {
	data, err = readFile(name)
	return data, false, err
}

func unmap(data []byte) error { return nil }
