package stdiolink

import "iter"

// nearby is how many ids in a row have a place of their own.
const nearby = 256

// exchanges finds exchanges by their ids. A session counts its ids up, so that
// those that run at a time lie close together: each has the place that its lowest
// bits name, without hashing. Only one that finds its place taken, by a request
// that runs for long or because very many do, goes into a map. The zero value is
// ready.
type exchanges struct {
	places [nearby]*exchange
	others map[uint64]*exchange
	count  int
}

func (t *exchanges) get(id uint64) *exchange {
	if e := t.places[id%nearby]; e != nil && e.id == id {
		return e
	}
	if len(t.others) == 0 {
		return nil
	}
	return t.others[id]
}

// put adds an exchange whose id is not there yet.
func (t *exchanges) put(e *exchange) {
	t.count++
	if place := &t.places[e.id%nearby]; *place == nil {
		*place = e
		return
	}
	if t.others == nil {
		t.others = map[uint64]*exchange{}
	}
	t.others[e.id] = e
}

// remove takes out an exchange that is there.
func (t *exchanges) remove(e *exchange) {
	t.count--
	if place := &t.places[e.id%nearby]; *place == e {
		*place = nil
		return
	}
	delete(t.others, e.id)
}

// all visits the exchanges, in no order. Nothing may be changed meanwhile.
func (t *exchanges) all() iter.Seq[*exchange] {
	return func(yield func(*exchange) bool) {
		for _, e := range t.places {
			if e != nil && !yield(e) {
				return
			}
		}
		for _, e := range t.others {
			if !yield(e) {
				return
			}
		}
	}
}
