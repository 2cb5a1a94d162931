import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createServer, type Plugin } from 'vite';
import { projectDir } from '../../supabase/local/paths.ts';
import { parsePort } from '../../supabase/local/ports.ts';
import { readStatus } from '../../supabase/local/stack_record.ts';
import { isUsageError, StackError, usageFault } from '../../supabase/local/stack_error.ts';

const USAGE = "npm run console -- [--port <the stack's port>]";

/** Serves the configuration that leads the console to a running stack. */
const serveConfig = (config: object): Plugin => ({
  name: 'console-config',
  configureServer(server) {
    server.middlewares.use('/console/config.json', (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(config));
    });
  },
});

try {
  const { values } = parseArgs({ options: { port: { type: 'string' } } });
  const port = parsePort(values.port);
  const status = readStatus(port);
  if (status === undefined) throw new StackError(`No stack runs on port ${port}; start one with: npm start`);
  const server = await createServer({
    configFile: join(projectDir, 'console/vite.config.ts'),
    server: { host: '127.0.0.1' },
    plugins: [serveConfig({ url: status.API_URL, key: status.PUBLISHABLE_KEY })],
  });
  await server.listen();
  server.printUrls();
} catch (error) {
  if (error instanceof StackError) console.error(error.message);
  else if (isUsageError(error)) console.error(`${usageFault(error)}\n${USAGE}`);
  else throw error;
  process.exit(1);
}
