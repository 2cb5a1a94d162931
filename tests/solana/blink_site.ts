import { build } from 'esbuild';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { projectDir } from '../../dev/stack/paths.ts';
import type { BlinkPageOptions } from './blink_page.ts';

export interface BlinkSite {
  /** Returns the address of a page that shows this link. */
  pageOf: (options: BlinkPageOptions) => string;
  close: () => Promise<void>;
}

/** Serves, on loopback, a site whose page shows a link with Dialect's `Blink` component. */
export async function startBlinkSite(): Promise<BlinkSite> {
  const { outputFiles: [script] } = await build({
    stdin: {
      // First define the global that @solana/web3.js expects.
      contents: `import { Buffer } from 'buffer/'; globalThis.Buffer = Buffer; await import('./blink_page.ts');`,
      resolveDir: join(projectDir, 'tests/solana'),
    },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    target: 'es2022',
    write: false,
    outdir: '/',
    logLevel: 'error',
  });
  const page = '<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><main></main>' +
    '<script type="module" src="/page.js"></script></html>';
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? script!.text : page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    pageOf: (options) => `${origin}/?${new URLSearchParams({ ...options })}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
