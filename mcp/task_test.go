package mcp

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

func TestParseTask(t *testing.T) { // R283, R286, R287, R290
	task, err := ParseTask(result(`{"resultType":"task","taskId":"t-5","status":"working","statusMessage":"m","createdAt":"2026-08-01T09:00:00Z","lastUpdatedAt":"2026-08-01T09:00:01Z","ttlMs":3600000,"pollIntervalMs":2000,"_meta":{"a":1}}`))
	require.NoError(t, err)
	assert.Equal(t, []string{"t-5", "working", "m", "2026-08-01T09:00:00Z", "2026-08-01T09:00:01Z", `{"a":1}`},
		[]string{task.ID, string(task.Status), task.StatusMessage, task.CreatedAt, task.LastUpdatedAt, string(task.Meta)})
	assert.Equal(t, time.Hour, *task.TTL)
	assert.Equal(t, 2*time.Second, task.PollInterval)
	expires, ok := task.Expires()
	assert.True(t, ok)
	assert.True(t, time.Date(2026, 8, 1, 10, 0, 0, 0, time.UTC).Equal(expires))
	assert.True(t, task.RequestResult().IsZero())

	task, err = ParseTask(result(`{"resultType":"complete","taskId":"t","status":"completed","ttlMs":null,"result":{"content":[],"n":9007199254740993}}`))
	require.NoError(t, err)
	assert.Nil(t, task.TTL)
	_, ok = task.Expires()
	assert.False(t, ok)
	assert.Equal(t, `{"content":[],"n":9007199254740993}`, string(task.RequestResult().Raw()))

	task, err = ParseTask(result(`{"taskId":"t","status":"failed","error":{"code":-32603,"message":"no"},"result":{}}`))
	require.NoError(t, err)
	assert.Equal(t, &Error{Code: -32603, Message: "no"}, task.Error)
	assert.True(t, task.RequestResult().IsZero())

	task, err = ParseTask(result(`{"taskId":"t","status":"input_required","inputRequests":{"a":{"method":"roots/list"}}}`))
	require.NoError(t, err)
	assert.Equal(t, InputRequests{"a": {Method: MethodListRoots}}, task.InputRequests)

	for _, bad := range []string{`{}`, `[]`, `{"taskId":"t"}`, `{"status":"working"}`, `{"taskId":7,"status":"working"}`, `{"taskId":"t","status":"input_required","inputRequests":[]}`,
		`{"taskId":"t","status":"input_required","inputRequests":{"a":{}}}`, `{"task":{}}`, `{"task":7}`} {
		_, err = ParseTask(result(bad))
		assert.ErrorIs(t, err, errors.ErrProtocol, bad)
	}
}

func TestLegacyTasksDecode(t *testing.T) { // R294-R296
	task, err := ParseTask(result(`{"task":{"taskId":"t-5","status":"working","createdAt":"2025-12-01T09:00:00Z","lastUpdatedAt":"x","ttl":3600000,"pollInterval":2000},"_meta":{}}`))
	require.NoError(t, err)
	assert.Equal(t, "t-5", task.ID)
	assert.Equal(t, time.Hour, *task.TTL)
	assert.Equal(t, 2*time.Second, task.PollInterval)

	page, err := ParseListTasksResult(result(`{"tasks":[{"taskId":"a","status":"working","ttl":null},{"taskId":"b"},{"taskId":"x","status":"input_required","inputRequests":{"a":7,"b":{}},"ttl":1},{"taskId":"c","status":"failed"}],"nextCursor":""}`))
	require.NoError(t, err)
	require.Len(t, page.Tasks, 2)
	assert.Equal(t, "ac", page.Tasks[0].ID+page.Tasks[1].ID)
	assert.Len(t, page.Faults, 2)
	require.NotNil(t, page.NextCursor)
	_, err = ParseListTasksResult(result(`{}`))
	require.ErrorIs(t, err, errors.ErrProtocol)

	assert.Equal(t, "t-5", RelatedTask(json.RawMessage(`{"io.modelcontextprotocol/related-task":{"taskId":"t-5"}}`)))
	for _, none := range []string{``, `{}`, `{"io.modelcontextprotocol/related-task":"t"}`, `{"io.modelcontextprotocol/related-task":{"taskId":7}}`} {
		assert.Empty(t, RelatedTask(json.RawMessage(none)), none)
	}
}

func TestTaskStatus(t *testing.T) {
	for status, ended := range map[TaskStatus]bool{TaskWorking: false, TaskInputRequired: false, TaskCompleted: true, TaskFailed: true, TaskCancelled: true, "": false, "paused": false} {
		assert.Equal(t, ended, status.IsTerminal(), status)
	}
}

func TestTaskEncodes(t *testing.T) {
	ttl := time.Minute
	task := Task{ID: "t", Status: TaskFailed, CreatedAt: "a", LastUpdatedAt: "b", TTL: &ttl, PollInterval: time.Second, Error: &Error{Code: 1, Message: "m"}, InputRequests: InputRequests{"a": {Method: "m"}}, Result: json.RawMessage(`{}`)}
	encoded, err := json.Marshal(task)
	require.NoError(t, err)
	assert.JSONEq(t, `{"taskId":"t","status":"failed","createdAt":"a","lastUpdatedAt":"b","ttlMs":60000,"pollIntervalMs":1000,"error":{"code":1,"message":"m"},"inputRequests":{"a":{"method":"m"}},"result":{}}`, string(encoded))
	var back Task
	require.NoError(t, json.Unmarshal(encoded, &back))
	back.Raw = nil
	assert.Equal(t, task, back)
	encoded, err = json.Marshal(Task{ID: "t", Status: TaskWorking})
	require.NoError(t, err)
	assert.Contains(t, string(encoded), `"ttlMs":null`)

	secret := Task{ID: "t", Status: TaskCompleted, Result: json.RawMessage(`"hunter2"`)}
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", secret, secret, &secret), "hunter2")
	for _, absurd := range []string{"-5", "1e300", "1.5"} {
		task, err := ParseTask(result(`{"taskId":"t","status":"working","ttlMs":` + absurd + `,"pollIntervalMs":` + absurd + `}`))
		require.NoError(t, err)
		assert.GreaterOrEqual(t, *task.TTL, time.Duration(0), "P67")
		assert.GreaterOrEqual(t, task.PollInterval, time.Duration(0), "P67")
	}
}
