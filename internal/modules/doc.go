// Package modules holds the test that the modules of this repository can be had: it packs
// them as a proxy does, and installs and requires them from there, as users do.
package modules
