// Command orchestrate measures every cell of a plan, with the clients taking
// turns: each measurement is a fresh process of a client against a server in a
// process of its own. It prints a table and leaves in -results what the page is
// written from by -render.
//
// A measurement during which other processes took more than -foreign of the
// machine is repeated, as long as the -budget lasts, and left out where its round
// has a quiet one.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"
)

type settings struct {
	full      bool
	profiles  bool
	unreached bool
	rendering bool
	rounds    int
	partial   bool // only some cells or clients
	list      bool
	only      *regexp.Regexp
	clients   *regexp.Regexp

	duration time.Duration
	budget   time.Duration
	patience time.Duration
	foreign  float64

	binaries string
	results  string
	page     string
	command  string
}

func parseSettings() (settings, error) {
	var s settings
	var only, clients string
	flag.BoolVar(&s.full, "full", false, "measure everything")
	flag.BoolVar(&s.profiles, "profile", false, "take profiles instead of measurements")
	flag.BoolVar(&s.unreached, "profile-unreached", false, "take profiles of the goals that the last run did not reach")
	flag.BoolVar(&s.rendering, "render", false, "write the -page of the last run")
	flag.IntVar(&s.rounds, "rounds", 0, "of every cell; 0 is what the plan has")
	flag.BoolVar(&s.list, "list", false, "list the cells")
	flag.StringVar(&only, "only", "", "measure only cells whose name matches this `regexp`; leaves nothing for a page")
	flag.StringVar(&clients, "clients", "", "measure only clients whose name matches this `regexp`; leaves nothing for a page")
	flag.DurationVar(&s.duration, "duration", 300*time.Millisecond, "of one measurement")
	flag.DurationVar(&s.budget, "budget", 4*time.Minute, "after which noisy measurements are no longer repeated")
	flag.DurationVar(&s.patience, "patience", 2*time.Second, "longest wait for a quiet machine before a measurement")
	flag.Float64Var(&s.foreign, "foreign", 0.08, "share of the machine from which a measurement counts as noisy")
	flag.StringVar(&s.binaries, "binaries", "bin", "`folder` of the built workers")
	flag.StringVar(&s.results, "results", "results", "`folder` for raw records and profiles")
	flag.StringVar(&s.page, "page", "", "`file` for the page of results")
	flag.StringVar(&s.command, "command", "orchestrate", "what the page says that it was written by")
	flag.Parse()
	var err error
	if s.binaries, err = filepath.Abs(s.binaries); err != nil {
		return s, err
	}
	if s.only, err = regexp.Compile(only); err != nil {
		return s, err
	}
	if s.clients, err = regexp.Compile(clients); err != nil {
		return s, err
	}
	s.partial = only != "" || clients != ""
	return s, nil
}

func (s *settings) selected(clients []string) []string {
	return slices.DeleteFunc(slices.Clone(clients), func(client string) bool { return !s.clients.MatchString(client) })
}

func main() {
	log.SetFlags(log.Ltime)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		stop()
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	settings, err := parseSettings()
	if err != nil {
		return err
	}
	s := &suite{settings: settings, plan: planOf(settings.full), started: time.Now()}
	if s.rendering {
		return s.render()
	}
	cells := s.allCells()
	if s.list {
		for _, c := range cells {
			fmt.Println(c.name, c.clients)
		}
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	if err := s.startServer(ctx); err != nil {
		cancel()
		return err
	}
	defer func() {
		cancel()
		_ = s.server.Wait()
	}()
	switch {
	case s.unreached:
		return s.profileUnreached(ctx)
	case s.profiles:
		return s.profile(ctx, cells)
	}
	return s.measureAll(ctx, cells)
}

// allCells returns the selected cells of the plan.
func (s *suite) allCells() []cell {
	cells := s.plan.cells()
	if s.full && !s.profiles {
		cells = append(append(cells, s.coldCells()...), s.binaryCell())
	}
	if s.profiles && s.only.String() == "" {
		// A plot has a hundred points; those that are wanted are asked for.
		cells = slices.DeleteFunc(cells, func(c cell) bool { return c.kind == kindGrowth })
	}
	if s.rounds > 0 {
		for i := range cells {
			cells[i].rounds = s.rounds
		}
	}
	return slices.DeleteFunc(cells, func(c cell) bool { return !s.only.MatchString(c.name) })
}

func (s *suite) measureAll(ctx context.Context, cells []cell) error {
	name := recordsName
	if s.partial {
		name = partialName
	}
	var err error
	if s.recorder, err = newRecorder(s.results, name); err != nil {
		return err
	}
	for _, c := range cells {
		switch c.kind {
		case kindCold:
			err = s.runCold(ctx, &c)
		case kindBinary:
			err = s.weigh(&c)
		default:
			err = s.run(ctx, &c)
		}
		if err != nil {
			return err
		}
	}
	if err := s.recorder.file.Close(); err != nil {
		return err
	}
	return s.finish(ctx)
}

// finish says what was found, and leaves what a page is written from if
// everything was measured.
func (s *suite) finish(ctx context.Context) error {
	run, err := s.describe(ctx)
	if err != nil {
		return err
	}
	r, err := s.newReport(run, s.recorder.records)
	if err != nil {
		return err
	}
	if err := r.table(os.Stdout); err != nil {
		return err
	}
	noisy, all := r.results.disturbed()
	fmt.Printf("%d measurements in %v, %d of them disturbed by other processes\n", all, r.duration.Round(time.Second), noisy)
	if s.partial {
		return nil
	}
	return s.writeRun(run)
}
