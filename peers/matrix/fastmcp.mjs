// A server on fastmcp: stdio, or with an argument http.
import { FastMCP } from 'fastmcp';
import * as z from 'zod/v4';

const server = new FastMCP({ name: 'fastmcp-peer', version: '1.0.0' });
server.addTool({
  name: 'add',
  description: 'adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => String(a + b),
});
server.addTool({
  name: 'count',
  description: 'reports progress and logs up to a number',
  parameters: z.object({ to: z.number() }),
  execute: async ({ to }, { log, reportProgress }) => {
    for (let i = 1; i <= to; i++) {
      await reportProgress({ progress: i, total: to });
      log.info(`step ${i}`);
    }
    return String(to);
  },
});
server.addTool({ name: 'fail', description: 'always fails', execute: async () => { throw new Error('this tool always fails'); } });
server.addResource({ uri: 'test://info', name: 'info', mimeType: 'text/plain', load: async () => ({ text: 'contents of test://info' }) });
server.addPrompt({ name: 'greet', arguments: [{ name: 'name', required: true }], load: async ({ name }) => `Say hello to ${name}` });

if (process.argv[2] === 'http') await server.start({ transportType: 'httpStream', httpStream: { port: 8080, host: '127.0.0.1' } });
else await server.start({ transportType: 'stdio' });
