import { readFileSync } from 'node:fs';
import { createServer, globalAgent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { projectDir } from '../../dev/stack/paths.ts';

const tls = (name: string): string => readFileSync(join(projectDir, 'tests/fixtures/tls', name), 'utf8');

/** The name in the certificate. */
const HOST = 'secure.example';

export interface TlsFront {
  /** The origin `https://secure.example:<port>`. Only clients in this process that use node:https can reach it. */
  origin: string;
  close: () => Promise<void>;
}

/**
 * Puts a server with a certificate in front of another one, because links of actions must be https. While this front is
 * open, node:https of this process trusts the fixture's certificate authority and resolves the host.
 */
export async function startTlsFront(target: string): Promise<TlsFront> {
  const server = createServer({ cert: tls('certificate.pem'), key: tls('key.pem') }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _host, connection: _connection, ...headers } = request.headers as Record<string, string>;
    const body = Buffer.concat(chunks);
    const answer = await fetch(target + request.url, {
      method: request.method!,
      headers,
      ...(body.length > 0 && { body }),
    });
    const { 'content-encoding': _encoding, 'content-length': _length, ...passed } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, passed);
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const options = globalAgent.options as { ca?: string | undefined; lookup?: unknown };
  const before = { ca: options.ca, lookup: options.lookup };
  options.ca = tls('authority.pem');
  options.lookup = (_name: string, { all }: { all?: boolean }, done: (error: null, ...found: unknown[]) => void) =>
    all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
  return {
    origin: `https://${HOST}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      Object.assign(options, before);
      globalAgent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
