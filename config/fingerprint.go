package config

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"
)

// Fingerprint is a digest of everything that the section says, the defaults
// beneath it included, with references resolved now: two loads of a server have
// the same one exactly if nothing of it has changed, whatever was moved, commented
// or reordered around it. A changed variable or file that a value refers to
// changes it; a reference that cannot be resolved counts as written, and so does
// ${input:id}: nobody is asked.
//
// Take it when something is built of the section and keep it: later the same
// section may give another one, because its references then stand for something
// else. It is made of secrets too, so it must not be shown or stored: who knows
// the rest of the section could try values. Keys that were taken count as well.
func (s *Section) Fingerprint() [32]byte {
	f := fingerprint{section: s, digest: sha256.New()}
	f.add(s.full)
	f.addEnvFile()
	return [32]byte(f.digest.Sum(nil))
}

// fingerprint writes nodes in one form for what means the same.
type fingerprint struct {
	section *Section
	digest  hash.Hash
}

// Each thing is written as a letter for its form, a length, and what it holds.
const (
	formText       = 't'
	formUnresolved = 'u'
	formList       = 'l'
	formMap        = 'm'
	formNull       = 'n'
	formGo         = 'g'
)

// keyEnvFile is known here, because a change in the file must be seen.
const keyEnvFile = "env_file"

// addEnvFile adds what stands in the section's file of variables.
func (f *fingerprint) addEnvFile() {
	at := f.section.full.fields[keyEnvFile]
	if at == nil || at.kind != kindText {
		return
	}
	var file EnvFile
	if !(&decoder{section: f.section}).envFile(keyEnvFile, at, &file) {
		f.open(formUnresolved, 0)
		return
	}
	content, err := file.source.file(file.path)
	if err != nil {
		f.open(formUnresolved, 0)
		return
	}
	f.write(formText, string(content))
}

func (f *fingerprint) add(n *node) {
	switch n.kind {
	case kindNull:
		f.open(formNull, 0)
	case kindText:
		f.addText(n)
	case kindBool, kindNumber:
		f.write(formText, n.text) // a string that is a number passes for one
	case kindOpaque:
		f.addGo(n)
	case kindList:
		f.open(formList, len(n.items))
		for _, item := range n.items {
			f.add(item)
		}
	case kindMap:
		f.addMap(n)
	}
}

// addMap writes the keys sorted, without those that are null, which is the same
// as absent.
func (f *fingerprint) addMap(n *node) {
	keys := slices.Sorted(slices.Values(n.keys))
	keys = slices.DeleteFunc(keys, func(key string) bool { return n.fields[key].kind == kindNull })
	f.open(formMap, len(keys))
	for _, key := range keys {
		f.write(formText, key)
		f.add(n.fields[key])
	}
}

func (f *fingerprint) addText(n *node) {
	keep := func(id string) (string, *problem) { return "${input:" + id + "}", nil }
	text, problems := f.section.scopeOf(n).expandEach(n.text, keep, func(string, string) {})
	if len(problems) > 0 {
		f.write(formUnresolved, n.text)
		return
	}
	f.write(formText, text)
}

// addGo writes a Go value that only its own type can take.
func (f *fingerprint) addGo(n *node) {
	switch value := n.value.(type) {
	case Secret:
		text, err := value.Reveal()
		if err != nil {
			f.write(formUnresolved, err.Error())
			return
		}
		f.write(formText, text)
	case Duration:
		f.write(formText, value.String())
	default:
		f.write(formGo, fmt.Sprintf("%T %+v", value, value))
	}
}

func (f *fingerprint) write(form byte, text string) {
	f.open(form, len(text))
	_, _ = f.digest.Write([]byte(text)) // a hash takes everything
}

func (f *fingerprint) open(form byte, length int) {
	_, _ = f.digest.Write(binary.BigEndian.AppendUint64([]byte{form}, uint64(length)))
}
