package config

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// bound is longer than anything here takes, on any machine.
const bound = 30 * time.Second

// watching is a watched folder and what was told of it.
type watching struct {
	t       *testing.T
	folder  string
	watcher *Watcher
	updates chan Update
	looked  chan error // one for each; the error or nil
}

// watch loads and watches a file of a folder. Grace is so long that a failure is
// told only where a test wants it.
func watch(t *testing.T, folder string, options WatchOptions, paths ...string) *watching {
	t.Helper()
	w := &watching{t: t, folder: folder, updates: make(chan Update, 100), looked: make(chan error, 10_000)}
	for i, path := range paths {
		paths[i] = filepath.Join(folder, path)
	}
	load := Options{ReadFile: func(path string) ([]byte, error) {
		content, err := readFile(path, largestFile)
		if path == paths[0] {
			told := err
			if err == nil && len(content) == 0 {
				told = errEmpty
			}
			w.looked <- told
		}
		return content, err
	}}
	cfg, err := LoadWith(load, paths...)
	require.NoError(t, err)
	options.Debounce = 10 * time.Millisecond
	if options.Grace == 0 {
		options.Grace = time.Hour
	}
	if options.Poll == 0 {
		options.Poll = -1
	}
	w.watcher, err = Watch(t.Context(), cfg, options, func(update Update) { w.updates <- update })
	require.NoError(t, err)
	t.Cleanup(w.watcher.Close)
	w.settle()
	return w
}

var errEmpty = errors.New("empty")

// settle waits until the first looks are over: one more after the folders are
// watched.
func (w *watching) settle() {
	w.t.Helper()
	for range 3 { // Load, and two looks
		w.awaitLook(func(error) bool { return true })
	}
}

func (w *watching) awaitLook(is func(error) bool) {
	w.t.Helper()
	for {
		select {
		case err := <-w.looked:
			if is(err) {
				return
			}
		case <-time.After(bound):
			w.t.Fatal("the file was not looked at")
		}
	}
}

func (w *watching) write(name, text string) {
	w.t.Helper()
	require.NoError(w.t, os.WriteFile(filepath.Join(w.folder, name), []byte(text), 0o600))
}

func (w *watching) next() Update {
	w.t.Helper()
	select {
	case update := <-w.updates:
		return update
	case <-time.After(bound):
		w.t.Fatal("no update came")
		return Update{}
	}
}

// nextIs waits for an update whose server s has the text, and which is the very next
// one.
func (w *watching) nextIs(text string) Update {
	w.t.Helper()
	update := w.next()
	require.NoError(w.t, update.Err)
	s, ok := update.Config.Server("s")
	require.True(w.t, ok)
	found, _ := s.String("text")
	require.Equal(w.t, text, found)
	return update
}

func file(text string) string { return "servers: {s: {type: x, text: " + text + "}}\n" }

func folderWith(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder
}

func TestWatchTellsWhatChanged(t *testing.T) {
	w := watch(t, folderWith(t, map[string]string{"mcp.yaml": file("one") + "x-: 1\n"}), WatchOptions{}, "mcp.yaml")
	w.write("mcp.yaml", "servers: {s: {type: x, text: two}, t: {type: y}, u: {type: z}}\n")
	update := w.nextIs("two")
	assert.Equal(t, []string{"t", "u"}, update.Added)
	assert.Equal(t, []string{"s"}, update.Changed)
	assert.Empty(t, update.Removed)

	w.write("mcp.yaml", "# moved\nservers:\n  u: {type: zz}\n  s: {text: two, type: x}\n")
	update = w.nextIs("two")
	assert.Empty(t, update.Added)
	assert.Equal(t, []string{"u"}, update.Changed)
	assert.Equal(t, []string{"t"}, update.Removed)

	w.write("mcp.yaml", "# only a comment\nservers:\n  u: {type: zz}\n  s: {text: two, type: x}\n")
	update = w.nextIs("two")
	assert.Empty(t, append(append(update.Added, update.Changed...), update.Removed...))
}

// Programs write files in many ways. In each, the same bytes are no news, and the
// new ones come as one.
func TestWaysToWriteAFile(t *testing.T) {
	for name, write := range map[string]func(t *testing.T, folder, text string){
		"in place": func(t *testing.T, folder, text string) {
			require.NoError(t, os.WriteFile(filepath.Join(folder, "mcp.yaml"), []byte(text), 0o600))
		},
		"by renaming a temporary file, as emacs does": func(t *testing.T, folder, text string) {
			temporary := filepath.Join(folder, "#mcp.yaml#")
			require.NoError(t, os.WriteFile(temporary, []byte(text), 0o600))
			require.NoError(t, os.Rename(temporary, filepath.Join(folder, "mcp.yaml")))
		},
		"by moving the old one away, as vim does": func(t *testing.T, folder, text string) {
			path := filepath.Join(folder, "mcp.yaml")
			require.NoError(t, os.Rename(path, path+"~"))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			require.NoError(t, os.Remove(path+"~"))
		},
		"by removing it first": func(t *testing.T, folder, text string) {
			path := filepath.Join(folder, "mcp.yaml")
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		},
		"piece by piece": func(t *testing.T, folder, text string) {
			open, err := os.OpenFile(filepath.Join(folder, "mcp.yaml"), os.O_WRONLY|os.O_TRUNC, 0)
			require.NoError(t, err)
			for _, c := range []byte(text) {
				_, err := open.Write([]byte{c})
				require.NoError(t, err)
			}
			require.NoError(t, open.Close())
		},
		"through a new folder": func(t *testing.T, folder, text string) {
			require.NoError(t, os.Rename(folder, folder+"-old"))
			require.NoError(t, os.Mkdir(folder, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "mcp.yaml"), []byte(text), 0o600))
			require.NoError(t, os.RemoveAll(folder+"-old"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(folderWith(t, map[string]string{"config/mcp.yaml": file("0")}), "config")
			w := watch(t, folder, WatchOptions{}, "mcp.yaml")
			for i := range 5 {
				write(t, folder, file(fmt.Sprint(i))) // the same bytes
				write(t, folder, file(fmt.Sprint(i+1)))
				update := w.next()
				for update.Err == nil && !hasText(update, fmt.Sprint(i+1)) {
					update = w.next() // piece by piece, a slow machine may see a part that is valid
				}
				require.NoError(t, update.Err)
			}
			assert.Empty(t, w.updates)
		})
	}
}

func hasText(update Update, text string) bool {
	s, ok := update.Config.Server("s")
	found, _ := s.String("text")
	return ok && found == text
}

// Kubernetes mounts a config map as links to a link to a folder, and replaces the
// middle one.
func TestKubernetesReplacesALink(t *testing.T) {
	folder := folderWith(t, map[string]string{"..1/mcp.yaml": file("1"), "..1/token": "a"})
	swap := func(version string) {
		temporary := filepath.Join(folder, "..data_tmp")
		require.NoError(t, os.Symlink(".."+version, temporary))
		require.NoError(t, os.Rename(temporary, filepath.Join(folder, "..data")))
	}
	swap("1")
	require.NoError(t, os.Symlink(filepath.Join("..data", "mcp.yaml"), filepath.Join(folder, "mcp.yaml")))
	w := watch(t, folder, WatchOptions{}, "mcp.yaml")
	for i := 2; i < 7; i++ {
		version := fmt.Sprint(i)
		require.NoError(t, os.Mkdir(filepath.Join(folder, ".."+version), 0o755))
		w.write(".."+version+"/mcp.yaml", file(version))
		swap(version)
		w.nextIs(version)
		require.NoError(t, os.RemoveAll(filepath.Join(folder, ".."+fmt.Sprint(i-1))))
	}
	assert.Empty(t, w.updates)
}

// What values refer to is watched too.
func TestSecretsAndVariablesInFilesAreWatched(t *testing.T) {
	folder := folderWith(t, map[string]string{
		"mcp.yaml": "servers:\n  s: {type: x, text: y, token: '${file:secrets/token}'}\n  t: {type: x, env_file: vars}\n  u: {type: x}\n", "secrets/token": "one\n", "vars": "A=1\n",
	})
	w := watch(t, folder, WatchOptions{}, "mcp.yaml")
	w.replace("secrets/token", "one") // but for the line end the same
	w.replace("secrets/token", "two\n")
	update := w.nextIs("y")
	assert.Equal(t, []string{"s"}, update.Changed)
	w.replace("vars", "A=2\n")
	update = w.nextIs("y")
	assert.Equal(t, []string{"t"}, update.Changed)

	// A secret that is written in two steps is not taken for an empty one.
	require.NoError(t, os.Truncate(filepath.Join(folder, "secrets/token"), 0))
	for len(w.looked) > 0 { // what was looked at before it was truncated
		<-w.looked
	}
	w.awaitLook(func(error) bool { return true })
	w.write("secrets/token", "three")
	s, _ := w.nextIs("y").Config.Server("s")
	assert.Equal(t, "three", tokenOf(t, s))
	assert.Empty(t, w.updates)
}

// replace writes a file in one step.
func (w *watching) replace(name, text string) {
	w.t.Helper()
	w.write(".temporary", text)
	require.NoError(w.t, os.Rename(filepath.Join(w.folder, ".temporary"), filepath.Join(w.folder, name)))
}

func tokenOf(t *testing.T, s *Section) string {
	t.Helper()
	var keys struct {
		Token Secret `config:"token"`
	}
	_, faults := s.Take(&keys)
	require.Empty(t, faults)
	token, err := keys.Token.Reveal()
	require.NoError(t, err)
	return token
}

// A secret that is missing for good counts, and it is seen when it comes.
func TestASecretThatIsNotThere(t *testing.T) {
	folder := folderWith(t, map[string]string{"mcp.yaml": "servers: {s: {type: x, text: y, token: one}}\n"})
	w := watch(t, folder, WatchOptions{Grace: 20 * time.Millisecond}, "mcp.yaml")
	w.replace("mcp.yaml", "servers: {s: {type: x, text: y, token: '${file:secrets/token}'}}\n")
	assert.Equal(t, []string{"s"}, w.nextIs("y").Changed)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "secrets"), 0o755))
	w.replace("secrets/token", "now")
	update := w.nextIs("y")
	assert.Equal(t, []string{"s"}, update.Changed)
	s, _ := update.Config.Server("s")
	assert.Equal(t, "now", tokenOf(t, s))
}

// A file that is gone, or empty, for a moment is no news.
func TestAFileThatIsGoneForAMoment(t *testing.T) {
	w := watch(t, folderWith(t, map[string]string{"mcp.yaml": file("1")}), WatchOptions{}, "mcp.yaml")
	path := filepath.Join(w.folder, "mcp.yaml")
	for _, text := range []string{file("1"), file("2")} {
		require.NoError(t, os.Remove(path))
		w.awaitLook(func(err error) bool { return errors.Is(err, fs.ErrNotExist) })
		w.write("mcp.yaml", text)
		w.awaitLook(func(err error) bool { return err == nil })
	}
	w.nextIs("2")
	for _, text := range []string{file("2"), file("3")} {
		require.NoError(t, os.Truncate(path, 0))
		w.awaitLook(func(err error) bool { return err == errEmpty })
		w.write("mcp.yaml", text)
		w.awaitLook(func(err error) bool { return err == nil })
	}
	w.nextIs("3")
	assert.Empty(t, w.updates)
}

// What does not last is not told; what does is, once, and changes nothing.
func TestFailuresThatLast(t *testing.T) {
	w := watch(t, folderWith(t, map[string]string{"mcp.yaml": file("1")}), WatchOptions{Grace: 20 * time.Millisecond, Check: func(c *Config) error {
		if _, bad := c.Server("refused"); bad {
			return errors.New("refused by the program")
		}
		return nil
	}}, "mcp.yaml")
	path := filepath.Join(w.folder, "mcp.yaml")
	for text, want := range map[string]string{
		"servers: [":                 "mcp.yaml:1: not valid YAML",
		"":                           "mcp.yaml: the file is empty, which counts as not written yet while it is watched",
		"# nothing\n":                "there is no map of servers",
		"servers: {}\nbogus: 1\n":    "mcp.yaml:2:1: bogus: unknown top-level key",
		"servers: {refused: {}}\n":   "refused by the program",
		"servers: {a: {}, a: {}}\n":  "given twice",
		"servers: {s: *nothing}\n":   "not valid YAML",
		"- servers\n":                "the file is not a map",
		"servers: {}\nstrict: many":  "not a boolean",
		"defaults: 1\nservers: {}\n": "defaults: not a map",
	} {
		w.write("mcp.yaml", text)
		update := w.next()
		require.ErrorContains(t, update.Err, want)
		require.Nil(t, update.Config)
		w.write("mcp.yaml", file("1"))
		update = w.nextIs("1")
		assert.Empty(t, append(append(update.Added, update.Changed...), update.Removed...), "it is right again: what was there before still is")
	}
	require.NoError(t, os.Remove(path))
	update := w.next()
	require.ErrorIs(t, update.Err, fs.ErrNotExist)
	w.write("mcp.yaml", file("2"))
	assert.Equal(t, []string{"s"}, w.nextIs("2").Changed)
	assert.Empty(t, w.updates)
}

// A server with faults is no reason to refuse the file: its owner decides.
func TestServersAreNotChecked(t *testing.T) {
	w := watch(t, folderWith(t, map[string]string{"mcp.yaml": file("1")}), WatchOptions{}, "mcp.yaml")
	w.write("mcp.yaml", "servers: {s: {type: x, text: '2'}, bad: 1, worse: {typ: y}}\n")
	assert.Equal(t, []string{"bad", "worse"}, w.nextIs("2").Added)
}

func TestSeveralFiles(t *testing.T) {
	folder := folderWith(t, map[string]string{"base.json": `{"mcpServers": {"s": {"command": "x"}}}`, "sub/over.toml": "servers.s.text = '1'"})
	w := watch(t, folder, WatchOptions{}, "base.json", "sub/over.toml")
	w.write("sub/over.toml", "servers.s.text = '2'")
	w.nextIs("2")
	w.write("base.json", `{"mcpServers": {"s": {"command": "y"}, "t": {"command": "z"}}}`)
	update := w.nextIs("2")
	assert.Equal(t, []string{"t"}, update.Added)
	assert.Equal(t, []string{"s"}, update.Changed)
}

// What was written between loading and watching is not missed.
func TestFilesThatChangedBeforeTheyWereWatched(t *testing.T) {
	folder := folderWith(t, map[string]string{"mcp.yaml": file("1")})
	path := filepath.Join(folder, "mcp.yaml")
	cfg, err := Load(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(file("2")), 0o600))
	w := &watching{t: t, updates: make(chan Update, 10)}
	watcher, err := Watch(t.Context(), cfg, WatchOptions{}, func(update Update) { w.updates <- update })
	require.NoError(t, err)
	defer watcher.Close()
	w.nextIs("2")
}

// Where there are no events, the files are looked at from time to time.
func TestPolling(t *testing.T) {
	var content atomic.Pointer[string]
	set := func(text string) { content.Store(&text) }
	set(file("1"))
	cfg, err := LoadWith(Options{ReadFile: func(string) ([]byte, error) { return []byte(*content.Load()), nil }}, "/no such folder/mcp.yaml")
	require.NoError(t, err)
	w := &watching{t: t, updates: make(chan Update, 10)}
	watcher, err := Watch(t.Context(), cfg, WatchOptions{Poll: time.Millisecond}, func(update Update) { w.updates <- update })
	require.NoError(t, err)
	defer watcher.Close()
	for i := range 5 {
		set(file(fmt.Sprint(i + 2)))
		w.nextIs(fmt.Sprint(i + 2))
	}
}

func TestWatchEnds(t *testing.T) {
	folder := folderWith(t, map[string]string{"mcp.yaml": file("1")})
	cfg, err := Load(filepath.Join(folder, "mcp.yaml"))
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	watcher, err := Watch(ctx, cfg, WatchOptions{}, func(Update) {})
	require.NoError(t, err)
	cancel()
	<-watcher.Done()
	watcher.Close()
	watcher.Close()

	// From within the callback, while another one closes too.
	closed, entered, known := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var self *Watcher
	self, err = Watch(t.Context(), cfg, WatchOptions{Debounce: time.Millisecond}, func(Update) {
		close(entered)
		<-known
		self.Close()
		close(closed)
	})
	require.NoError(t, err)
	close(known)
	watcher = self
	require.NoError(t, os.WriteFile(filepath.Join(folder, "mcp.yaml"), []byte(file("2")), 0o600))
	<-entered
	watcher.Close()
	<-closed
	<-watcher.Done()

	// A callback that never comes back does not hold Close up.
	stuck, begun := make(chan struct{}), make(chan struct{})
	watcher, err = Watch(t.Context(), cfg, WatchOptions{}, func(Update) { close(begun); <-stuck })
	require.NoError(t, err)
	<-begun
	watcher.Close()
	close(stuck)
	<-watcher.Done()
}

func TestWhatCannotBeWatched(t *testing.T) {
	values, err := FromServers(nil)
	require.NoError(t, err)
	for _, cfg := range []*Config{nil, values, parse(t, "mcp.yaml", "servers: {}")} {
		_, err := Watch(t.Context(), cfg, WatchOptions{}, func(Update) {})
		require.ErrorContains(t, err, "not loaded from files")
	}
	folder := folderWith(t, map[string]string{"mcp.yaml": file("1")})
	cfg, err := Load(filepath.Join(folder, "mcp.yaml"))
	require.NoError(t, err)
	_, err = Watch(t.Context(), cfg, WatchOptions{}, nil)
	require.ErrorContains(t, err, "callback is nil")
}

func TestStepsToAFile(t *testing.T) {
	folder, err := filepath.EvalSymlinks(folderWith(t, map[string]string{"real/deep/mcp.yaml": ""}))
	require.NoError(t, err)
	link := func(target, name string) { require.NoError(t, os.Symlink(target, filepath.Join(folder, name))) }
	link("real", "a")
	link(filepath.Join(folder, "a", "deep"), "b")
	link("loop", "loop")
	steps := func(name string) string {
		var names []string
		for _, s := range stepsTo(filepath.Join(folder, name)) {
			relative, err := filepath.Rel(folder, filepath.Join(s.folder, s.name))
			require.NoError(t, err)
			names = append(names, filepath.ToSlash(relative))
		}
		return strings.Join(names, " ")
	}
	assert.Equal(t, "real/deep/mcp.yaml", steps("real/deep/mcp.yaml"))
	assert.Equal(t, "a real/deep/mcp.yaml", steps("a/deep/mcp.yaml"))
	assert.Equal(t, "b a real/deep/mcp.yaml", steps("b/mcp.yaml"))
	assert.Equal(t, "real/gone", steps("real/gone/x"), "a folder that may come")
	assert.Equal(t, "real/deep/gone", steps("real/deep/gone"))
	assert.Equal(t, mostLinks+1, len(strings.Fields(steps("loop"))))
}
