package saving

import (
	"slices"
	"strings"
	"unicode"
)

// maxName bounds a file's name without its extension, in characters.
const maxName = 80

// Name makes a file's name of what a server proposes: the part behind the last
// slash, of letters, digits, dots, hyphens and underscores, not beginning with a
// dot, and with the extension of its type.
func Name(proposed, mimeType string) string {
	if at := strings.LastIndexAny(proposed, `/\`); at >= 0 {
		proposed = proposed[at+1:]
	}
	var b strings.Builder
	count := 0
	for _, r := range proposed {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '_' && r != '-' {
			r = '-'
		}
		if count++; count <= maxName {
			b.WriteRune(r)
		}
	}
	name := strings.Trim(b.String(), ".-")
	if name == "" {
		name = "content"
	}
	if isReserved(name) {
		name = "_" + name
	}
	extensions := extensionsOf(mimeType)
	for _, extension := range extensions {
		if len(name) > len(extension) && strings.EqualFold(name[len(name)-len(extension):], extension) {
			return name
		}
	}
	if len(extensions) == 0 {
		if strings.Contains(name, ".") {
			return name
		}
		return name + ".bin"
	}
	return name + extensions[0]
}

// extensionsOf returns the extensions that files of a type have, the usual one
// first; none for a type that is not known. The table is our own, because those
// of operating systems differ.
func extensionsOf(mimeType string) []string {
	kind, _, _ := strings.Cut(strings.ToLower(mimeType), ";")
	kind = strings.TrimSpace(kind)
	switch kind {
	case "image/png":
		return []string{".png"}
	case "image/jpeg", "image/jpg":
		return []string{".jpg", ".jpeg"}
	case "image/gif":
		return []string{".gif"}
	case "image/webp":
		return []string{".webp"}
	case "image/svg+xml":
		return []string{".svg"}
	case "image/bmp":
		return []string{".bmp"}
	case "image/tiff":
		return []string{".tiff", ".tif"}
	case "image/avif":
		return []string{".avif"}
	case "image/x-icon", "image/vnd.microsoft.icon":
		return []string{".ico"}
	case "audio/wav", "audio/x-wav", "audio/wave":
		return []string{".wav"}
	case "audio/mpeg", "audio/mp3":
		return []string{".mp3"}
	case "audio/ogg":
		return []string{".ogg", ".oga", ".opus"}
	case "audio/flac", "audio/x-flac":
		return []string{".flac"}
	case "audio/mp4", "audio/aac", "audio/x-m4a":
		return []string{".m4a", ".aac", ".mp4"}
	case "audio/webm", "video/webm":
		return []string{".webm"}
	case "video/mp4":
		return []string{".mp4"}
	case "application/pdf":
		return []string{".pdf"}
	case "application/zip":
		return []string{".zip"}
	case "application/gzip", "application/x-gzip":
		return []string{".gz", ".tgz"}
	case "application/json":
		return []string{".json"}
	case "application/xml", "text/xml":
		return []string{".xml"}
	case "application/yaml", "text/yaml", "application/x-yaml":
		return []string{".yaml", ".yml"}
	case "text/html":
		return []string{".html", ".htm"}
	case "text/markdown":
		return []string{".md", ".markdown"}
	case "text/csv":
		return []string{".csv"}
	case "text/css":
		return []string{".css"}
	case "text/javascript", "application/javascript":
		return []string{".js", ".mjs"}
	case "text/plain":
		return []string{".txt", ".text", ".log", ".md"}
	default:
		if strings.HasSuffix(kind, "+json") {
			return []string{".json"}
		}
		return nil
	}
}

// isReserved reports whether Windows takes the name for a device.
func isReserved(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	devices := []string{"CON", "PRN", "AUX", "NUL"}
	if slices.Contains(devices, stem) {
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT")) && stem[3] >= '0' && stem[3] <= '9'
}
