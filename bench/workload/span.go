package workload

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mcp-client-go/mcpclient/bench/peer"
)

// Metrics are measurements by name. Unless a name says otherwise, times are in
// microseconds and "op" is one call, one list or one event.
type Metrics map[string]float64

// span measures what happens between its start and its stop.
type span struct {
	o       *options
	memory  runtime.MemStats
	usage   syscall.Rusage
	dialled float64
	profile *os.File
	started time.Time
}

func (o *options) start() (*span, error) {
	s := &span{o: o}
	var err error
	if s.dialled, err = o.connections(); err != nil {
		return nil, err
	}
	runtime.GC()
	if o.cpuProfile != "" {
		if s.profile, err = os.Create(o.cpuProfile); err != nil {
			return nil, err
		}
		if err := pprof.StartCPUProfile(s.profile); err != nil {
			return nil, err
		}
	}
	runtime.ReadMemStats(&s.memory)
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &s.usage); err != nil {
		return nil, err
	}
	s.started = time.Now()
	return s, nil
}

// stop puts what every workload has into m, for that many ops.
func (s *span) stop(m Metrics, ops int) (time.Duration, error) {
	elapsed := time.Since(s.started)
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, err
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if s.profile != nil {
		pprof.StopCPUProfile()
		if err := s.profile.Close(); err != nil {
			return 0, err
		}
	}
	dialled, err := s.o.connections()
	if err != nil {
		return 0, err
	}
	n := float64(ops)
	cpu := cpuSeconds(&usage) - cpuSeconds(&s.usage)
	m["ops"] = n
	m["ops_per_s"] = n / elapsed.Seconds()
	m["allocs_per_op"] = float64(memory.Mallocs-s.memory.Mallocs) / n
	m["bytes_per_op"] = float64(memory.TotalAlloc-s.memory.TotalAlloc) / n
	m["cpu_s_per_100k"] = cpu / n * 1e5
	m["gc_cycles"] = float64(memory.NumGC - s.memory.NumGC)
	if s.o.url != "" {
		m["dials_per_1k"] = (dialled - s.dialled - 1) / n * 1e3 // one was our own question
	}
	return elapsed, nil
}

func cpuSeconds(usage *syscall.Rusage) float64 {
	return seconds(usage.Utime) + seconds(usage.Stime)
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// connections asks the server how many connections it has accepted, on a new
// one. It is 0 for stdio.
func (o *options) connections() (float64, error) {
	if o.url == "" {
		return 0, nil
	}
	address, err := url.Parse(o.url)
	if err != nil {
		return 0, err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + address.Host + peer.PathConnections)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(string(text), 64)
}

// latencies puts the quantiles of nanoseconds into m.
func latencies(m Metrics, nanoseconds []int64) {
	slices.Sort(nanoseconds)
	quantile := func(q float64) float64 {
		return float64(nanoseconds[min(len(nanoseconds)-1, int(q*float64(len(nanoseconds))))]) / 1e3
	}
	m["p50_us"], m["p99_us"] = quantile(0.5), quantile(0.99)
}

// memoryStatus returns a field of /proc/self/status, in bytes. (The maximum of
// getrusage would include what the parent had before exec.)
func memoryStatus(field string) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes float64
		if _, err := fmt.Sscanf(line, field+" %f", &kilobytes); err == nil {
			return kilobytes * 1024
		}
	}
	return 0
}

// profileAllocations makes the profile fine enough to find single allocations.
func profileAllocations() { runtime.MemProfileRate = 512 }

func writeAllocations(file string) error {
	if file == "" {
		return nil
	}
	profile, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := pprof.Lookup("allocs").WriteTo(profile, 0); err != nil {
		return err
	}
	return profile.Close()
}
