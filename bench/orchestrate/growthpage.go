package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// growthSections writes a section for each plot that was measured.
func (r *report) growthSections(page *strings.Builder) {
	first := true
	for _, g := range growths() {
		if !r.grew(&g) {
			continue
		}
		if first {
			first = false
			fmt.Fprintf(page, "\n## Growth\n\nThe slope of a line is the power of x by which it grows, fitted by least squares of the logarithms in each region. Linear is 1 of a\n"+
				"total, and 0 of what one unit costs and of a rate; *linear or better* leaves %.2f for noise, %.2f where counts do not depend on the\n"+
				"machine. A line has a bend where its slope changes by more than %.2f from one region to the next, or where it is worse than linear.\n",
				roomTimed, roomExact, bendFrom)
		}
		r.growthSection(page, &g)
	}
}

func (r *report) grew(g *growth) bool {
	for _, line := range g.lines {
		if len(r.series(g, &g.curves[0], line.name, product)) > 1 {
			return true
		}
	}
	return false
}

func (r *report) growthSection(page *strings.Builder, g *growth) {
	fmt.Fprintf(page, "\n### %s\n\n%s\n\n![%s](performance/%s.svg)\n\n| measure | over | linear |", g.title, g.about, g.title, g.key)
	for i := 1; i < len(g.regions); i++ {
		fmt.Fprintf(page, " %s |", g.span(region{from: g.regions[i-1], to: g.regions[i]}))
	}
	page.WriteString(" verdict |\n|---|---|---|" + strings.Repeat("---|", len(g.regions)) + "\n")
	for _, c := range g.curves {
		for _, line := range g.lines {
			r.slopeRow(page, g, &c, line.name)
		}
	}
	r.bends(page, g)
	r.growthFailures(page, g)
}

func (r *report) slopeRow(page *strings.Builder, g *growth, c *curve, line string) {
	sign := "≤"
	if c.rate {
		sign = "≥"
	}
	fmt.Fprintf(page, "| %s | %s | %s %.0f |", c.title, line, sign, c.linear)
	regions := c.slopes(r.series(g, c, line, product), g.regions)
	for _, from := range g.regions[:len(g.regions)-1] {
		text := "–"
		if at := slices.IndexFunc(regions, func(r region) bool { return r.from == from }); at >= 0 {
			text = regions[at].text()
		}
		fmt.Fprintf(page, " %s |", text)
	}
	fmt.Fprintf(page, " %s |\n", g.verdict(regions))
}

// text is the slope, without the sign of a zero.
func (r region) text() string {
	text := strings.Replace(fmt.Sprintf("%.2f", r.slope), "-", "−", 1)
	if text == "−0.00" {
		text = "0.00"
	}
	if r.worse {
		return "**" + text + "**"
	}
	return text
}

// verdict says of a line whether it is linear or better.
func (g *growth) verdict(regions []region) string {
	if len(regions) == 0 {
		return "not measured"
	}
	var worse []string
	for _, region := range regions {
		if region.worse {
			worse = append(worse, g.span(region))
		}
	}
	if len(worse) == 0 {
		return "linear or better"
	}
	return "**worse** from " + strings.Join(worse, ", from ")
}

// span names a region.
func (g *growth) span(r region) string {
	return g.tick(r.from) + " to " + g.tick(r.to)
}

func (g *growth) tick(x int) string {
	if g.x.Format == nil {
		return format(float64(x), 0)
	}
	return g.x.Format(float64(x))
}

// bends lists the bends with their reasons, those of one reason together.
func (r *report) bends(page *strings.Builder, g *growth) {
	var where grouped
	for _, c := range g.curves {
		for _, line := range g.lines {
			spans := r.explained(g, &c, line.name)
			for _, reason := range spans.keys {
				where.add(reason, fmt.Sprintf("%s, %s: %s", c.title, line.name, strings.Join(spans.text[reason], ", ")))
			}
		}
	}
	if len(where.keys) == 0 {
		return
	}
	page.WriteString("\nIts bends:\n\n")
	for _, reason := range where.keys {
		fmt.Fprintf(page, "- %s (%s.)\n", strings.TrimSpace(reason), strings.Join(where.text[reason], "; "))
	}
}

// explained gives the bends of a line by their reasons.
func (r *report) explained(g *growth, c *curve, line string) grouped {
	var spans grouped
	for _, region := range c.slopes(r.series(g, c, line, product), g.regions) {
		if region.bend {
			spans.add(r.reasons.bend(g.key, c.metric, line, region), g.span(region))
		}
	}
	return spans
}

// growthFailures says what could not be measured.
func (r *report) growthFailures(page *strings.Builder, g *growth) {
	for _, line := range g.lines {
		for _, client := range g.clients {
			for _, x := range g.points {
				if failed, all, reason := r.results.failures(g.cellName(line.name, x), client); failed > 0 {
					fmt.Fprintf(page, "\n%s, %s at %s: failed in %d of %d: %s\n", shownName(client), line.name, g.tick(x), failed, all, reason)
				}
			}
		}
	}
}

// pictures writes the plots that were measured into a folder that is there.
func (r *report) pictures(folder string) error {
	for _, g := range growths() {
		if !r.grew(&g) {
			continue
		}
		if err := r.picture(&g, filepath.Join(folder, g.key+".svg")); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) picture(g *growth, name string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if _, err := r.figure(g).WriteTo(file); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
