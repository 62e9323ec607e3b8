package config

import (
	"fmt"
	"os"
	"path/filepath"
)

// UserFolder returns the folder for what a program keeps for its user between two
// runs: mcpclient within os.UserConfigDir, on Linux $XDG_CONFIG_HOME or else
// ~/.config. The folder is not made. The error says which variable is missing.
func UserFolder() (string, error) {
	parent, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for the user's own files: %w", err)
	}
	return filepath.Join(parent, "mcpclient"), nil
}
