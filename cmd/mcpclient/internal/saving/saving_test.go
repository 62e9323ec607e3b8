package saving

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	for _, test := range []struct{ proposed, mimeType, want string }{
		{"picture", "image/png", "picture.png"},
		{"picture.png", "image/png", "picture.png"},
		{"picture.PNG", "image/png", "picture.PNG"},
		{"picture.jpeg", "image/jpeg", "picture.jpeg"},
		{"setup.exe", "image/png", "setup.exe.png"},
		{"notes", "text/plain; charset=utf-8", "notes.txt"},
		{"data", "", "data.bin"},
		{"data.tar", "application/x-tar", "data.tar"},
		{"x", "application/vnd.api+json", "x.json"},
		{"../../etc/passwd", "", "passwd.bin"},
		{`..\..\windows\system.ini`, "", "system.ini"},
		{"..", "image/png", "content.png"},
		{".", "", "content.bin"},
		{"", "image/gif", "content.gif"},
		{".bashrc", "text/plain", "bashrc.txt"},
		{"-rf", "", "rf.bin"},
		{"a b\x00c\nd", "", "a-b-c-d.bin"},
		{"a\u202egnp.exe", "", "a-gnp.exe"},
		{"日本", "text/plain", "日本.txt"},
		{"NUL", "text/plain", "_NUL.txt"},
		{"com1.x", "text/plain", "_com1.x.txt"},
		{"C:evil", "", "C-evil.bin"},
		{strings.Repeat("x", 500), "image/png", strings.Repeat("x", 80) + ".png"},
	} {
		assert.Equal(t, test.want, Name(test.proposed, test.mimeType), "%q", test.proposed)
	}
}

func open(t *testing.T, path string, overwrite bool) *Target {
	t.Helper()
	target, err := Open(path, overwrite)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, target.Close()) })
	return target
}

func save(t *testing.T, target *Target, name, text string) string {
	t.Helper()
	path, err := target.Save(name, "text/plain", []byte(text))
	require.NoError(t, err)
	read, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, text, string(read))
	return path
}

func TestIntoAFolder(t *testing.T) {
	folder := t.TempDir()
	target := open(t, folder, false)
	assert.Equal(t, filepath.Join(folder, "a.txt"), save(t, target, "a", "one"))
	assert.Equal(t, filepath.Join(folder, "a-2.txt"), save(t, target, "a", "two"))
	assert.Equal(t, filepath.Join(folder, "a-3.txt"), save(t, open(t, folder, true), "../a", "three"), "even then a name that is free is taken")
	assert.Equal(t, 2, target.Count())

	fresh := filepath.Join(folder, "new", "deeper") + "/"
	assert.Equal(t, filepath.Join(fresh, "b.txt"), save(t, open(t, fresh, false), "b", "x"))
}

func TestIntoAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.png")
	target := open(t, file, false)
	assert.Equal(t, file, save(t, target, "whatever", "one"))
	assert.Equal(t, strings.TrimSuffix(file, ".png")+"-2.png", save(t, target, "other", "two"))

	_, err := open(t, file, false).Save("x", "", []byte("three"))
	require.ErrorContains(t, err, "out.png is there already (--force overwrites it)")
	read, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "one", string(read), "nothing was touched")
	assert.Equal(t, file, save(t, open(t, file, true), "x", "four"))

	_, err = Open(filepath.Join(t.TempDir(), "nowhere", "file"), false)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A link that somebody left in the folder leads nowhere outside of it.
func TestLinksAreNotFollowedOutOfTheFolder(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.txt")
	require.NoError(t, os.WriteFile(outside, []byte("mine"), 0o600))
	folder := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "a.txt")))
	assert.Equal(t, filepath.Join(folder, "a-2.txt"), save(t, open(t, folder, false), "a", "theirs"))
	read, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(read))
}

func TestARelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	assert.Equal(t, "plain.txt", save(t, open(t, "plain.txt", false), "x", "text"))
	assert.Equal(t, "x.txt", save(t, open(t, ".", false), "x", "text"))
}
