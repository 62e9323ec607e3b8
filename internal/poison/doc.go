// Package poison makes it show when something is used that went back to where it is
// used again: a buffer, or a part of one. In a program that was built with the tag
// poison all of it is overwritten, at once; in any other nothing happens, and
// nothing is left of the calls. Under the race detector a write to it is seen as
// well when it meets a read that is late.
package poison

// Byte is what poisoned memory consists of. It is no JSON, and no UTF-8.
const Byte = 0xDB
