package filestore

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/mcp-client-go/mcpclient/config"
)

// keyBeside returns the key in the file beside the folder, and makes one where
// there is none. Of several processes that do so at once all get the same.
func keyBeside(folder string) (config.Secret, error) {
	path := filepath.Clean(folder) + ".key"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return config.Secret{}, fmt.Errorf("the folder of the store: %w", err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return config.Secret{}, fmt.Errorf("the key of the store: %w", err)
	}
	defer func() { _ = file.Close() }()
	if err := lock(file); err != nil {
		return config.Secret{}, fmt.Errorf("the key of the store: locking %s: %w", path, err)
	}
	if err := isPrivate(file); err != nil {
		return config.Secret{}, err
	}
	text, err := io.ReadAll(io.LimitReader(file, 1<<10))
	if err == nil && len(text) == 0 {
		text, err = writeKey(file)
	}
	if err != nil {
		return config.Secret{}, fmt.Errorf("the key of the store: %w", err)
	}
	if _, err := decodeKey(string(text)); err != nil {
		return config.Secret{}, fmt.Errorf("%s: %w; if no tokens are worth keeping remove it and the folder beside it, and log in again", path, err)
	}
	return config.LiteralSecret(string(text)), nil
}

func writeKey(file *os.File) ([]byte, error) {
	key := make([]byte, KeyBytes)
	_, _ = rand.Read(key) // never fails
	text := []byte(base64.StdEncoding.EncodeToString(key) + "\n")
	if _, err := file.Write(text); err != nil {
		return nil, err
	}
	return text, file.Sync()
}

// isPrivate refuses a key that others on this machine can read or replace.
func isPrivate(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if open := info.Mode().Perm() & 0o077; open != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("the key of the store, %s, is open to others (mode %04o); make it the user's own: chmod 600", file.Name(), info.Mode().Perm())
	}
	return nil
}
