package filestore

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
)

// lazy opens a store with its first use, for whoever must do no I/O before.
type lazy struct {
	open   func() (*Store, error)
	exists func() bool // whether there is anything to read; nil: open to see

	once  sync.Once
	store *Store
	err   error
}

// OnFirstUse returns the store that Open opens, when it is first used.
func OnFirstUse(folder string, key config.Secret) auth.Store {
	return &lazy{open: func() (*Store, error) { return Open(folder, key) }}
}

// Personal returns a store in a folder of the user's own, with its key in a file
// beside it (the folder's name and .key), both for the user alone. locate tells
// the folder when the store is first used. Folder and key are made when something
// is first stored. Who may read the user's files can read the tokens: the
// encryption keeps them out of copies of the folder, of searches and of accidents.
func Personal(locate func() (string, error)) auth.Store {
	return &lazy{
		open: func() (*Store, error) {
			folder, err := locate()
			if err != nil {
				return nil, err
			}
			key, err := keyBeside(folder)
			if err != nil {
				return nil, err
			}
			return Open(folder, key)
		},
		exists: func() bool {
			folder, err := locate()
			if err != nil {
				return false
			}
			_, err = os.Stat(folder)
			return !os.IsNotExist(err)
		},
	}
}

func (l *lazy) opened() (*Store, error) {
	l.once.Do(func() { l.store, l.err = l.open() })
	return l.store, l.err
}

// isEmpty reports whether there is nothing to read, and nothing has to be made to
// know that.
func (l *lazy) isEmpty() bool { return l.exists != nil && !l.exists() }

// Get implements auth.Store.
func (l *lazy) Get(ctx context.Context, key auth.Key) ([]byte, bool, error) {
	if l.isEmpty() {
		return nil, false, nil
	}
	store, err := l.opened()
	if err != nil {
		return nil, false, err
	}
	return store.Get(ctx, key)
}

// Put implements auth.Store.
func (l *lazy) Put(ctx context.Context, key auth.Key, value []byte, expires time.Time) error {
	store, err := l.opened()
	if err != nil {
		return err
	}
	return store.Put(ctx, key, value, expires)
}

// Swap implements auth.Store.
func (l *lazy) Swap(ctx context.Context, key auth.Key, old, value []byte, expires time.Time) (bool, error) {
	if old != nil && l.isEmpty() {
		return false, nil
	}
	store, err := l.opened()
	if err != nil {
		return false, err
	}
	return store.Swap(ctx, key, old, value, expires)
}

// Delete implements auth.Store.
func (l *lazy) Delete(ctx context.Context, key auth.Key, old []byte) (bool, error) {
	if l.isEmpty() {
		return false, nil
	}
	store, err := l.opened()
	if err != nil {
		return false, err
	}
	return store.Delete(ctx, key, old)
}
