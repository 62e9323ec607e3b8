package terminal

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// enableEscapes makes a console understand escape sequences, and reports whether
// it does. What is no console is left as it is.
func enableEscapes(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return true
	}
	var mode uint32
	console := windows.Handle(file.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return true
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
