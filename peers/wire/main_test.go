package wire

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// asTee makes the test program a tee, so that a real one can be tested.
const asTee = "WIRE_TEST_AS_TEE"

func TestMain(m *testing.M) {
	if path := os.Getenv(asTee); path != "" {
		os.Unsetenv(asTee)
		code, err := Tee(path, os.Args[1:])
		if err != nil {
			code = 99
		}
		os.Exit(code)
	}
	goleak.VerifyTestMain(m)
}
