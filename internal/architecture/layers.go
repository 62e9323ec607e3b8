package architecture

import "strings"

// The layers, from left to right. A package imports only layers to its left, or
// packages of its own layer.
const (
	layerErrors = iota
	layerScanner
	layerVocabulary
	layerInternal
	layerConfig
	layerTransport
	layerFactory
	layerRoot
	layerOutside
)

// layerOf returns the layer of a folder of the module, and its name.
func layerOf(folder string) (int, string) {
	first, _, _ := strings.Cut(folder, "/")
	switch {
	case folder == "errors":
		return layerErrors, "errors"
	case folder == "internal/jsonscan":
		return layerScanner, "internal/jsonscan"
	case folder == "mcp":
		return layerVocabulary, "mcp"
	case first == "internal":
		return layerInternal, "internal"
	case folder == "config":
		return layerConfig, "config"
	case first == "transporters":
		return layerTransport, "transporters"
	case first == "auth":
		return layerTransport, "auth"
	case folder == "factory":
		return layerFactory, "factory"
	case folder == ".":
		return layerRoot, "root"
	default:
		return layerOutside, "outside"
	}
}

func (f *file) checkLayers() {
	layer, name := layerOf(f.folder)
	for _, spec := range f.syntax.Imports {
		folder, ours := f.folderOf(pathOf(spec))
		if !ours {
			continue
		}
		importedLayer, importedName := layerOf(folder)
		switch {
		case importedLayer > layer:
			f.report(spec.Pos(), "layer %s must not import %s, which is of layer %s", name, folder, importedName)
		case importedLayer == layer && name != importedName:
			f.report(spec.Pos(), "%s and %s must not import each other", name, importedName)
		}
	}
}

// folderOf returns the folder of an import path within the module.
func (f *file) folderOf(importPath string) (string, bool) {
	if importPath == f.module {
		return ".", true
	}
	return strings.CutPrefix(importPath, f.module+"/")
}
