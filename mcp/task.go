package mcp

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// ExtensionTasks is the id of the tasks extension, from 2026-07-28.
const ExtensionTasks = "io.modelcontextprotocol/tasks"

// TaskStatus is how far a task is. A status that is not listed here is the
// server's own and not an end.
type TaskStatus string

// The statuses of a task.
const (
	TaskWorking       TaskStatus = "working"
	TaskInputRequired TaskStatus = "input_required"
	TaskCompleted     TaskStatus = "completed"
	TaskFailed        TaskStatus = "failed"
	TaskCancelled     TaskStatus = "cancelled"
)

// IsTerminal reports whether the task has ended: completed, failed or cancelled.
func (s TaskStatus) IsTerminal() bool {
	return s == TaskCompleted || s == TaskFailed || s == TaskCancelled
}

// Task is a request that a server works on beyond its answer. One type serves
// the tasks extension of 2026-07-28 and, decoding only, the tasks of 2025-11-25,
// which have neither Result, Error nor InputRequests and call two members
// differently.
type Task struct {
	// ID is what tasks/get, tasks/update and tasks/cancel take; it is worth
	// storing (R286).
	ID     string
	Status TaskStatus
	// StatusMessage is the server's text for people, and may be empty.
	StatusMessage string
	// CreatedAt and LastUpdatedAt are ISO 8601 times as the server wrote them.
	CreatedAt     string
	LastUpdatedAt string
	// TTL counts from creation; behind it the server may forget the task
	// (R290). Nil is without end, also where the server said nothing.
	TTL *time.Duration
	// PollInterval is the shortest time between two tasks/get; 0 if the server
	// did not say. It may change (R286).
	PollInterval time.Duration
	// Result is set for TaskCompleted: the raw result of the request, errors of
	// the tool included (R290). See RequestResult.
	Result json.RawMessage
	// Error is set for TaskFailed: the JSON-RPC error.
	Error *Error
	// InputRequests is set for TaskInputRequired: what tasks/update answers, each
	// key once (R287).
	InputRequests InputRequests
	// Meta is the _meta, raw, or nil.
	Meta json.RawMessage
	// Raw is the whole object as the server sent it; nil if it was built here. It
	// must not be changed.
	Raw json.RawMessage
}

// ParseTask decodes a task: the result of tools/call with resultType task, of
// tasks/get, and, by NewResult, the params of notifications/tasks and
// notifications/tasks/status. For tools/call of 2025-11-25 it is the result's
// task member. The error wraps ErrProtocol: it is no object, lacks id or status,
// or its inputRequests cannot be used (see ParseInputRequiredResult).
func ParseTask(r Result) (*Task, error) {
	task, err := decodeResult[Task](r)
	if err == nil {
		return task, nil
	}
	// CreateTaskResult of 2025-11-25 wraps the task.
	if wrapped, found := jsonscan.Find(r.Raw(), "task"); found && !r.IsEnvelope() {
		return decodeResult[Task](NewResult(wrapped))
	}
	return nil, err
}

// RequestResult returns the result of a completed task, and the zero Result before.
func (t *Task) RequestResult() Result {
	if t.Status != TaskCompleted || t.Result == nil {
		return Result{}
	}
	return NewResult(t.Result)
}

// Expires returns when the server may forget the task. It returns false if it
// never does, or if its times are not understood.
func (t *Task) Expires() (time.Time, bool) {
	created, err := time.Parse(time.RFC3339, t.CreatedAt)
	if err != nil || t.TTL == nil {
		return time.Time{}, false
	}
	return created.Add(*t.TTL), true
}

func (t *Task) read(c *jsonscan.Cursor) (problem string) {
	start := c.Pos()
	if !c.Object() {
		return "must be an object, found " + kindOf(c.Value())
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "taskId":
			t.ID = readText(c)
		case "status":
			t.Status = TaskStatus(readText(c))
		case "statusMessage":
			t.StatusMessage = readText(c)
		case "createdAt":
			t.CreatedAt = readText(c)
		case "lastUpdatedAt":
			t.LastUpdatedAt = readText(c)
		case "ttlMs", "ttl":
			t.TTL = readOptionalMilliseconds(c)
		case "pollIntervalMs", "pollInterval":
			t.PollInterval = readMilliseconds(c)
		case "result":
			t.Result = readKept(c)
		case "error":
			if raw := readKept(c); raw != nil {
				t.Error = (&Message{Error: raw}).Failure()
			}
		case "inputRequests":
			requests := jsonscan.TrustedCursor(c.Value())
			var err error
			if t.InputRequests, err = readInputRequests(&requests); err != nil {
				problem = err.Error()
			}
		case "_meta":
			t.Meta = readKept(c)
		default:
			c.Value()
		}
	}
	t.Raw = c.Slice(start)
	switch {
	case t.ID == "":
		return "has no taskId"
	case t.Status == "":
		return "has no status"
	}
	return problem
}

// readOptionalMilliseconds tells a duration from none.
func readOptionalMilliseconds(c *jsonscan.Cursor) *time.Duration {
	if c.Kind() != '0' {
		c.Value()
		return nil
	}
	d := readMilliseconds(c)
	return &d
}

func (t *Task) decode(raw []byte) error {
	*t = Task{}
	return decodeEntry(t, raw)
}

// UnmarshalJSON decodes a task; Raw is a copy of data.
func (t *Task) UnmarshalJSON(data []byte) error { return unmarshal(t, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields as the
// extension has them. It sets no resultType.
func (t Task) MarshalJSON() ([]byte, error) {
	var ttl *int64
	if t.TTL != nil {
		ms := t.TTL.Milliseconds()
		ttl = &ms
	}
	return marshal(t.Raw, struct {
		ID            string          `json:"taskId"`
		Status        TaskStatus      `json:"status"`
		StatusMessage string          `json:"statusMessage,omitempty"`
		CreatedAt     string          `json:"createdAt"`
		LastUpdatedAt string          `json:"lastUpdatedAt"`
		TTL           *int64          `json:"ttlMs"` // null is without end
		PollInterval  int64           `json:"pollIntervalMs,omitempty"`
		Result        json.RawMessage `json:"result,omitempty"`
		Error         *Error          `json:"error,omitempty"`
		InputRequests InputRequests   `json:"inputRequests,omitempty"`
		Meta          json.RawMessage `json:"_meta,omitempty"`
	}{t.ID, t.Status, t.StatusMessage, t.CreatedAt, t.LastUpdatedAt, ttl, t.PollInterval.Milliseconds(), t.Result, t.Error, t.InputRequests, t.Meta})
}

// ListTasksResult is the result of tasks/list of 2025-11-25.
type ListTasksResult struct {
	Page
	Tasks []Task
}

// ParseListTasksResult decodes one page of tasks. The error wraps ErrProtocol:
// the result is no object or has no tasks array.
func ParseListTasksResult(r Result) (*ListTasksResult, error) {
	return decodeResult[ListTasksResult](r)
}

func (l *ListTasksResult) decode(raw []byte) (err error) {
	*l = ListTasksResult{}
	l.Tasks, err = decodeList[Task](raw, "tasks", &l.Page)
	return err
}

// UnmarshalJSON decodes a page; Raw is a copy of data.
func (l *ListTasksResult) UnmarshalJSON(data []byte) error { return unmarshal(l, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (l ListTasksResult) MarshalJSON() ([]byte, error) {
	return marshalList(&l.Page, "tasks", l.Tasks)
}

// RelatedTask returns the id of the task that a _meta object of 2025-11-25
// belongs to, or "" (R296).
func RelatedTask(meta json.RawMessage) string {
	related, _ := jsonscan.Find(meta, MetaRelatedTask)
	value, _ := jsonscan.Find(related, "taskId")
	id, _ := jsonscan.String(value)
	return id
}

// String tells id and status only: results and requests are nobody's to log.
func (t Task) String() string { return fmt.Sprintf("task %q: %s", shortened(t.ID), t.Status) }

// GoString is String, so that %#v shows no contents either.
func (t Task) GoString() string { return t.String() }
