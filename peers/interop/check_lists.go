package interop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// atLeast is how many things a server lists, at the least. What is 0 is not
// asked for: the server does not have it.
type atLeast struct {
	tools, resources, templates, prompts int
}

// lists checks that everything is listed to its end, with nothing unreadable.
func lists(want atLeast, tools ...string) Feature {
	return Feature{"list", func(ctx context.Context, v *Visit) error {
		listed, err := v.Tools(ctx)
		if err := counted(listed, err, "tools", want.tools); err != nil {
			return err
		}
		for _, name := range tools {
			if !slices.Contains(listed.Keys(), name) {
				return fmt.Errorf("tool %q is not listed, but %q", name, listed.Keys())
			}
		}
		if want.resources > 0 {
			resources, err := v.Resources(ctx)
			if err := counted(resources, err, "resources", want.resources); err != nil {
				return err
			}
		}
		if want.templates > 0 {
			templates, err := v.ResourceTemplates(ctx)
			if err := counted(templates, err, "resource templates", want.templates); err != nil {
				return err
			}
		}
		if want.prompts > 0 {
			prompts, err := v.Prompts(ctx)
			return counted(prompts, err, "prompts", want.prompts)
		}
		return nil
	}}
}

func counted[T any](found mcpclient.Collection[T], err error, what string, want int) error {
	switch {
	case err != nil:
		return err
	case len(found.Faults()) > 0:
		return fmt.Errorf("%s that cannot be read: %w", what, errors.Join(found.Faults()...))
	case found.Len() < want:
		return fmt.Errorf("%d %s are listed instead of at least %d", found.Len(), what, want)
	}
	return nil
}

// listsResources checks the list of a server that has nothing else.
func listsResources(want int) Feature {
	return Feature{"list", func(ctx context.Context, v *Visit) error {
		resources, err := v.Resources(ctx)
		return counted(resources, err, "resources", want)
	}}
}

// reads checks that a resource has a text that contains want.
func reads(uri, want string) Feature { return readsAs("read", uri, want) }

// readsAs is reads under the name of a feature.
func readsAs(feature, uri, want string) Feature {
	return Feature{feature, func(ctx context.Context, v *Visit) error {
		read, err := v.ReadResource(ctx, uri)
		if err != nil {
			return err
		}
		if len(read.Contents) == 0 || !strings.Contains(read.Contents[0].Text, want) {
			return fmt.Errorf("%s is %+v instead of %q", uri, read.Contents, want)
		}
		return nil
	}}
}

// readsBlob checks that a resource is binary and has these bytes; nil means any.
func readsBlob(uri string, want []byte) Feature {
	return Feature{"blob", func(ctx context.Context, v *Visit) error {
		read, err := v.ReadResource(ctx, uri)
		if err != nil {
			return err
		}
		if len(read.Contents) == 0 || !read.Contents[0].IsBlob() {
			return fmt.Errorf("%s is no blob", uri)
		}
		found, err := read.Contents[0].Bytes()
		if err != nil {
			return err
		}
		if len(found) == 0 || want != nil && !slices.Equal(found, want) {
			return fmt.Errorf("%s is %x instead of %x", uri, found, want)
		}
		return nil
	}}
}

// missing checks that a resource that is not there is the server's error.
func missing(uri string) Feature {
	return Feature{"read-missing", func(ctx context.Context, v *Visit) error {
		_, err := v.ReadResource(ctx, uri)
		failure, ok := errors.AsType[*errors.TransporterRequestError](err)
		if !ok || failure.Kind != errors.KindPeer {
			return fmt.Errorf("%s gives %w instead of the server's error", uri, orNone(err))
		}
		return nil
	}}
}

// prompts checks that a prompt's messages contain want, as text.
func prompts(name string, arguments map[string]string, want string) Feature {
	return Feature{"prompt", func(ctx context.Context, v *Visit) error {
		prompt, err := v.GetPrompt(ctx, name, arguments)
		if err != nil {
			return err
		}
		for _, message := range prompt.Messages {
			if strings.Contains(message.Content.Text, want) {
				return nil
			}
		}
		return fmt.Errorf("prompt %s is %+v, without %q", name, prompt.Messages, want)
	}}
}

// completes checks that a proposal for an argument is want.
func completes(reference mcp.CompletionReference, argument, value, want string) Feature {
	return Feature{"completion", func(ctx context.Context, v *Visit) error {
		result, err := v.Complete(ctx, mcp.CompleteParams{Ref: reference, Argument: mcp.CompletionArgument{Name: argument, Value: value}})
		if err != nil {
			return err
		}
		if !slices.Contains(result.Values, want) {
			return fmt.Errorf("%q is completed to %q, without %q", value, result.Values, want)
		}
		return nil
	}}
}

// orNone makes an error of no error, for messages that expected one.
func orNone(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return err
}
