import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HTTP_LIMITS } from '../../tests/support/http_limits.ts';
import { TransientError } from '../engine/failures/transient_error.ts';
import { makeHttpClient } from '../reach/http_client.ts';
import type { FilePlace } from './file_place.ts';
import type { CheckFileQuota } from './file_quota.ts';
import { makeOwnerFiles } from './owner_files.ts';

const OWNER = '0193aaaa-0000-4000-8000-0000000000aa';
const KEY = 'sb_secret_of_this_test';

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

let server: Server;
let url: string;
let seen: Seen[] = [];
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(await request.toArray()).toString() });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const withJson = (json: unknown, status = 200) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(json));
};

const listed = (count: number) => Array.from({ length: count }, () => ({ name: 'a', id: 'x' }));

let checked: [FilePlace, number][] = [];
const checkQuota: CheckFileQuota = (place, bytes) => Promise.resolve(void checked.push([place, bytes]));

const never = new AbortController().signal;

function files(env: Record<string, string> = { SUPABASE_URL: `${url}/`, SUPABASE_SERVICE_ROLE_KEY: KEY }) {
  seen = [];
  checked = [];
  return makeOwnerFiles({
    ownerId: OWNER,
    sharedBuckets: new Set(['reports']),
    http: makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true, timeoutMs: 2_000 }),
    env: (name) => env[name],
    checkQuota,
  });
}

const upload = { bytes: new TextEncoder().encode('grüße'), isText: true, contentType: undefined, overwrite: false };
const signed = { expiresInSeconds: 60, transform: undefined, download: false } as const;

describe('a request to Storage', () => {
  it('has the method, path and body of the Storage API, and the key', async () => {
    const path = `a b/c?d+'e'.txt`;
    const inUrl = `user-storages/${OWNER}/a%20b/c%3Fd%2B'e'.txt`;
    const ours = files();
    answer = withJson({ Key: 'x' });
    expect(await ours.upload({ path }, upload, never)).toEqual({
      key: `user-storages/${OWNER}/${path}`,
      contentType: 'text/plain; charset=utf-8',
    });
    expect(checked).toEqual([[{ bucket: 'user-storages', path: `${OWNER}/${path}` }, 7]]);
    await ours.upload({ bucket: 'reports', path }, upload, never);
    expect(checked).toHaveLength(1);
    seen.pop();
    answer = withJson([]);
    await ours.list({ bucket: 'user-storages', path: 'a' }, never);
    await ours.remove({ path }, never);
    answer = withJson({ signedURL: '/object/sign/x?token=t' });
    await ours.signUrl({ path }, { ...signed, transform: { width: 5 } }, never);
    answer = withJson({ content_type: 'text/plain', last_modified: '2026-01-01T00:00:00Z' });
    await ours.metadata({ path }, never);
    await ours.download({ path }, 1_000, never);

    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `POST /storage/v1/object/${inUrl}`,
      'POST /storage/v1/object/list/user-storages',
      'DELETE /storage/v1/object/user-storages',
      `POST /storage/v1/object/sign/${inUrl}`,
      `GET /storage/v1/object/info/${inUrl}`,
      `GET /storage/v1/object/${inUrl}`,
    ]);
    for (const { headers } of seen) expect(headers).toMatchObject({ apikey: KEY, authorization: `Bearer ${KEY}` });
    expect(seen[0]).toMatchObject({
      body: 'grüße',
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-upsert': 'false' },
    });
    expect(seen.slice(1, 4).map(({ body }) => JSON.parse(body))).toEqual([
      { prefix: `${OWNER}/a/`, limit: 1_000, offset: 0, sortBy: { column: 'name', order: 'asc' } },
      { prefixes: [`${OWNER}/${path}`] },
      { expiresIn: 60, transform: { width: 5 } },
    ]);
  });

  it('is not made for a file that the flow may not reach', async () => {
    const ours = files();
    const other = { key: `user-storages/${OWNER.replace('0193', '0194')}/a` };
    answer = withJson({});
    for (
      const refused of [
        ours.upload(other, upload, never),
        ours.download(other, 1_000, never),
        ours.list({ bucket: 'secret', path: undefined }, never),
        ours.remove(other, never),
        ours.signUrl(other, signed, never),
        ours.metadata(other, never),
      ]
    ) await expect(refused).rejects.toThrow('storage_denied: ');
    expect(() => ours.publicUrl(other)).toThrow('storage_denied: ');
    expect(seen).toEqual([]);
  });

  it('needs the address and the secret key of the project', async () => {
    const fails = (env: Record<string, string>) => expect(files(env).download({ path: 'a' }, 1_000, never)).rejects;
    await fails({}).toThrow(
      'storage_not_configured: the worker lacks SUPABASE_URL and SUPABASE_SECRET_KEYS or SUPABASE_SERVICE_ROLE_KEY',
    );
    await fails({ SUPABASE_DB_URL: 'postgresql://x', SUPABASE_SERVICE_ROLE_KEY: KEY }).toThrow(/lacks SUPABASE_URL$/);
    await fails({ SUPABASE_URL: url, SUPABASE_SECRET_KEYS: '{}' }).toThrow(/lacks SUPABASE_SECRET_KEYS or [A-Z_]+$/);
    expect(() => files({}).publicUrl({ path: 'a' })).toThrow('storage_not_configured');
  });

  it('is not repeated by a redirect, so the key stays with the project', async () => {
    const ours = files();
    answer = (response) => {
      response.writeHead(307, { location: `${url}/elsewhere` });
      response.end();
    };
    await expect(ours.download({ path: 'a' }, 1_000, never)).rejects.toThrow(/^Storage answered 307$/);
    await expect(ours.upload({ path: 'a' }, upload, never)).rejects.toThrow(/^Storage answered 307$/);
    expect(seen).toHaveLength(2);
  });
});

describe('an answer of Storage', () => {
  it('that is an error is told by its message, without the key', async () => {
    const error = async (body: unknown, status = 400): Promise<Error> => {
      answer = withJson(body, status);
      return await files().download({ path: 'a' }, 1_000, never).then(() => expect.unreachable(), (error) => error);
    };
    expect((await error({ statusCode: '404', error: 'not_found', message: 'Object not found' })).message).toBe(
      'Storage answered 400: not_found: Object not found',
    );
    expect((await error({ error: 5, message: ['x'] })).message).toBe('Storage answered 400');
    expect((await error(`Bearer ${KEY}`)).message).toBe('Storage answered 400');
    expect((await error({ message: `authorization: Bearer ${KEY}\0` })).message).toBe(
      'Storage answered 400: authorization: Bearer …\uFFFD',
    );
    expect((await error({ message: 'x'.repeat(800) })).message).toHaveLength(500 + 'Storage answered 400: '.length);
    expect(await error({ message: 'x' })).not.toBeInstanceOf(TransientError);
    expect(await error({ message: 'x' }, 503)).toBeInstanceOf(TransientError);
    expect(await error({ message: 'x' }, 429)).toBeInstanceOf(TransientError);
  });

  it('may have as many bytes as an output', async () => {
    answer = (response) => response.end('x'.repeat(1_001));
    await expect(files().download({ path: 'a' }, 1_000, never)).rejects.toThrow('larger than 1000 bytes');
    answer = (response) => {
      response.writeHead(200, { 'content-length': 2 ** 40 });
      response.flushHeaders();
    };
    await expect(files().metadata({ path: 'a' }, never)).rejects.toThrow('larger than 4194304 bytes');
  });

  it('that does not come ends with the time of the request or with the run', async () => {
    answer = () => {};
    await expect(files().remove({ path: 'a' }, AbortSignal.abort())).rejects.toThrow('the request was canceled');
    const quick = makeOwnerFiles({
      ownerId: OWNER,
      sharedBuckets: new Set(),
      http: makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true, timeoutMs: 50 }),
      env: (name) => ({ SUPABASE_URL: url, SUPABASE_SERVICE_ROLE_KEY: KEY })[name],
      checkQuota,
    });
    await expect(quick.remove({ path: 'a' }, never)).rejects.toThrow('the request took longer than 0.05 s');
  });

  it('of another form is an error', async () => {
    const wrong = (body: string, call: (ours: ReturnType<typeof files>) => Promise<unknown>) => {
      answer = (response) => response.end(body);
      return expect(call(files())).rejects;
    };
    const list = (ours: ReturnType<typeof files>) => ours.list({ bucket: 'reports', path: undefined }, never);
    const sign = (ours: ReturnType<typeof files>) => ours.signUrl({ path: 'a' }, signed, never);
    const info = (ours: ReturnType<typeof files>) => ours.metadata({ path: 'a' }, never);
    for (const body of ['', '<html>', '{"a":']) await wrong(body, list).toThrow('Storage answered without JSON');
    const many = JSON.stringify(listed(1_001));
    for (const body of ['{}', '[null]', '[{"name":1}]', '[{"name":"a\\u0000"}]', many]) {
      await wrong(body, list).toThrow('unknown form');
    }
    for (
      const path of ['https://x.example/a', '//x.example/object/sign/a', '/object/public/a', '/object/sign/\ud800']
    ) {
      await wrong(JSON.stringify({ signedURL: path }), sign).toThrow('unknown form');
    }
    await wrong(JSON.stringify({ signedURL: `/object/sign/${'a'.repeat(9_000)}` }), sign).toThrow('unknown form');
    for (const body of ['[]', '{"content_type":"a/b"}', '{"content_type":null,"last_modified":"x"}']) {
      await wrong(body, info).toThrow('unknown form');
    }
  });

  it('with a folder lists its name with a slash, and says when names may be missing', async () => {
    answer = withJson([{ name: 'a', id: null }, { name: 'a.txt', id: 'x' }]);
    expect(await files().list({ bucket: 'user-storages', path: undefined }, never)).toEqual({
      names: ['a/', 'a.txt'],
      isCut: false,
    });
    answer = withJson(listed(1_000));
    expect(await files().list({ bucket: 'user-storages', path: undefined }, never)).toMatchObject({ isCut: true });
  });
});

it('a URL leads to the project, and names the file to save', async () => {
  answer = withJson({ signedURL: '/object/sign/user-storages/a?token=t' });
  const base = `${url}/storage/v1/object/sign/user-storages/a?token=t`;
  const sign = (download: boolean | string) => files().signUrl({ path: 'a' }, { ...signed, download }, never);
  expect(await sign(false)).toBe(base);
  expect(await sign(true)).toBe(`${base}&download=`);
  expect(await sign('ä&b=c#.txt')).toBe(`${base}&download=%C3%A4%26b%3Dc%23.txt`);
  expect(files().publicUrl({ bucket: 'user-public-storages', path: 'a b' })).toBe(
    `${url}/storage/v1/object/public/user-public-storages/${OWNER}/a%20b`,
  );
});

it('a URL begins with STORAGE_URL, and the key goes to SUPABASE_URL', async () => {
  answer = withJson({ signedURL: '/object/sign/a?token=t' });
  const ours = files({
    SUPABASE_URL: url,
    SUPABASE_SERVICE_ROLE_KEY: KEY,
    STORAGE_URL: 'https://files.example/storage/v1/',
  });
  expect(await ours.signUrl({ path: 'a' }, signed, never)).toBe(
    'https://files.example/storage/v1/object/sign/a?token=t',
  );
  expect(ours.publicUrl({ path: 'a' })).toMatch('https://files.example/storage/v1/object/public/user-storages/');
  expect(seen).toHaveLength(1);
});

it('the content type of a file is the given one, or that of its ending', async () => {
  answer = withJson({});
  const typeOf = async (path: string, given: string | undefined, isText = false) =>
    (await files().upload({ path }, { ...upload, isText, contentType: given }, never)).contentType;
  expect(await typeOf('a.png', undefined)).toBe('image/png');
  expect(await typeOf('a.bin9', undefined)).toBe('application/octet-stream');
  expect(await typeOf('a.png', 'text/x; charset=latin1')).toBe('text/x; charset=latin1');
  for (const wrong of ['', 'png', 'a/b\r\nx: y', 'a/b\0', `a/${'b'.repeat(101)}`, 'ä/b']) {
    await expect(typeOf('a', wrong)).rejects.toThrow('content_type: must be a media type');
  }
});
