// First verifies a file once, as a value of a generated type, in a process that has
// just started, and prints two numbers of nanoseconds: what the initialisation of the
// library's packages took, before main, and from main's start until the buffer was
// verified, reading the file not included.
//
//	first vortex|arrow|tflite FILE
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/fbverify/go/benches/internal/atstart"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/generated/tflite"
	"github.com/fbverify/go/generated/vortex"
)

var verify = map[string]func(buf []byte) error{
	"vortex": func(buf []byte) error { _, err := fbverify.Root[vortex.Layout](buf); return err },
	"arrow":  func(buf []byte) error { _, err := fbverify.Root[arrow.Message](buf); return err },
	"tflite": func(buf []byte) error { _, err := fbverify.Root[tflite.Model](buf); return err },
}

func main() {
	initialised := time.Since(atstart.Time)
	if len(os.Args) != 3 || verify[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: first vortex|arrow|tflite FILE")
		os.Exit(2)
	}
	buf, err := os.ReadFile(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "first:", err)
		os.Exit(2)
	}
	start := time.Now()
	err = verify[os.Args[1]](buf)
	elapsed := time.Since(start)
	if err != nil {
		fmt.Fprintln(os.Stderr, "first:", err)
		os.Exit(1)
	}
	fmt.Println(initialised.Nanoseconds(), elapsed.Nanoseconds())
}
