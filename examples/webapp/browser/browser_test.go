package browser

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// canary is a secret of the configuration, which no page may show.
const canary = "canary-52c1"

// signIn opens the backend's page as a user.
func signIn(ctx context.Context, t *testing.T, b *backend, user string) {
	t.Helper()
	do(ctx, t, chromedp.Navigate(b.url))
	load(ctx, t, chromedp.SendKeys(chromedp.CSS("#name"), user+kb.Enter))
}

// beginReport fills in the form, by keyboard.
func beginReport(ctx context.Context, t *testing.T, steps string) {
	t.Helper()
	load(ctx, t, chromedp.SetValue(chromedp.CSS("#steps"), ""), chromedp.SendKeys(chromedp.CSS("#steps"), steps+kb.Enter))
	is(ctx, t, `document.querySelector("#runs .running") !== null`)
}

// A user sees how far a report is while it is made: the page is not loaded again.
func TestProgressIsShownAsItComes(t *testing.T) {
	ctx := newBrowser(t)
	b := startBackend(t)
	do(ctx, t, chromedp.Navigate(b.url))
	look(ctx, t, "sign-in")
	signIn(ctx, t, b, "Ada Lovelace")
	beginReport(ctx, t, "2")
	waitFor(ctx, t, `document.querySelector("#runs .done") !== null`)
	beginReport(ctx, t, "20")
	remember(ctx, t, "loadedOnce", "true")
	waitFor(ctx, t, `document.querySelector("#runs .running progress").value >= 0.1`)
	is(ctx, t, `document.querySelector("#runs .running progress").value < 1`)
	look(ctx, t, "app")
	waitFor(ctx, t, `document.querySelector("#runs li").className === "done"`)
	is(ctx, t, `document.querySelector("#runs progress").value === 1 && window.loadedOnce`)
	is(ctx, t, `document.querySelector("#runs .message").textContent.startsWith("took ")`)
}

// A server that dies takes the report with it, which the user is told; the next
// one is made by its replacement.
func TestAServerDies(t *testing.T) {
	ctx := newBrowser(t)
	b := startBackend(t)
	signIn(ctx, t, b, "Barbara Liskov")
	beginReport(ctx, t, "40")
	waitFor(ctx, t, `document.querySelector("#runs .running progress").value > 0`)
	b.killServers(t)
	waitFor(ctx, t, `document.querySelector("#runs .failed") !== null`)
	beginReport(ctx, t, "2")
	waitFor(ctx, t, `document.querySelector("#runs .done") !== null`)
	look(ctx, t, "app-failed")

	do(ctx, t, chromedp.Navigate(b.url+"/debug/mcp"))
	waitFor(ctx, t, `document.getElementById("live").textContent === "Live"`)
	is(ctx, t, `document.querySelector("#servers [data-label=Restarts]").textContent === "1"`)
	is(ctx, t, `document.getElementById("failing").textContent.includes("slow")`)
	look(ctx, t, "operators-failed")
}

// Operators see what happens as it happens, can stop the page to read it, and need
// no mouse.
func TestTheOperatorsPage(t *testing.T) {
	ctx := newBrowser(t)
	b := startBackend(t)
	signIn(ctx, t, b, "Grace")
	load(ctx, t, chromedp.Click(chromedp.CSS(`form[action="/sum"] button`)))
	is(ctx, t, `document.querySelector("output").textContent === "42"`)
	beginReport(ctx, t, "100")

	do(ctx, t, chromedp.Navigate(b.url+"/debug/mcp"))
	remember(ctx, t, "loadedOnce", "true")
	waitFor(ctx, t, `document.getElementById("live").textContent === "Live"`)
	is(ctx, t, `document.querySelector("#servers .badge").textContent === "ready"`)
	is(ctx, t, `document.getElementById("in-flight").textContent.includes("Grace")`)
	is(ctx, t, `!document.documentElement.outerHTML.includes("`+canary+`")`)
	is(ctx, t, `[...document.querySelectorAll("table")].every((table) => table.querySelector("th[scope=col]"))`)
	is(ctx, t, `["header", "main", "footer", "h1"].every((name) => document.querySelectorAll(name).length === 1)`)

	// The time that the call runs grows without the page being loaded again.
	const runsFor = `document.querySelector("#in-flight .number").textContent`
	remember(ctx, t, "before", runsFor)
	waitFor(ctx, t, runsFor+` !== window.before`)
	is(ctx, t, `window.loadedOnce`)

	// Its first stop is the link past the header, and a server's link opens its
	// settings, which stay open.
	do(ctx, t, chromedp.KeyEvent(kb.Tab))
	is(ctx, t, `document.activeElement.className === "skip" && document.activeElement.getBoundingClientRect().left >= 0`)
	do(ctx, t, chromedp.Focus(chromedp.CSS("#to-1")), chromedp.KeyEvent(kb.Enter))
	waitFor(ctx, t, `document.getElementById("server-1").open`)
	is(ctx, t, `document.getElementById("server-1").textContent.includes("***")`)
	look(ctx, t, "operators")
	is(ctx, t, `document.getElementById("server-1").open`)

	do(ctx, t, chromedp.Focus(chromedp.CSS("#pause")), chromedp.KeyEvent(" "))
	is(ctx, t, `document.getElementById("live").textContent === "Paused"`)
	remember(ctx, t, "before", runsFor)
	do(ctx, t, chromedp.Sleep(2500*time.Millisecond)) // two updates of the page
	is(ctx, t, runsFor+` === window.before`)
	do(ctx, t, chromedp.KeyEvent(" "))
	waitFor(ctx, t, runsFor+` !== window.before`)

	// The backend ends although the page looks on, and the page says so.
	b.stop(t)
	waitFor(ctx, t, `document.getElementById("live").textContent.startsWith("Not connected")`)
}
