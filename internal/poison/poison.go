//go:build poison

package poison

// Memory overwrites memory that nobody may look at any more, up to its capacity.
func Memory(bytes []byte) {
	bytes = bytes[:cap(bytes)]
	for i := range bytes {
		bytes[i] = Byte
	}
}

// Part is Memory for what lies within something larger, which is still of use.
func Part(bytes []byte) { Memory(bytes[:len(bytes):len(bytes)]) }
