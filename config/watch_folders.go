package config

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// watchedFolders are the folders whose events are listened to, with the names in
// them that matter. Folders are watched, not files: a file that is replaced is
// another one afterwards, and takes its watch along.
type watchedFolders struct {
	names      map[string]map[string]bool // folder -> names
	incomplete bool                       // a folder could not be watched
}

// concerns reports whether an event is about one of the names, or about a folder
// itself, which is then watched anew.
func (f *watchedFolders) concerns(event fsnotify.Event) bool {
	if _, isFolder := f.names[event.Name]; isFolder && event.Has(fsnotify.Remove|fsnotify.Rename) {
		f.names[event.Name] = nil
		return true
	}
	return f.names[filepath.Dir(event.Name)][filepath.Base(event.Name)]
}

// follow watches the folders that the files are found by now, and no others. It
// reports whether one is new.
func (f *watchedFolders) follow(events *fsnotify.Watcher, files []string) (added bool) {
	if events == nil {
		return false
	}
	wanted := map[string]map[string]bool{}
	for _, file := range files {
		for _, step := range stepsTo(file) {
			if wanted[step.folder] == nil {
				wanted[step.folder] = map[string]bool{}
			}
			wanted[step.folder][step.name] = true
		}
	}
	f.incomplete = false
	for folder, names := range f.names {
		if wanted[folder] == nil || names == nil {
			_ = events.Remove(folder) // it may be gone
			delete(f.names, folder)
		}
	}
	for folder, names := range wanted {
		switch {
		case f.names[folder] != nil:
			f.names[folder] = names
		case events.Add(folder) == nil:
			f.names[folder], added = names, true
		default:
			f.incomplete = true
		}
	}
	return added
}

// step is one name on the way to a file, whose change may make the path lead
// elsewhere.
type step struct{ folder, name string }

// mostLinks bounds the symbolic links on the way to a file.
const mostLinks = 40

// stepsTo returns the file's name in its folder, and each symbolic link on the way
// to it. The way ends at a name that is not there.
func stepsTo(path string) []step {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	var steps []step
	volume := filepath.VolumeName(path)
	folder := volume + string(filepath.Separator)
	rest := strings.TrimPrefix(path[len(volume):], string(filepath.Separator))
	for links := 0; rest != "" && links <= mostLinks; {
		name, after, isFolder := strings.Cut(rest, string(filepath.Separator))
		here := filepath.Join(folder, name)
		target, err := os.Readlink(here)
		if err != nil { // not a link, or not there
			_, missing := os.Lstat(here)
			if !isFolder || missing != nil {
				return append(steps, step{folder, name})
			}
			folder, rest = here, after
			continue
		}
		links++
		steps = append(steps, step{folder, name})
		if !filepath.IsAbs(target) {
			target = filepath.Join(folder, target)
		}
		target = filepath.Join(target, after)
		volume = filepath.VolumeName(target)
		folder = volume + string(filepath.Separator)
		rest = strings.TrimPrefix(target[len(volume):], string(filepath.Separator))
	}
	return steps
}
