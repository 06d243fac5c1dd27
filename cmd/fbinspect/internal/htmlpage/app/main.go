//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "app runs in a browser only: fbinspect html --app -o APP.html makes the page that it is part of")
	os.Exit(2)
}
