package factory

import (
	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// WithMetaHook has hook asked for members of _meta with every request; see
// policy.Trace. nil adds none. A later hook replaces an earlier one.
func WithMetaHook(hook policy.MetaHook) Option {
	return func(f *TransporterFactory) { f.metaHook = hook }
}

// WithHooks has the hooks told of everything that what is built does; see
// transporters.Hook. A later set replaces an earlier one.
func WithHooks(hooks *transporters.Hooks) Option {
	return func(f *TransporterFactory) {
		f.hooks = hooks
		f.session = append(f.session, session.WithHooks(hooks))
	}
}

// WithTasks has the tasks of the extension io.modelcontextprotocol/tasks waited
// for; see policy.Tasks. Answer, Background, Life and Logger may be left out: by
// default the session's handlers answer, the slot owns what runs in the
// background, its end ends the waits, and the server's logger is used.
func WithTasks(cfg policy.TasksConfig) Option {
	return func(f *TransporterFactory) {
		f.tasks = &cfg
		f.session = append(f.session, session.WithExtension(mcp.ExtensionTasks, nil))
	}
}

// chained is a chain, with those of its policies that the slot has to know.
type chained struct {
	head  transporters.Transporter
	hears *policy.Cache // nil if nothing is cached
	pins  *policy.ToolPins
}

// install has the slot know the policies, once the chain is in force.
func (c chained) install(slot *Slot) {
	c.pins.Inherit(slot.pins.Load())
	slot.hears.Store(c.hears)
	slot.pins.Store(c.pins)
}

// chain puts the policies around the slot, outermost first. Nothing changes for
// the slot.
func (f *TransporterFactory) chain(server string, common commonKeys, slot *Slot, log hclog.Logger) chained {
	made := chained{pins: f.pinsOf(server, common, log)}
	cache := f.cacheOf(server, common, slot, log)
	if common.Cache.Enabled {
		made.hears = cache
	}
	catalogue := policy.NewToolCatalogue(server, log, slot.principal)
	wrappers := append([]transporters.Wrapper{policy.Hooks(server, f.hooks)}, f.wrappers...)
	wrappers = append(wrappers,
		policy.Trace(server, f.metaHook, log),
		made.pins.Wrap,
		policy.Filter(server, common.FilterConfig),
		policy.Output(server, common.OutputConfig, log, catalogue),
	)
	if common.Validation == policy.OutputOff && common.Retry.IdempotentTools {
		wrappers = append(wrappers, catalogue.Learn())
	}
	if f.tasks != nil {
		wrappers = append(wrappers, policy.Tasks(server, f.tasksOf(slot, log)))
	}
	wrappers = append(wrappers,
		policy.Deadline(policy.DeadlineConfig{
			RequestTimeout:    common.RequestTimeout.Or(0),
			MaxRequestTimeout: common.MaxRequestTimeout.Or(0),
		}),
		cache.Wrap,
		policy.Retry(server, common.Retry, f.retryOf(common, slot, catalogue, log)),
		policy.Breaker(server, common.Breaker, log),
		policy.Limit(server, common.Limit, f.limitOf(common, slot, log)),
		policy.Payloads(server, common.PayloadConfig, log),
	)
	made.head = transporters.Chain(slot, wrappers...)
	return made
}

func (f *TransporterFactory) limitOf(common commonKeys, slot *Slot, log hclog.Logger) policy.LimitOptions {
	return policy.LimitOptions{
		MaxRequestTimeout: common.MaxRequestTimeout.Or(0), Life: &slot.life, Turns: f.stores.Turns, Logger: log,
	}
}

// tasksOf fills in what the caller left out.
func (f *TransporterFactory) tasksOf(slot *Slot, log hclog.Logger) policy.TasksConfig {
	cfg := *f.tasks
	if cfg.Answer == nil {
		cfg.Answer = slot.AnswerInput
	}
	if cfg.Background == nil {
		cfg.Background = slot.background
	}
	if cfg.Life == nil {
		cfg.Life = &slot.life
	}
	if cfg.Logger == nil {
		cfg.Logger = log
	}
	return cfg
}
