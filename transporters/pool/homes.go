package pool

import (
	"sync"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// maxHomes bounds how many tasks the pool remembers the instance of.
const maxHomes = 10_000

// homes knows which instance has which task: nobody else can tell of it. The
// oldest are forgotten first.
type homes struct {
	mu    sync.Mutex
	of    map[string]*instance
	order []string
}

// learn notes the task that a tool call was answered with, if it was.
func (h *homes) learn(action string, result mcp.Result, home *instance) {
	if action != mcp.MethodCallTool || result.Type() != mcp.ResultTask {
		return
	}
	task, err := mcp.ParseTask(result)
	if err != nil {
		return // whoever wants the task finds that out
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil {
		h.of = map[string]*instance{}
	}
	if h.of[task.ID] == nil {
		h.order = append(h.order, task.ID)
	}
	h.of[task.ID] = home
	if len(h.order) > maxHomes {
		delete(h.of, h.order[0])
		h.order = h.order[1:]
	}
}

// find returns the instance that a request about a task must go to, nil if that
// is not known or the request is about something else.
func (h *homes) find(action string, params any) *instance {
	switch action {
	case mcp.MethodGetTask, mcp.MethodUpdateTask, mcp.MethodCancelTask, mcp.MethodTaskResult:
	default:
		return nil
	}
	encoded, err := mcp.ParamsOf(params)
	if err != nil {
		return nil // the session says what is wrong with them
	}
	return h.ofAny(encoded.TaskID())
}

// ofAny returns the instance of the first task that is known, or nil.
func (h *homes) ofAny(tasks ...string) *instance {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range tasks {
		if home := h.of[id]; home != nil {
			return home
		}
	}
	return nil
}
