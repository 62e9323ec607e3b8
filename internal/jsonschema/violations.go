package jsonschema

import "fmt"

// Violations is Validate that goes on after the first violation: it returns up to
// limit of them, in an order that does not change from run to run. Within anyOf
// and oneOf, where a violation of one alternative is none of the whole, nothing
// but the whole is told; neither is what else is wrong with a value of the wrong
// type. The error is ErrTooCostly, beside what was found until then.
func (s *Schema) Violations(document []byte, limit int) ([]*Violation, error) {
	value, err := decode(document)
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	e := s.evaluation(document)
	e.gathering = &gathering{limit: limit}
	if last := e.check(s.root, value, nil, nil); last != nil {
		e.gathering.add(last)
	}
	violations := make([]*Violation, len(e.gathering.faults))
	for i, fault := range e.gathering.faults {
		violations[i] = fault.asViolation()
	}
	if e.exhausted {
		return violations, ErrTooCostly
	}
	return violations, nil
}

// gathering keeps faults, so that a check goes on behind them.
type gathering struct {
	limit  int
	faults []*fault
	trials int // within a part whose faults may be none
}

func (g *gathering) add(f *fault) {
	if len(g.faults) < g.limit && f.keyword != "steps" {
		g.faults = append(g.faults, f)
	}
}

// noted takes a fault for gathered, so that the check can go on, and returns nil.
// Where nothing is gathered, or not here, or enough was, it returns the fault.
func (e *evaluation) noted(f *fault) *fault {
	g := e.gathering
	if f == nil || g == nil || g.trials > 0 || e.exhausted || len(g.faults) >= g.limit {
		return f
	}
	g.add(f)
	return nil
}

// trial is check for a part whose faults are none of the whole.
func (e *evaluation) trial(s *schema, value any, at *place, into *evaluated) *fault {
	if e.gathering != nil {
		e.gathering.trials++
		defer func() { e.gathering.trials-- }()
	}
	return e.check(s, value, at, into)
}
