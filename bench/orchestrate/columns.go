package main

// kind decides which metrics of a cell are shown.
type kind int

const (
	kindSequential kind = iota
	kindConcurrent
	kindBlob
	kindList
	kindProgress
	kindIdle
	kindCold
	kindBinary
	kindGrowth // shown as plots
)

// column is one metric as it is shown.
type column struct {
	metric   string
	head     string
	decimals int
	headline bool // shown in the table of ratios as well
}

func (k kind) columns() []column {
	switch k {
	case kindSequential:
		return []column{
			{"p50_us", "p50 µs", 1, true}, {"p99_us", "p99 µs", 0, false}, {"cpu_s_per_100k", "CPU s/100k", 2, true},
			{"allocs_per_op", "allocations", 1, true}, {"bytes_per_op", "bytes", 0, true},
			{"goroutines", "goroutines", 0, false}, {"dials_per_1k", "dials/1,000", 1, false},
		}
	case kindConcurrent:
		return []column{
			{"ops_per_s", "calls/s", 0, true}, {"p50_us", "p50 µs", 0, false}, {"p99_us", "p99 µs", 0, false},
			{"cpu_s_per_100k", "CPU s/100k", 2, true}, {"allocs_per_op", "allocations", 1, true}, {"bytes_per_op", "bytes", 0, true},
			{"goroutines", "goroutines", 0, false}, {"dials_per_1k", "dials/1,000", 1, false},
		}
	case kindBlob:
		return []column{
			{"mb_per_s", "MB/s", 0, true}, {"bytes_per_payload_byte", "bytes/payload byte", 2, true},
			{"allocs_per_op", "allocations", 0, false}, {"peak_rss_mib", "peak RSS MiB", 0, false},
		}
	case kindList:
		return []column{
			{"p50_us", "p50 µs", 0, true}, {"allocs_per_op", "allocations", 0, true}, {"bytes_per_op", "bytes", 0, true},
			{"cpu_s_per_100k", "CPU s/100k", 0, false}, {"peak_rss_mib", "peak RSS MiB", 0, false},
		}
	case kindProgress:
		return []column{
			{"events_per_s", "events/s", 0, true}, {"allocs_per_op", "allocations/event", 2, true}, {"bytes_per_op", "bytes/event", 0, false},
			{"late_events", "late", 0, false}, {"lost_events", "lost", 0, false}, {"disordered_events", "disordered", 0, false},
		}
	case kindIdle:
		return []column{
			{"heap_bytes_per_client", "heap B", 0, true}, {"stack_bytes_per_client", "stack B", 0, false}, {"rss_bytes_per_client", "RSS B", 0, false},
			{"goroutines_per_client", "goroutines", 2, true}, {"files_per_client", "files", 2, false},
			{"goroutines_per_client_after_close", "goroutines after close", 2, false},
		}
	case kindCold:
		return []column{{"first_result_ms", "first result ms", 1, true}, {"cpu_ms", "CPU ms", 1, false}}
	case kindGrowth:
		return nil
	default:
		return []column{{"binary_mb", "MB", 1, true}, {"stripped_mb", "MB stripped", 1, false}}
	}
}
