import { join } from 'node:path';
import { createServer, type Plugin, type ViteDevServer } from 'vite';
import { projectDir } from '../stack/paths.ts';

/** The project that the console calls. */
export interface ServedProject {
  API_URL: string;
  PUBLISHABLE_KEY: string;
}

/** Serves the configuration that connects the console to a running stack. */
const serveConfig = (config: object): Plugin => ({
  name: 'console-config',
  configureServer(server) {
    server.middlewares.use('/console/config.json', (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(config));
    });
  },
});

/**
 * Starts Vite's server with hot reload, on loopback, for the project of a running stack. Resolves when the server
 * listens.
 */
export async function startDevServer({ API_URL, PUBLISHABLE_KEY }: ServedProject): Promise<ViteDevServer> {
  const server = await createServer({
    configFile: join(projectDir, 'console/vite.config.ts'),
    server: { host: '127.0.0.1' },
    plugins: [serveConfig({ url: API_URL, key: PUBLISHABLE_KEY })],
  });
  return await server.listen();
}
