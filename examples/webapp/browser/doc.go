// Package browser looks at the example backend as a person does: its tests build
// the program, start it with the demo server, and use its pages in headless
// Chromium. It is a module of its own, for what drives the browser is of no use to
// others.
//
// SCREENSHOTS=DIR keeps pictures of what was seen. A machine without Chromium skips
// the tests; with REQUIRE_ALL they fail.
package browser
