package architecture

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "example.com/client"

func TestThisModuleKeepsItsRules(t *testing.T) {
	violations, err := Check(os.DirFS("../.."), "github.com/mcp-client-go/mcpclient")
	require.NoError(t, err)
	for _, violation := range violations {
		t.Error(violation)
	}
}

func TestTheTreeThatIsCheckedIsThisModule(t *testing.T) {
	for _, name := range []string{"../../go.mod", "../../errors/doc.go", "../../transporters/transporter.go"} {
		assert.FileExists(t, name)
	}
}

func TestViolationsAreFound(t *testing.T) {
	for name, test := range map[string]struct {
		file, text string
		want       string // "" means that the file is fine
	}{
		"errors imports mcp":                    {"errors/a.go", imports("mcp"), "layer errors must not import mcp, which is of layer mcp"},
		"the scanner imports mcp":               {"internal/jsonscan/a.go", imports("mcp"), "layer internal/jsonscan must not import mcp, which is of layer mcp"},
		"mcp imports the scanner":               {"mcp/a.go", imports("internal/jsonscan"), ""},
		"mcp imports another internal":          {"mcp/a.go", imports("internal/jsonrpc"), "layer mcp must not import internal/jsonrpc, which is of layer internal"},
		"internal imports internal":             {"internal/a/a.go", imports("internal/b"), ""},
		"internal imports config":               {"internal/a/a.go", imports("config"), "layer internal must not import config, which is of layer config"},
		"config imports transporters":           {"config/a.go", imports("transporters"), "layer config must not import transporters, which is of layer transporters"},
		"a transporter imports its sibling":     {"transporters/a/a.go", imports("transporters/b"), ""},
		"a transporter imports auth":            {"transporters/a/a.go", imports("auth"), "transporters and auth must not import each other"},
		"auth imports a transporter":            {"auth/a.go", imports("transporters"), "auth and transporters must not import each other"},
		"a transporter imports factory":         {"transporters/a/a.go", imports("factory"), "layer transporters must not import factory, which is of layer factory"},
		"factory imports transporters and auth": {"factory/a.go", "package a\nimport (\n_ \"" + module + "/auth\"\n_ \"" + module + "/transporters/b\"\n)", ""},
		"factory imports root":                  {"factory/a.go", "package a\nimport _ \"" + module + "\"", "layer factory must not import ., which is of layer root"},
		"root imports the test kit":             {"a.go", imports("mcptest"), "layer root must not import mcptest, which is of layer outside"},
		"the command imports everything":        {"cmd/x/a.go", imports("mcptest"), ""},
		"a stranger's package is no concern":    {"errors/a.go", "package a\nimport _ \"example.com/clientele/mcp\"", ""},

		"environment outside config":   {"transporters/a/a.go", uses("os", `os.Getenv("X")`), "os.Getenv is used: the environment is read by config (and by internal/process for children)"},
		"environment under an alias":   {"factory/a.go", "package a\nimport system \"os\"\nfunc f() { system.LookupEnv(\"X\") }", "system.LookupEnv is used: the environment is read by config (and by internal/process for children)"},
		"environment in config":        {"config/a.go", uses("os", `os.Getenv("X")`), ""},
		"file outside config":          {"a.go", uses("os", `os.ReadFile("x")`), "os.ReadFile is used: files are read by config (by internal/dial for certificates, by auth/filestore and transporters/policy/pinfile what they wrote)"},
		"file in a command":            {"cmd/x/a.go", uses("os", `os.ReadFile("x")`), ""},
		"a local variable called os":   {"a.go", "package a\ntype t struct{ Getenv func(string) }\nfunc f(os t) { os.Getenv(\"X\") }", ""},
		"process outside its package":  {"transporters/a/a.go", "package a\nimport _ \"os/exec\"", "os/exec is imported: processes are started by internal/process"},
		"process in its package":       {"internal/process/a.go", "package a\nimport _ \"os/exec\"", ""},
		"network outside dial":         {"transporters/a/a.go", uses("net", `net.Dial("tcp", "x")`), "net.Dial is used: the network is dialled by internal/dial"},
		"network in dial":              {"internal/dial/a.go", uses("net", `net.Dial("tcp", "x")`), ""},
		"the default HTTP client":      {"auth/a.go", uses("net/http", `http.DefaultClient.Do(nil)`), "http.DefaultClient is used: HTTP goes through a transport made by internal/dial"},
		"an HTTP transport made":       {"auth/a.go", uses("net/http", `_ = &http.Transport{}`), "http.Transport is used: HTTP goes through a transport made by internal/dial"},
		"an HTTP transport by new":     {"auth/a.go", uses("net/http", `_ = new(http.Transport)`), "http.Transport is used: HTTP goes through a transport made by internal/dial"},
		"an HTTP transport mentioned":  {"auth/a.go", "package a\nimport \"net/http\"\nfunc f(*http.Transport) {}", ""},
		"init":                         {"mcp/a.go", "package a\nfunc init() {}", "func init: nothing runs at package start"},
		"a method called init":         {"mcp/a.go", "package a\ntype t struct{}\nfunc (t) init() {}", ""},
		"work at package start":        {"mcp/a.go", "package a\nimport \"regexp\"\nvar x = regexp.MustCompile(`a`)", "package variable x is computed by a call: nothing runs at package start"},
		"work within a literal":        {"mcp/a.go", "package a\nvar x = []int{f()}\nfunc f() int { return 1 }", "package variable x is computed by a call: nothing runs at package start"},
		"a map made at package start":  {"mcp/a.go", "package a\nvar x = make(map[string]int)", "package variable x is computed by a call: nothing runs at package start"},
		"a sentinel":                   {"config/a.go", "package a\nimport \"" + module + "/errors\"\nvar ErrX = errors.New(`x`)", ""},
		"a sentinel in errors":         {"errors/a.go", "package errors\nvar ErrX = New(`x`)", ""},
		"New of something else":        {"config/a.go", "package a\nimport \"" + module + "/mcp\"\nvar X = mcp.New()", "package variable X is computed by a call: nothing runs at package start"},
		"an interface assertion":       {"mcp/a.go", "package a\nvar _ error = (*t)(nil)\ntype t struct{ error }", ""},
		"a table of functions":         {"mcp/a.go", "package a\nvar x = map[string]func(){`a`: func() { f() }}\nfunc f() {}", ""},
		"conversions":                  {"mcp/a.go", "package a\nvar x, y = []byte(`x`), int64(1)", ""},
		"a variable within a function": {"mcp/a.go", "package a\nfunc f() { var x = g(); _ = x }\nfunc g() int { return 1 }", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{test.file: {Data: []byte(test.text)}}
			violations, err := Check(tree, module)
			require.NoError(t, err)
			if test.want == "" {
				assert.Empty(t, violations)
				return
			}
			require.Len(t, violations, 1)
			assert.Equal(t, test.want, violations[0].Message)
			assert.Equal(t, test.file, violations[0].File)
			assert.Positive(t, violations[0].Line)
		})
	}
}

func TestFilesThatAreNotBoundByTheRules(t *testing.T) {
	forbidden := []byte("package a\nfunc init() {}")
	violations, err := Check(fstest.MapFS{
		"mcp/a_test.go":       {Data: forbidden},
		"peers/go.mod":        {Data: []byte("module peers")},
		"peers/deep/a.go":     {Data: forbidden},
		"mcp/testdata/a.go":   {Data: forbidden},
		".hidden/a.go":        {Data: forbidden},
		"mcp/really/bound.go": {Data: forbidden},
	}, module)
	require.NoError(t, err)
	require.Len(t, violations, 1)
	assert.Equal(t, "mcp/really/bound.go:2: func init: nothing runs at package start", violations[0].String())
}

func TestAFileThatDoesNotParseIsAnError(t *testing.T) {
	_, err := Check(fstest.MapFS{"mcp/a.go": {Data: []byte("package")}}, module)
	require.ErrorContains(t, err, "mcp/a.go")
}

func imports(folder string) string { return "package a\nimport _ \"" + module + "/" + folder + "\"" }

func uses(importPath, statement string) string {
	return "package a\nimport \"" + importPath + "\"\nfunc f() { " + statement + " }"
}

// The don'ts for transporters that the architecture test holds, each shown by a
// violation that it finds.
func TestDonts(t *testing.T) {
	for name, text := range map[string]string{
		"Dont1 read the configuration from inside a transporter": "package a\n\nimport \"os\"\n\nvar _ = os.Getenv\n\nfunc f() string { return os.Getenv(\"X\") }\n",
		"Dont3 a second way to do I/O: processes":                "package a\n\nimport \"os/exec\"\n\nfunc f() *exec.Cmd { return exec.Command(\"x\") }\n",
		"Dont3 a second way to do I/O: the network":              "package a\n\nimport \"net\"\n\nfunc f() { _, _ = net.Dial(\"tcp\", \"x\") }\n",
		"Dont4 state across requests, outside of an instance":    "package a\n\nimport \"sync\"\n\nvar shared = sync.OnceFunc(func() {})\n",
		"Dont4 work at the start of the program":                 "package a\n\nfunc init() {}\n",
	} {
		t.Run(name, func(t *testing.T) {
			violations, err := Check(fstest.MapFS{"transporters/a/a.go": {Data: []byte(text)}}, module)
			require.NoError(t, err)
			require.NotEmpty(t, violations)
		})
	}
}
