package jsonscan

// Duplicate returns the first member name that occurs twice in the object,
// decoded, so that escapes cannot hide it. It trusts that object was validated;
// nested objects are not looked into.
func Duplicate(object []byte) (name string, found bool) {
	c := TrustedCursor(object)
	if !c.Object() {
		return "", false
	}
	// A few names are compared one by one, which costs no allocation; for many
	// a map takes over.
	const few = 24
	var seen [few][]byte
	var many map[string]struct{}
	for count := 0; ; count++ {
		member, ok := c.Member()
		if !ok {
			return "", false
		}
		c.Value()
		if count < few {
			for _, earlier := range seen[:count] {
				if string(earlier) == string(member) {
					return string(member), true
				}
			}
			seen[count] = member
			continue
		}
		if many == nil {
			many = make(map[string]struct{}, 4*few)
			for _, earlier := range seen {
				many[string(earlier)] = struct{}{}
			}
		}
		if _, twice := many[string(member)]; twice {
			return string(member), true
		}
		many[string(member)] = struct{}{}
	}
}
