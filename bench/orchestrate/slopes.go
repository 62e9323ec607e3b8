package main

import (
	"math"

	"github.com/mcp-client-go/mcpclient/bench/chart"
)

// A slope is an exponent: by which power of x a metric grows within a region. On
// logarithmic axes it is what the eye sees: the decades of y per decade of x.

// Room for noise in an exponent: 0.05 is 12% over a decade, 0.2 is 58%. What
// depends on the machine's load is fitted to three or four points in a region.
const (
	roomExact = 0.05
	roomTimed = 0.2
	// bendFrom is the change of the slope, from one region to the next, from which
	// a line has a bend that needs a reason.
	bendFrom = 0.35
)

// region is a part of a line with its slope.
type region struct {
	from, to int
	slope    float64
	worse    bool // than linear
	bend     bool // to the region before, or because it is worse
}

// slope fits a power of x to the points from one x to another, both included, by
// least squares of the logarithms. It needs two points.
func slope(points []chart.Point, from, to int) (float64, bool) {
	var n, sumX, sumY, sumXX, sumXY float64
	for _, point := range points {
		if point.X < float64(from) || point.X > float64(to) {
			continue
		}
		x, y := math.Log(point.X), math.Log(point.Y)
		n, sumX, sumY, sumXX, sumXY = n+1, sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	if n < 2 {
		return 0, false
	}
	return (n*sumXY - sumX*sumY) / (n*sumXX - sumX*sumX), true
}

// slopes gives a line's slope in each region that was measured.
func (c *curve) slopes(points []chart.Point, bounds []int) []region {
	var regions []region
	for i := 1; i < len(bounds); i++ {
		fitted, found := slope(points, bounds[i-1], bounds[i])
		if !found {
			continue
		}
		next := region{from: bounds[i-1], to: bounds[i], slope: fitted, worse: c.worse(fitted)}
		next.bend = next.worse
		if len(regions) > 0 && math.Abs(fitted-regions[len(regions)-1].slope) > bendFrom {
			next.bend = true
		}
		regions = append(regions, next)
	}
	return regions
}

// worse reports whether a slope is worse than linear growth, beyond what noise
// can do.
func (c *curve) worse(slope float64) bool {
	room := roomTimed
	if c.exact {
		room = roomExact
	}
	if c.rate {
		return slope < c.linear-room
	}
	return slope > c.linear+room
}
