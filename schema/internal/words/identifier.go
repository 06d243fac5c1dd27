// Package words holds what the rooms of the schema share about names: which words are
// names, how full names fall into parts, and how a name may stand in a message.
package words

import "strings"

// IsIdentifier reports whether a word can be the name of a declaration or a field.
func IsIdentifier(word string) bool {
	if word == "" || !IsLetter(word[0]) || len(word) > MaxName {
		return false
	}
	for i := range len(word) {
		if !IsLetter(word[i]) && !IsDigit(word[i]) {
			return false
		}
	}
	return true
}

// Split cuts a full name into its namespace, "" for the global one, and its
// last word.
func Split(full string) (namespace, last string) {
	if i := strings.LastIndexByte(full, '.'); i >= 0 {
		return full[:i], full[i+1:]
	}
	return "", full
}

// Candidates lists the full names that name, written inside namespace, may
// stand for, the nearest first.
func Candidates(namespace, name string) []string {
	var list []string
	for namespace != "" {
		list = append(list, namespace+"."+name)
		namespace, _ = Split(namespace)
	}
	return append(list, name)
}

// MaxName is the length of a name in bytes, of one word or of a whole one with
// its namespaces; MaxParts the number of words in it. flatc has no limit.
const (
	MaxName  = 1024
	MaxParts = 64
)

// Qualified returns the full name of a word in a namespace.
func Qualified(namespace, word string) string {
	if namespace == "" {
		return word
	}
	return namespace + "." + word
}

// IsLetter reports whether a name can start with c.
func IsLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsHexDigit reports whether c is a hexadecimal digit.
func IsHexDigit(c byte) bool { return IsDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
