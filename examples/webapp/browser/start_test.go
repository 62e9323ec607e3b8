package browser

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// patience bounds everything that a test waits for.
const patience = 2 * time.Minute

// backend is the program, started as anybody would.
type backend struct {
	url     string
	process *exec.Cmd
	ended   chan error
}

func startBackend(t *testing.T) *backend {
	t.Helper()
	folder, err := filepath.Abs("..")
	require.NoError(t, err)
	program := filepath.Join(t.TempDir(), "webapp")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir, build.Env = folder, append(os.Environ(), "GOWORK=off")
	output, err := build.CombinedOutput()
	require.NoError(t, err, "%s", output)

	b := &backend{process: exec.Command(program, "-listen", "127.0.0.1:0"), ended: make(chan error, 1)}
	b.process.Dir = folder
	b.process.Env = append(os.Environ(), "TRACKER_TOKEN="+canary)
	stdout, err := b.process.StdoutPipe()
	require.NoError(t, err)
	b.process.Stderr = t.Output()
	require.NoError(t, b.process.Start())
	first, err := bufio.NewReader(stdout).ReadString('\n')
	go func() { b.ended <- b.process.Wait() }()
	t.Cleanup(func() { b.stop(t) })
	require.NoError(t, err)
	b.url = strings.TrimSpace(strings.TrimPrefix(first, "serving on "))
	return b
}

// stop asks the program to end, which it must do well and in time.
func (b *backend) stop(t *testing.T) {
	if b.process == nil {
		return
	}
	_ = b.process.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-b.ended:
		require.NoError(t, err)
	case <-time.After(patience):
		_ = b.process.Process.Kill()
		t.Error("the backend did not end")
	}
	b.process = nil
}

// killServers ends the processes that the program has started, as a crash would.
func (b *backend) killServers(t *testing.T) {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", b.process.Process.Pid))
	require.NoError(t, err)
	killed := 0
	for _, list := range lists {
		children, err := os.ReadFile(list)
		require.NoError(t, err)
		for _, child := range strings.Fields(string(children)) {
			pid, err := strconv.Atoi(child)
			require.NoError(t, err)
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			killed++
		}
	}
	require.Positive(t, killed)
}

// newBrowser starts Chromium with one empty page. What a page complains of, a
// breach of its own security policy for example, fails the test.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.WindowSize(1280, 900), chromedp.WSURLReadTimeout(patience))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("about:blank")))
	heard := make(chan struct{})
	messages := chromedp.Console(ctx)
	go func() {
		defer close(heard)
		for message, err := range messages {
			if err != nil {
				return
			}
			if message.IsException() || message.Type == "error" && message.Source != "network" {
				t.Errorf("the page complains: %s", message)
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-heard
	})
	return ctx
}

// chromium returns the path of the browser.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("REQUIRE_ALL") != "" {
		t.Fatal("there is no Chromium, and REQUIRE_ALL is set")
	}
	t.Skip("LEFT OUT: there is no Chromium (CHROMIUM names one)")
	return ""
}

// look keeps pictures of the page as it is now: light, dark and on a phone, where
// nothing may stand outside its width.
func look(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	for _, eyes := range []struct {
		name, scheme  string
		width, height int64
		phone         bool
	}{
		{"light", "light", 1280, 900, false},
		{"dark", "dark", 1280, 900, false},
		{"phone", "light", 375, 812, true},
		{"phone-dark", "dark", 375, 812, true},
	} {
		see(ctx, t, eyes.scheme, eyes.width, eyes.height, eyes.phone)
		picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		require.NoError(t, err)
		is(ctx, t, `document.documentElement.scrollWidth <= innerWidth`)
		if folder := os.Getenv("SCREENSHOTS"); folder != "" {
			require.NoError(t, os.MkdirAll(folder, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(folder, name+"-"+eyes.name+".png"), picture, 0o644))
		}
	}
	see(ctx, t, "light", 1280, 900, false)
}

// see sets the colours that a person wants, and the size of the screen.
func see(ctx context.Context, t *testing.T, scheme string, width, height int64, phone bool) {
	t.Helper()
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: phone,
	})
	require.NoError(t, err)
}

// waitFor waits until an expression is true in the page.
func waitFor(ctx context.Context, t *testing.T, expression string) {
	t.Helper()
	_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(patience)))
	require.NoError(t, err, expression)
}

// is evaluates an expression that must be true.
func is(ctx context.Context, t *testing.T, expression string) {
	t.Helper()
	holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
	require.NoError(t, err, expression)
	require.True(t, holds, expression)
}

// do takes steps, each of which must work.
func do(ctx context.Context, t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(ctx, steps...))
}

// load takes steps that lead to a page, and waits for it.
func load(ctx context.Context, t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	answer, err := chromedp.RunResponse(ctx, steps...)
	require.NoError(t, err)
	require.EqualValues(t, 200, answer.Status)
}

// remember sets a variable of the page, which is gone when it is loaded again.
func remember(ctx context.Context, t *testing.T, name, expression string) {
	t.Helper()
	do(ctx, t, chromedp.Evaluate[chromedp.Void](`void (window.`+name+` = `+expression+`)`))
}
