import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { denoBinary } from '../../dev/stack/functions.ts';

const root = join(import.meta.dirname, '../..');
const fixture = (name: string) => readFileSync(join(root, 'tests/fixtures/tls', name), 'utf8');

/** Runs a script in Deno and returns its parsed output. */
async function runInDeno(script: string, ...args: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    denoBinary(),
    ['run', '--config', join(root, 'deno.json'), '--allow-net', '--allow-env', '--no-prompt', script, ...args],
    { cwd: root, env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' } },
  );
  return JSON.parse(stdout);
}

it.each(['inflate', 'inflate slowly', 'parse', 'run'])(
  'requests are answered in Deno while others %s for long',
  async (work) => {
    expect(await runInDeno('tests/support/answers_in_deno.ts', work)).toBeGreaterThanOrEqual(5);
  },
);

it('the HTTP client pins addresses, verifies names and keeps its limits in Deno too', async () => {
  const answer: RequestListener = async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (request.url === '/silent') return;
    if (request.url === '/large') return void response.end(Buffer.alloc(100_001));
    if (request.url === '/gzip') {
      return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body));
    }
    if (request.url === '/away') return void response.writeHead(302, { location: 'http://inner.example/' }).end();
    response.end(`${request.headers.host} ${body}`);
  };
  const servers = [
    createServer(answer),
    createSecureServer({ key: fixture('key.pem'), cert: fixture('certificate.pem') }, answer),
  ];
  const [port, securePort] = await Promise.all(servers.map(async (server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }));
  const expected: [{ url: string; answers?: string[]; timeoutMs?: number }, unknown][] = [
    [{ url: `http://plain.example:${port}/` }, [200, `plain.example:${port} sent`]],
    [{ url: `http://plain.example:${port}/gzip` }, [200, 'sent']],
    [{ url: `https://secure.example:${securePort}/` }, [200, `secure.example:${securePort} sent`]],
    [
      { url: `https://wrong.example:${securePort}/` },
      expect.stringMatching(/wrong\.example:\d+(:| failed:) (ERR_TLS_CERT_ALTNAME_INVALID|invalid certificate)$/),
    ],
    [{ url: 'http://10.1.2.3/' }, 'NodeError: IP address not allowed: 10.1.2.3'],
    [{ url: 'http://inner.example/', answers: ['10.1.2.3'] }, 'NodeError: IP address not allowed: 10.1.2.3'],
    [
      { url: `http://plain.example:${port}/away`, answers: ['127.0.0.1', '10.1.2.3'] },
      'NodeError: IP address not allowed: 10.1.2.3',
    ],
    [{ url: `http://plain.example:${port}/large` }, 'NodeError: the response is larger than 100000 bytes'],
    [{ url: `http://plain.example:${port}/silent`, timeoutMs: 300 }, 'NodeError: the request took longer than 0.3 s'],
  ];
  try {
    const given = { ca: fixture('authority.pem'), requests: expected.map(([request]) => request) };
    expect(await runInDeno('tests/support/http_client_in_deno.ts', JSON.stringify(given))).toEqual(
      expected.map(([, outcome]) => outcome),
    );
  } finally {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  }
});

it('an answer arrives in Deno while the server sends it', async () => {
  let finish = () => {};
  const server = createServer((request, response) => {
    if (request.url === '/go') {
      finish();
      return void response.end('ok');
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    finish = () => response.end('data: 2\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await runInDeno('tests/support/stream_in_deno.ts', base)).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
