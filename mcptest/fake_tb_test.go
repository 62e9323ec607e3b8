package mcptest_test

import (
	"fmt"
	"sync"
)

// fakeTB is a test that fails without failing this one.
type fakeTB struct {
	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (f *fakeTB) Helper() {}

func (f *fakeTB) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failures = append(f.failures, fmt.Sprintf(format, args...))
}

func (f *fakeTB) Fatalf(format string, args ...any) { f.Errorf(format, args...) }

func (f *fakeTB) Cleanup(function func()) { f.cleanups = append(f.cleanups, function) }

// end runs the cleanups, as the end of a test does, and returns all failures.
func (f *fakeTB) end() []string {
	for i := len(f.cleanups) - 1; i >= 0; i-- {
		f.cleanups[i]()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failures
}
