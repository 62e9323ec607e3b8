package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/errors"
)

// The program's exit codes. They are documented, and stay what they are.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitRefused     = 3
	exitUnreachable = 4
	exitTimeout     = 5
	exitAuth        = 6
	exitInterrupted = 130
	exitTerminated  = 143
)

// exitCodes is what they mean, for help and docs/cli.md.
func exitCodes() [][2]string {
	return [][2]string{
		{"0", "all went well"},
		{"1", "the tool reported an error, a check (test, doctor) failed, or something else did"},
		{"2", "wrong usage, arguments that do not fit the tool's schema, or a configuration that is not right"},
		{"3", "the server answered with an error"},
		{"4", "the server cannot be reached, went away, or does not keep to the protocol"},
		{"5", "it took too long"},
		{"6", "the server wants authorization, or refused it"},
		{"130", "interrupted (Ctrl-C)"},
		{"143", "told to end (SIGTERM)"},
	}
}

// exitCodesCommand is a page of help.
func (p *program) exitCodesCommand() *cobra.Command {
	var text strings.Builder
	for _, code := range exitCodes() {
		fmt.Fprintf(&text, "  %3s  %s\n", code[0], code[1])
	}
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Long: "The exit codes mean:\n\n" + text.String() + "\nOf several calls that fail, the first one decides. With --json a failure is also one line of JSON on stderr:\n" +
			"{\"error\":{\"message\":...,\"exitCode\":...}}, with kind, server, action, code and data where the failure is a call's.",
	}
}

// codedError is an error with an exit code of its own.
type codedError struct {
	error
	code int
}

func (e codedError) Unwrap() error { return e.error }

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(format string, arguments ...any) error {
	return usageError{fmt.Errorf(format, arguments...)}
}

// misfit is the error of arguments that do not fit; it says itself what to look at.
func misfit(format string, arguments ...any) error {
	return codedError{fmt.Errorf(format, arguments...), exitUsage}
}

// exitCodeOf finds the code for an error.
func exitCodeOf(ctx context.Context, err error) int {
	if stopped, ok := context.Cause(ctx).(interrupted); ok && ctx.Err() != nil {
		if stopped.signal == syscall.SIGTERM {
			return exitTerminated
		}
		return exitInterrupted
	}
	if coded, ok := errors.AsType[codedError](err); ok {
		return coded.code
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	_, isConfiguration := errors.AsType[*errors.ServerConfigurationError](err)
	switch {
	case isConfiguration, errors.Is(err, errors.ErrUnknownServer), errors.Is(err, errors.ErrToolDenied):
		return exitUsage
	case errors.Is(err, errors.ErrAuthRequired), errors.Is(err, errors.ErrInsufficientScope):
		return exitAuth
	case errors.Is(err, errors.ErrRequestTimeout), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errTimedOut):
		return exitTimeout
	}
	if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
		return exitCodeOfKind(failure.Kind)
	}
	return exitFailure
}

func exitCodeOfKind(kind errors.Kind) int {
	switch kind {
	case errors.KindPeer:
		return exitRefused
	case errors.KindTimeout:
		return exitTimeout
	case errors.KindAuth:
		return exitAuth
	case errors.KindParams, errors.KindDenied:
		return exitUsage
	case errors.KindTransport, errors.KindStatus, errors.KindProtocol, errors.KindSession, errors.KindVersion, errors.KindClosed, errors.KindUnavailable:
		return exitUnreachable
	default:
		return exitFailure
	}
}

// failureLine is a failure as JSON.
type failureLine struct {
	Message  string          `json:"message"`
	ExitCode int             `json:"exitCode"`
	Kind     string          `json:"kind,omitempty"`
	Server   string          `json:"server,omitempty"`
	Action   string          `json:"action,omitempty"`
	Code     int             `json:"code,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
}

func failureOf(ctx context.Context, err error) failureLine {
	line := failureLine{Message: err.Error(), ExitCode: exitCodeOf(ctx, err)}
	if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
		line.Kind, line.Server, line.Action = nameOfKind(failure.Kind), failure.Server, failure.Action
		line.Code, line.Data = failure.Code, failure.Data
	}
	return line
}

// nameOfKind is a kind of failure for programs.
func nameOfKind(kind errors.Kind) string {
	return map[errors.Kind]string{
		errors.KindPeer: "peer", errors.KindTransport: "transport", errors.KindStatus: "status", errors.KindTimeout: "timeout",
		errors.KindCanceled: "canceled", errors.KindProtocol: "protocol", errors.KindSession: "session", errors.KindAuth: "auth",
		errors.KindVersion: "version", errors.KindClosed: "closed", errors.KindUnavailable: "unavailable",
		errors.KindDenied: "denied", errors.KindParams: "params",
	}[kind]
}

// end says why the program fails, if it does, and returns its exit code.
func (p *program) end(ctx context.Context, command *cobra.Command, err error) int {
	if err == nil {
		return exitOK
	}
	code := exitCodeOf(ctx, err)
	if code == exitInterrupted || code == exitTerminated {
		err = context.Cause(ctx)
	}
	if p.json {
		_ = p.printCompact(p.errorOutput(), map[string]failureLine{"error": failureOf(ctx, err)})
		return code
	}
	p.bars().Above(p.errorOutput().Paint(terminal.Red, "mcpclient:") + " " + terminal.Escape(err.Error()))
	if _, isUsage := errors.AsType[usageError](err); isUsage {
		p.complain(fmt.Sprintf("Try '%s --help'.", command.CommandPath()))
	}
	return code
}

func (p *program) hasCommand(command *cobra.Command, name string) bool {
	found, _, err := command.Root().Find([]string{name})
	return err == nil && found.Name() == name
}
