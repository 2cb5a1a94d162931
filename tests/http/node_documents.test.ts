import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { makeNodesApp } from '../../functions/nodes/app.ts';
import { call, type Person, signUp } from '../support/people.ts';
import { anonymousSignIn } from '../support/tokens.ts';
import { waitFor } from '../support/wait.ts';

const TOKEN = 'token-of-a-document-0123456789';
const MEBIBYTE = 1_048_576;
let owner: Person;
let server: Server;
let host: string;
/** The requests for /held that wait. */
const held: ServerResponse[] = [];

const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/yaml': (_request, response) => response.setHeader('content-type', 'application/octet-stream').end('größe: 1\n'),
  '/latin': (_request, response) =>
    response.setHeader('content-type', 'text/yaml; charset=iso-8859-1').end(Buffer.from('größe', 'latin1')),
  '/private': ({ headers }, response) =>
    headers.authorization === `Bearer ${TOKEN}` ? response.end('mine') : response.writeHead(401).end(),
  '/missing': (_request, response) => response.writeHead(404).end('a page'),
  '/bytes': (_request, response) => response.end(Buffer.from([0x50, 0x4b, 3, 4, 0xff])),
  '/zeros': (_request, response) => response.setHeader('content-type', 'text/plain').end(Buffer.alloc(100)),
  '/large': (_request, response) => response.end('x'.repeat(16 * MEBIBYTE)),
  '/too-large': (_request, response) => response.end('x'.repeat(20 * MEBIBYTE)),
  '/endless': (_request, response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      response.once('drain', write);
    };
    write();
  },
  '/slow': (_request, response) => {
    const timer = setInterval(() => response.write('x'), 500);
    response.on('close', () => clearInterval(timer));
  },
  '/broken': (_request, response) => {
    response.write('part');
    setImmediate(() => response.destroy());
  },
  '/to-yaml': (_request, response) => response.writeHead(302, { location: '/yaml' }).end(),
  '/to-metadata': (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  '/to-file': (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/circle': (_request, response) => response.writeHead(302, { location: '/circle' }).end(),
  '/held': (_request, response) => held.push(response),
};

beforeAll(async () => {
  owner = await signUp();
  server = createServer((request, response) => answers[request.url ?? '']?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await call('connections/upsert', {
    token: owner.token,
    body: JSON.stringify({ name: 'docs', kind: 'bearer', hosts: [host], secret: { token: TOKEN } }),
    headers: { 'content-type': 'application/json' },
  });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function read(path: string, params: object = {}, person: Pick<Person, 'token'> = owner) {
  const response = await call('nodes/document', {
    token: person.token,
    body: JSON.stringify({ url: `http://${host}${path}`, ...params }),
    headers: { 'content-type': 'application/json' },
  });
  return { status: response.status, body: await response.json() as { text: string; code: string; message: string } };
}

describe('POST /nodes/document', () => {
  it('answers with the text, in the charset of the server, also behind a redirect', async () => {
    expect(await read('/yaml')).toEqual({ status: 200, body: { text: 'größe: 1\n' } });
    expect(await read('/latin')).toEqual({ status: 200, body: { text: 'größe' } });
    expect(await read('/to-yaml')).toEqual({ status: 200, body: { text: 'größe: 1\n' } });
    expect((await read('/large')).body.text).toHaveLength(16 * MEBIBYTE);
  });

  it("sends the secret of the caller's connection", async () => {
    expect(await read('/private', { connection: 'docs' })).toEqual({ status: 200, body: { text: 'mine' } });
    const other = await signUp();
    expect(await read('/private', { connection: 'docs' }, other)).toMatchObject({
      status: 404,
      body: { code: 'connection_not_found' },
    });
  });

  it.each([
    ['/private', {}, 'status code: 401'],
    ['/missing', {}, 'status code: 404'],
    ['/bytes', {}, 'not a text'],
    ['/zeros', {}, 'not a text'],
    ['/too-large', {}, 'larger than 16777216 bytes'],
    ['/endless', {}, 'larger than 16777216 bytes'],
    ['/broken', {}, 'connection'],
    ['/to-metadata', {}, 'IP address not allowed: 169.254.169.254'],
    ['/to-file', {}, 'scheme must be http or https'],
    ['/circle', {}, 'redirects'],
    ['/yaml', { url: 'http://nowhere.invalid/' }, "can't resolve the host"],
    ['/missing', { url: 'https://example.com/', connection: 'docs' }, 'connection_url_refused'],
  ])('refuses the answer of %s %j', async (path, params, message) => {
    const { status, body } = await read(path, params);
    expect([status, body.code, body.message]).toEqual([
      422,
      'document_unreadable',
      expect.stringContaining(message),
    ]);
  });

  it('ends a slow answer', async () => {
    expect((await read('/slow')).body.message).toContain('longer than 20 s');
  }, 60_000);

  it.each([{ url: 'file:///etc/passwd' }, { url: 'http://user:password@example.com/' }, { url: 7 }, { other: 1 }])(
    'refuses the body %j',
    async (params) => {
      expect(await read('/yaml', params)).toMatchObject({ status: 400, body: { code: 'request_invalid' } });
    },
  );

  it('needs a user who has signed up', async () => {
    expect(await read('/yaml', {}, await anonymousSignIn())).toMatchObject({
      status: 403,
      body: { code: 'token_required' },
    });
  });

  it('makes two requests of a caller at a time, and others of other callers meanwhile', async () => {
    const all = Array.from({ length: 3 }, () => read('/held'));
    await waitFor(() => held.length === 2 || undefined);
    const other = await signUp();
    expect((await read('/yaml', {}, other)).status).toBe(200);
    expect(held).toHaveLength(2);
    held.shift()!.end('one');
    await waitFor(() => held.length === 2 || undefined);
    for (const response of held) response.end('one');
    expect((await Promise.all(all)).map(({ body }) => body.text)).toEqual(['one', 'one', 'one']);
  });

  it('reaches no address of the own network, unless the operator allows it', async () => {
    const { API_URL, PUBLISHABLE_KEY, SECRET_KEY } = inject('stack');
    const environment: Record<string, string> = {
      SUPABASE_URL: API_URL,
      SUPABASE_ANON_KEY: PUBLISHABLE_KEY,
      SUPABASE_SERVICE_ROLE_KEY: SECRET_KEY,
    };
    const app = makeNodesApp({ env: (name) => environment[name], fetch, waitUntil: () => {} });
    const answer = await app.fetch(
      new Request('http://project.example/nodes/document', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.token}` },
        body: JSON.stringify({ url: `http://${host}/yaml` }),
      }),
    );
    expect(await answer.json()).toMatchObject({
      code: 'document_unreadable',
      message: 'IP address not allowed: 127.0.0.1',
    });
  });
});
