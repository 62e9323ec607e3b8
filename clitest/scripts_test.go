package clitest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the golden tests: the built command in a pipe.
func TestScripts(t *testing.T) {
	run(t, "testdata/scripts/*.txtar", nil)
}

// TestScriptsOnServerEverything runs one script over both transports.
func TestScriptsOnServerEverything(t *testing.T) {
	program := everythingProgram(t)
	for name, section := range map[string]string{
		"stdio": "{type: stdio, command: [node, '" + program + "']}",
		"HTTP":  "{type: http, url: '" + startEverything(t) + "'}",
	} {
		t.Run(name, func(t *testing.T) {
			run(t, "testdata/everything/*.txtar", func(env *testscript.Env) error {
				return os.WriteFile(filepath.Join(env.WorkDir, "mcp.yaml"), []byte("servers:\n  everything: "+section+"\n"), 0o600)
			})
		})
	}
}

func run(t *testing.T, files string, setUp func(*testscript.Env) error) {
	paths, err := filepath.Glob(files)
	if err != nil || len(paths) == 0 {
		t.Fatal("no scripts: ", files, err)
	}
	testscript.Run(t, testscript.Params{
		Files: paths,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", binaries+string(os.PathListSeparator)+os.Getenv("PATH"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			if setUp == nil {
				return nil
			}
			return setUp(env)
		},
		UpdateScripts:       *update,
		RequireExplicitExec: true,
	})
}
