package chart

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// Hues is how many colours lines can have.
const Hues = 3

// style has every colour twice: for light pages and for dark ones.
const style = `
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:#1f2328}
.page{fill:#ffffff}
.title{font-size:19px;font-weight:600}
.note{font-size:13px}
.legend{font-size:13px}
.panel{font-size:14px;font-weight:600}
.tick,.axis-label{font-size:11.5px}
.note,.tick,.axis-label{fill:#59636e}
.grid{stroke:#e6eaef;stroke-width:1}
.axis{stroke:#8c959f;stroke-width:1}
.guide{fill:none;stroke:#8c959f;stroke-width:1;stroke-dasharray:1 4;stroke-linecap:round}
.line{fill:none;stroke-width:2.25;stroke-linejoin:round}
.dashed{stroke-width:1.5;stroke-dasharray:6 4;opacity:.75}
.hue0{stroke:#0969da}.hue1{stroke:#bc4c00}.hue2{stroke:#1a7f37}
.dot{stroke-width:1.25}
.dot0{fill:#0969da}.dot1{fill:#bc4c00}.dot2{fill:#1a7f37}
.dot{stroke:#ffffff}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
.page{fill:#0d1117}
.note,.tick,.axis-label{fill:#9198a1}
.grid{stroke:#21262d}
.axis,.guide{stroke:#6e7681}
.hue0{stroke:#58a6ff}.hue1{stroke:#f0883e}.hue2{stroke:#3fb950}
.dot0{fill:#58a6ff}.dot1{fill:#f0883e}.dot2{fill:#3fb950}
.dot{stroke:#0d1117}
}
`

// drawing collects the elements of an SVG document.
type drawing struct{ text strings.Builder }

func (d *drawing) begin(f *Figure, width, height int) {
	fmt.Fprintf(&d.text, `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%d" height="%d" viewBox="0 0 %d %d">`+"\n", width, height, width, height)
	fmt.Fprintf(&d.text, "<title>%s</title>\n<desc>%s</desc>\n<style>%s</style>\n", escaped(f.Title), escaped(f.Note), style)
	fmt.Fprintf(&d.text, `<rect class="page" width="%d" height="%d" rx="8"/>`+"\n", width, height)
	d.label("title", "start", margin+12, 34, f.Title)
	d.label("note", "start", margin+12, 56, f.Note)
}

func (d *drawing) end() { d.text.WriteString("</svg>\n") }

func (d *drawing) open(x, y float64) {
	fmt.Fprintf(&d.text, `<g transform="translate(%.0f %.0f)">`+"\n", x, y)
}

func (d *drawing) close() { d.text.WriteString("</g>\n") }

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&d.text, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", class, x1, y1, x2, y2)
}

func (d *drawing) path(class, path, clip string) {
	fmt.Fprintf(&d.text, `<path class="%s" d="%s" clip-path="url(#%s)"/>`+"\n", class, path, clip)
}

func (d *drawing) clip(name string, x, y, width, height float64) {
	fmt.Fprintf(&d.text, `<clipPath id="%s"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/></clipPath>`+"\n", name, x, y, width, height)
}

// dot draws a point; what it is shows when a pointer is on it.
func (d *drawing) dot(hue int, x, y float64, what string) {
	fmt.Fprintf(&d.text, `<circle class="dot dot%d" cx="%.1f" cy="%.1f" r="3.5">`, hue, x, y)
	if what != "" {
		fmt.Fprintf(&d.text, "<title>%s</title>", escaped(what))
	}
	d.text.WriteString("</circle>\n")
}

func (d *drawing) label(class, anchor string, x, y float64, text string) {
	fmt.Fprintf(&d.text, `<text class="%s" text-anchor="%s" x="%.1f" y="%.1f">%s</text>`+"\n", class, anchor, x, y, escaped(text))
}

// upright writes text from bottom to top, its middle at x and y.
func (d *drawing) upright(class string, x, y float64, text string) {
	fmt.Fprintf(&d.text, `<text class="%s" text-anchor="middle" transform="translate(%.1f %.1f) rotate(-90)">%s</text>`+"\n", class, x, y, escaped(text))
}

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a Builder cannot fail
	return out.String()
}
