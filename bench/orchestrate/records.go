package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/mcp-client-go/mcpclient/bench/workload"
)

// record is one measurement.
type record struct {
	Cell    string           `json:"cell"`
	Client  string           `json:"client"`
	Round   int              `json:"round"`
	Try     int              `json:"try"`
	Noisy   bool             `json:"noisy"`
	Foreign float64          `json:"foreign"` // share of the machine that others took
	Error   string           `json:"error,omitempty"`
	Metrics workload.Metrics `json:"metrics"`
}

// recorder keeps records and writes them to a file, a line each.
type recorder struct {
	records []record
	file    *os.File
}

func newRecorder(folder, name string) (*recorder, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return nil, err
	}
	return &recorder{file: file}, nil
}

func (r *recorder) add(rec record) error {
	r.records = append(r.records, rec)
	return json.NewEncoder(r.file).Encode(rec)
}
