// A server of both eras on the TypeScript SDK, version 2.
//
//   node peer2026.mjs                 stdio
//   node peer2026.mjs --http PORT     streamable HTTP at http://127.0.0.1:PORT/mcp
//     --json                          answers are JSON instead of event streams
//     --modern-only                   what begins with initialize is refused
import { createServer } from 'node:http';
import { acceptedContent, createMcpHandler, createRequestStateCodec, inputRequired, inputResponse, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';
import * as z from 'zod/v4';

const argv = process.argv.slice(2);
const http = argv.includes('--http') ? Number(argv[argv.indexOf('--http') + 1]) : 0;
const codec = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)), ttlSeconds: 300 });
let counter = 0, extra = false, notify = null;
const text = (t, more = {}) => ({ content: [{ type: 'text', text: t }], ...more });
const NAME = { type: 'object', properties: { name: { type: 'string', minLength: 1 } }, required: ['name'] };

function build(ctx0) {
  const s = new McpServer({ name: 'peer2026', version: '0.1.0' }, {
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true }, logging: {}, completions: {} },
    instructions: 'peer for client tests', requestState: { verify: codec.verify },
    cacheHints: { 'tools/list': { ttlMs: 60000, cacheScope: 'private' }, 'resources/list': { ttlMs: 60000, cacheScope: 'public' } }
  });
  s.registerTool('era', { description: 'which protocol era served this call' }, async () => text(ctx0?.era ?? 'unknown'));
  s.registerTool('add', { description: 'sum', inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    async ({ a, b }) => text(String(a + b), { structuredContent: { sum: a + b } }));
  s.registerTool('boom', { description: 'tool-level error' }, async () => text('boom', { isError: true }));
  s.registerTool('countdown', { description: 'progress + log per step, stops when cancelled', inputSchema: z.object({ n: z.number().int(), delayMs: z.number().int().default(50) }) },
    async ({ n, delayMs }, ctx) => {
      const token = ctx.mcpReq._meta?.progressToken; let i = 0;
      ctx.mcpReq.signal.addEventListener('abort', () => console.error(`[peer] countdown aborted after ${i} of ${n}`));
      for (; i < n && !ctx.mcpReq.signal.aborted; i++) {
        await new Promise(r => setTimeout(r, delayMs));
        if (token !== undefined) await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress: i + 1, total: n, message: `step ${i + 1}` } });
        await ctx.mcpReq.notify({ method: 'notifications/message', params: { level: 'info', logger: 'countdown', data: i + 1 } });
      }
      return text(`done ${i}/${n}`);
    });
  s.registerTool('ask', { description: 'one form elicitation (MRTR, no requestState)' }, async ctx => {
    const r = acceptedContent(ctx.mcpReq.inputResponses, 'who');
    if (r) return text(`hello ${r.name}`);
    const raw = ctx.mcpReq.inputResponses?.who; if (raw) return text(`answer: ${raw.action}`);
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'your name?', requestedSchema: NAME }) } });
  });
  s.registerTool('ask_all', { description: 'form + url + sampling + roots in one round' }, async ctx => {
    if (ctx.mcpReq.inputResponses) return text(JSON.stringify(ctx.mcpReq.inputResponses));
    return inputRequired({ inputRequests: {
      form: inputRequired.elicit({ message: 'your name?', requestedSchema: NAME }),
      link: inputRequired.elicitUrl({ message: 'sign in', url: 'https://example.com/auth' }),
      llm: inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: 'say hi' } }], maxTokens: 10 }),
      dirs: inputRequired.listRoots() } });
  });
  s.registerTool('two_step', { description: 'two rounds chained by requestState', inputSchema: z.object({ env: z.string() }) }, async ({ env }, ctx) => {
    const st = ctx.mcpReq.requestState(); const r = acceptedContent(ctx.mcpReq.inputResponses, 'q');
    if (!st) return inputRequired({ inputRequests: { q: inputRequired.elicit({ message: `deploy ${env}?`, requestedSchema: NAME }) }, requestState: await codec.mint({ step: 1, env }) });
    if (st.step === 1) return inputRequired({ inputRequests: { q: inputRequired.elicit({ message: `as ${r?.name}? confirm`, requestedSchema: NAME }) }, requestState: await codec.mint({ step: 2, env, first: r?.name }) });
    return text(`deployed ${st.env} by ${st.first}/${r?.name}`);
  });
  s.registerTool('forever', { description: 'always input_required (client must bound its rounds)' }, async () =>
    inputRequired({ inputRequests: { q: inputRequired.elicit({ message: 'again?', requestedSchema: NAME }) } }));
  s.registerTool('routed', { description: 'x-mcp-header mirror', inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }), q: z.string().optional() }) },
    async ({ region }) => text(`region ${region}`));
  const late = s.registerTool('late', { description: 'appears after flip' }, async () => text('late')); if (!extra) late.disable();
  s.registerTool('flip', { description: 'toggles tool "late", bumps counter://value, publishes both changes' }, async () => {
    extra = !extra; counter++; late.update({ enabled: extra });
    if (notify) { notify.toolsChanged(); notify.resourceUpdated('counter://value'); } else await s.server.sendResourceUpdated({ uri: 'counter://value' }).catch(() => {});
    return text(`late=${extra} counter=${counter}`);
  });
  s.registerResource('counter', 'counter://value', { mimeType: 'text/plain', cacheHint: { ttlMs: 5000, cacheScope: 'private' } }, async u => ({ contents: [{ uri: u.href, mimeType: 'text/plain', text: String(counter) }] }));
  s.registerResource('blob', 'blob://bytes', { mimeType: 'application/octet-stream' }, async u => ({ contents: [{ uri: u.href, mimeType: 'application/octet-stream', blob: Buffer.from([0, 1, 2, 255]).toString('base64') }] }));
  s.registerResource('greeting', new ResourceTemplate('greeting://{name}', { list: undefined, complete: { name: v => ['ann', 'bob'].filter(x => x.startsWith(v)) } }), {}, async (u, v) => ({ contents: [{ uri: u.href, text: `hi ${v.name}` }] }));
  s.registerPrompt('hello', { argsSchema: z.object({ who: z.string() }) }, async ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `hello ${who}` } }] }));
  return s;
}
if (!http) { serveStdio(build); console.error('[peer] stdio'); }
else {
  const h = createMcpHandler(build, { ...(argv.includes('--json') ? { responseMode: 'json' } : {}), ...(argv.includes('--modern-only') ? { legacy: 'reject' } : {}) });
  notify = h.notify; const node = toNodeHandler(h);
  createServer((q, r) => (q.url.startsWith('/mcp') ? node(q, r) : (r.writeHead(404), r.end()))).listen(http, '127.0.0.1', () => console.error(`[peer] http://127.0.0.1:${http}/mcp`));
}
