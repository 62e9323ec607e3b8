package floor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// readStream reads the events of body up to the answer.
func readStream(body io.Reader, into answer, report func(float64)) error {
	lines := bufio.NewReader(body)
	var data []byte
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		switch value, isData := bytes.CutPrefix(line, []byte("data:")); {
		case isData && data == nil:
			data = bytes.TrimPrefix(value, []byte(" "))
		case isData:
			data = append(append(data, '\n'), bytes.TrimPrefix(value, []byte(" "))...)
		case len(line) == 0 && data != nil:
			into.reset()
			if err := json.Unmarshal(data, into); err != nil {
				return err
			}
			data = nil
			method, params := into.notification()
			if method == "" {
				return nil
			}
			if method == "notifications/progress" && report != nil {
				report(params.Progress)
			}
		}
	}
}
