// Package chart draws figures of small line charts with logarithmic axes, as SVG.
//
// It is our own because a figure has to be readable on a light and on a dark page:
// colours are classes of a style sheet that follows prefers-color-scheme, with a
// background of its own in both, which the plotting libraries for Go, whose
// colours are attributes, cannot do. What is left of a plotting library then is
// two axes and some lines.
package chart

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Figure is a picture of one or more panels, two in a row, with one legend.
type Figure struct {
	Title  string
	Note   string // a line below the title
	Legend []Line // only Name, Hue and Dashed are used
	Panels []Panel
}

// Panel is one chart.
type Panel struct {
	Title string
	X, Y  Axis
	Lines []Line
	Guide Guide
}

// Guide is a thin line that shows how something would grow from a point on, as a
// power of X. The zero value draws none.
type Guide struct {
	From     Point
	Exponent float64
}

// Axis is a logarithmic axis.
type Axis struct {
	Label string
	// Base is the factor between two ticks: 10, or 16 for sizes. 0 is 10.
	Base float64
	// Format writes a tick; nil is Count.
	Format func(float64) string
}

// Line is a series of points, all of them positive, joined in the order of X.
type Line struct {
	Name   string
	Hue    int // 0 to Hues-1
	Dashed bool
	Points []Point
}

// Point is one point of a line.
type Point struct{ X, Y float64 }

// Sizes, in pixels.
const (
	panelWidth  = 484
	panelHeight = 300
	left        = 80 // of the plotted area in its panel
	right       = 18
	top         = 40
	bottom      = 50
	headHeight  = 92 // with one row of the legend
	margin      = 14
	legendRow   = 22
	legendWidth = 190
	columns     = 2
)

// WriteTo writes the figure as an SVG document.
func (f *Figure) WriteTo(w io.Writer) (int64, error) {
	var d drawing
	rows := (len(f.Panels) + columns - 1) / columns
	head := headHeight + legendRow*(f.legendRows()-1)
	width, height := 2*margin+columns*panelWidth, head+rows*panelHeight+margin
	d.begin(f, width, height)
	f.legend(&d)
	for i := range f.Panels {
		d.open(float64(margin+i%columns*panelWidth), float64(head+i/columns*panelHeight))
		f.Panels[i].draw(&d, i)
		d.close()
	}
	d.end()
	n, err := io.WriteString(w, d.text.String())
	return int64(n), err
}

// legend has the solid lines in one row and the dashed ones in the next.
func (f *Figure) legend(d *drawing) {
	next := map[bool]int{}
	for _, line := range f.Legend {
		x, y := float64(margin+12+legendWidth*next[line.Dashed]), 80.0
		next[line.Dashed]++
		if line.Dashed {
			y += legendRow * float64(f.legendRows()-1)
		}
		d.line(line.class(), x, y, x+30, y)
		if !line.Dashed {
			d.dot(line.Hue, x+15, y, "")
		}
		d.label("legend", "start", x+38, y+4, line.Name)
	}
}

func (f *Figure) legendRows() int {
	dashed := 0
	for _, line := range f.Legend {
		if line.Dashed {
			dashed++
		}
	}
	if dashed == 0 || dashed == len(f.Legend) {
		return 1
	}
	return 2
}

func (l *Line) class() string {
	if l.Dashed {
		return fmt.Sprintf("line dashed hue%d", l.Hue)
	}
	return fmt.Sprintf("line hue%d", l.Hue)
}

func (p *Panel) draw(d *drawing, number int) {
	d.label("panel", "start", left, 22, p.Title)
	var xs, ys []float64
	for _, line := range p.Lines {
		for _, point := range line.Points {
			xs, ys = append(xs, point.X), append(ys, point.Y)
		}
	}
	if len(xs) == 0 {
		d.label("tick", "middle", panelWidth/2, panelHeight/2, "not measured")
		return
	}
	x := newScale(p.X, xs, left, panelWidth-right, false)
	y := newScale(p.Y, ys, panelHeight-bottom, top, true)
	p.axes(d, &x, &y)
	clip := fmt.Sprintf("area%d", number)
	d.clip(clip, left, top, panelWidth-left-right, panelHeight-top-bottom)
	p.guide(d, clip, &x, &y)
	for _, line := range p.Lines {
		points := slices.SortedFunc(slices.Values(line.Points), func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		var path strings.Builder
		for i, point := range points {
			fmt.Fprintf(&path, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], x.at(point.X), y.at(point.Y))
		}
		d.path(line.class(), path.String(), clip)
		if line.Dashed {
			continue
		}
		for _, point := range points {
			d.dot(line.Hue, x.at(point.X), y.at(point.Y), fmt.Sprintf("%s: %s, %s", line.Name, x.format(point.X), y.format(point.Y)))
		}
	}
}

func (p *Panel) axes(d *drawing, x, y *scale) {
	for _, tick := range x.ticks() {
		d.line("grid", x.at(tick), top, x.at(tick), panelHeight-bottom)
		d.label("tick", "middle", x.at(tick), panelHeight-bottom+17, x.format(tick))
	}
	for _, tick := range y.ticks() {
		d.line("grid", left, y.at(tick), panelWidth-right, y.at(tick))
		d.label("tick", "end", left-8, y.at(tick)+4, y.format(tick))
	}
	d.line("axis", left, panelHeight-bottom, panelWidth-right, panelHeight-bottom)
	d.line("axis", left, top, left, panelHeight-bottom)
	d.label("axis-label", "middle", (left+panelWidth-right)/2, panelHeight-bottom+36, p.X.Label)
	d.upright("axis-label", 14, (top+panelHeight-bottom)/2, p.Y.Label)
}

func (p *Panel) guide(d *drawing, clip string, x, y *scale) {
	first := p.Guide.From
	if first.X <= 0 || first.Y <= 0 {
		return
	}
	last := first.Y * math.Pow(x.greatest/first.X, p.Guide.Exponent)
	d.path("guide", fmt.Sprintf("M%.1f %.1fL%.1f %.1f", x.at(first.X), y.at(first.Y), x.at(x.greatest), y.at(last)), clip)
}
