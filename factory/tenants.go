package factory

import "iter"

// tenants are those of a slot that are given to calls, by principal. Most slots
// have one, the client's own, which needs no map. The zero value is empty.
type tenants struct {
	own    *tenant            // of the principal without a name
	others map[string]*tenant // nil before the first
}

// of returns the tenant of a principal, nil if there is none.
func (t *tenants) of(principal string) *tenant {
	if principal == "" {
		return t.own
	}
	return t.others[principal]
}

func (t *tenants) add(added *tenant) {
	if added.principal == "" {
		t.own = added
		return
	}
	if t.others == nil {
		t.others = make(map[string]*tenant)
	}
	t.others[added.principal] = added
}

// remove takes a tenant out if it is in, also while all are visited.
func (t *tenants) remove(removed *tenant) {
	switch {
	case t.of(removed.principal) != removed:
	case removed == t.own:
		t.own = nil
	default:
		delete(t.others, removed.principal)
	}
}

func (t *tenants) count() int {
	if t.own == nil {
		return len(t.others)
	}
	return len(t.others) + 1
}

func (t *tenants) all() iter.Seq[*tenant] {
	return func(yield func(*tenant) bool) {
		if t.own != nil && !yield(t.own) {
			return
		}
		for _, other := range t.others {
			if !yield(other) {
				return
			}
		}
	}
}
