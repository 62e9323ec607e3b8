package filestore

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// sweepEvery is after how many records that expire the folder is looked
	// through.
	sweepEvery = 256
	// leftoverAge is when a file on its way is taken for that of a process that
	// died.
	leftoverAge = time.Hour
)

// sweep removes records that have expired, and what dead processes left. It is
// housekeeping: what cannot be removed now is found again. The folder is locked.
func (s *Store) sweep() {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return
	}
	now := time.Now()
	for _, entry := range entries {
		path := filepath.Join(s.folder, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), newPrefix):
			if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > leftoverAge {
				_ = os.Remove(path)
			}
		case len(entry.Name()) == nameLength:
			if content, err := os.ReadFile(path); err == nil && len(content) >= expiryBytes && isExpired(content, now) {
				_ = os.Remove(path)
			}
		}
	}
}
