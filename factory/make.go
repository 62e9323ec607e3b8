package factory

import (
	"cmp"
	"encoding/hex"
	"slices"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// commonKeys are the keys that every type has.
type commonKeys struct {
	Type string `config:"type,required" doc:"http, sse, stdio, or a registered type"`
	session.Settings
	principalKeys
	policy.FilterConfig
	policy.OutputConfig
	policies
	policy.PayloadConfig
}

// Check returns every fault of a server's section, in the order of the file,
// nil if there are none. Nothing is built.
func (f *TransporterFactory) Check(section *config.Section) []errors.Fault {
	_, _, faults := f.read(section)
	return faults
}

// CheckDefaults returns a fault for every key under `defaults` that no type
// knows. (Values are checked with each server that they reach.)
func (f *TransporterFactory) CheckDefaults(defaults *config.Section) []errors.Fault {
	known := []any{commonKeys{}}
	f.mu.RLock()
	defer f.mu.RUnlock()
	for _, registered := range f.types {
		if len(registered.keys) == 0 {
			return nil
		}
		known = append(known, registered.keys...)
	}
	return defaults.Unknown(known...)
}

// read decodes and checks a section.
func (f *TransporterFactory) read(section *config.Section) (commonKeys, Blueprint, []errors.Fault) {
	return f.readWith(section, nil, f.loggerOf(section.Server()))
}

// readWith is read for an authorizer that keeps its tokens in the store, unless
// another one is configured.
func (f *TransporterFactory) readWith(section *config.Section, tokens auth.Store, log hclog.Logger) (commonKeys, Blueprint, []errors.Fault) {
	var common commonKeys
	rest, faults := section.Take(&common)
	common.identity = func() string { sum := section.Fingerprint(); return hex.EncodeToString(sum[:]) }
	faults = withChecked(faults, slices.Concat(common.Settings.Check(section), common.FilterConfig.Check(section), common.OutputConfig.Check(section),
		common.policies.Check(section), common.principalKeys.check(section)))
	var blueprint Blueprint
	registered, known := f.lookUp(common.Type)
	switch {
	case known:
		var own []errors.Fault
		blueprint, own = registered.construct(rest, f.build(section.Server(), common.Settings, tokens, log))
		faults = append(faults, f.explained(common.Type, own)...)
	case common.Type != "":
		faults = append(faults, f.unknownType(section, common.Type))
	}
	sortFaults(faults)
	return common, blueprint, section.AsWritten(faults)
}

func (f *TransporterFactory) build(server string, settings session.Settings, tokens auth.Store, log hclog.Logger) Build {
	return Build{
		Server:   server,
		Settings: settings,
		Session:  slices.Concat([]session.Option{session.WithLogger(log), session.WithIDs(&session.IDs{})}, f.session),
		HTTP:     slices.Concat([]httplink.Option{httplink.WithLogger(log), f.shared}, f.http),
		Stdio:    slices.Concat(stdioDefaults(log), f.stdio),
		Verdicts: cmp.Or(f.verdicts, f.stores.Verdicts),
		Logger:   log,

		authSeams: authSeams{auth: f.auth, tokens: tokens},
		shared:    f.sharedSettings(settings),
	}
}

// sharedSettings returns equal settings, those of the server before if they are:
// most servers of a large configuration have the same.
func (f *TransporterFactory) sharedSettings(settings session.Settings) *session.Settings {
	if latest := f.latest.Load(); latest != nil && *latest == settings {
		return latest
	}
	f.latest.Store(&settings)
	return &settings
}
