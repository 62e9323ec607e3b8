package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/internal/process"
	"github.com/mcp-client-go/mcpclient/transporters/stdiolink"
)

// process checks what a process needs to be started.
func (e *examination) process(cfg stdiolink.Config) bool {
	command := append([]string(cfg.Command), cfg.Args...)
	if len(command) == 0 {
		return true
	}
	if cfg.Cwd != "" && !e.check("working directory", checkTimeout, func(context.Context) finding { return folder(cfg.Cwd) }) {
		return false
	}
	return e.check("program", checkTimeout, func(context.Context) finding { return program(command[0], cfg) })
}

func folder(path string) finding {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed("make the folder, or correct cwd", "%s does not exist", path)
	case err != nil:
		return failed("correct cwd", "%v", err)
	case !info.IsDir():
		return failed("correct cwd", "%s is no folder", path)
	default:
		return fine("%s", path)
	}
}

// program finds what would be started: as it is written, or in the PATH that the
// process will have.
func program(name string, cfg stdiolink.Config) finding {
	if strings.ContainsRune(name, '/') || filepath.IsAbs(name) {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(cfg.Cwd, path)
		}
		return executable(path)
	}
	path := pathOf(cfg)
	for _, folder := range filepath.SplitList(path) {
		for _, extension := range extensions() {
			candidate := filepath.Join(folder, name+extension)
			if filepath.IsAbs(folder) && executable(candidate).status == OK {
				return fine("%s", candidate)
			}
		}
	}
	if path == "" {
		return failed("write the whole path of the program, or give PATH under env", "%s cannot be found: the process gets no PATH", name)
	}
	return failed("install "+name+", or write its whole path; the process gets what inherit_env and env say of PATH",
		"%s is in no folder of the PATH: %s", name, path)
}

func executable(path string) finding {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed("correct command", "%s does not exist", path)
	case err != nil:
		return failed("correct command", "%v", err)
	case info.IsDir():
		return failed("correct command", "%s is a folder", path)
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return failed("make it executable (chmod +x), or start it with its interpreter", "%s is not executable", path)
	default:
		return fine("%s", path)
	}
}

// pathOf is the PATH that the process will have.
func pathOf(cfg stdiolink.Config) string {
	configured := map[string]string{}
	if secret, found := cfg.Env["PATH"]; found {
		configured["PATH"] = revealed(secret)
	}
	inherited := map[stdiolink.InheritEnv]process.Inherit{"all": process.InheritAll, "none": process.InheritNone}[cfg.InheritEnv]
	for _, variable := range process.Environment(inherited, configured, process.Environ()) {
		if name, value, _ := strings.Cut(variable, "="); strings.EqualFold(name, "PATH") {
			return value
		}
	}
	return ""
}

func revealed(secret config.Secret) string {
	text, err := secret.Reveal()
	if err != nil {
		return "" // a fault, which the configuration's check has told
	}
	return text
}

func extensions() []string {
	if runtime.GOOS == "windows" {
		return []string{"", ".exe", ".cmd", ".bat", ".com"}
	}
	return []string{""}
}
