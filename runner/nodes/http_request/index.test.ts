import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { effectsWith, type Halt, type NodeCall, publishedEffects, Released } from '../../engine/node.ts';
import { makeHttpClient } from '../../reach/http_client.ts';
import { HTTP_LIMITS } from '../../../tests/support/http_limits.ts';
import { httpRequestNode } from './index.ts';

let server: Server;
let base: string;

/** Echoes the request. On the path /answer, answers with `status`, `type` and the base64 `body` of the query. */
const answer: RequestListener = async (request, response) => {
  const { method, headers } = request;
  const body = Buffer.concat(await request.toArray());
  const url = new URL(request.url!, 'http://localhost');
  if (url.pathname === '/silent') return;
  if (url.pathname === '/swollen') {
    response.writeHead(Number(url.searchParams.get('status') ?? 200));
    return void response.end(Buffer.alloc(8_388_608));
  }
  if (url.pathname === '/answer') {
    const type = url.searchParams.get('type');
    response.writeHead(Number(url.searchParams.get('status') ?? 200), type === null ? {} : { 'content-type': type });
    return void response.end(Buffer.from(url.searchParams.get('body') ?? '', 'base64'));
  }
  // Reads the form by the parser of `Response`, so that the tests can compare the fields that were sent.
  const form = headers['content-type']?.startsWith('multipart/form-data')
    ? [...await new Response(body, { headers: { 'content-type': headers['content-type'] } }).formData()]
    : undefined;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(JSON.stringify({ method, query: url.search, headers, body: body.toString(), form: form ?? null }));
};

beforeAll(async () => {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const http = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true });

const run = (inputs: ValueMap, given: Partial<NodeCall> = {}) =>
  runNode(httpRequestNode, { url: { S: `${base}/echo` }, ...inputs }, { http, ...given });

/** Returns the request that the server received, as tagged values. */
const sent = async (inputs: ValueMap): Promise<ValueMap> => {
  const { body } = await run(inputs);
  if (body === undefined || !('M' in body)) throw new Error(`no map: ${JSON.stringify(body)}`);
  return body.M;
};

/** Returns the output for an answer of this type and these bytes. */
const answered = async (
  type: string | null,
  body: string | Uint8Array,
  status = 200,
  maxOutputBytes = 1_048_576,
): Promise<Value | undefined> => {
  const url = new URL(`${base}/answer?status=${status}`);
  if (type !== null) url.searchParams.set('type', type);
  url.searchParams.set('body', Buffer.from(body).toString('base64'));
  return (await run({ url: { S: url.href } }, { maxOutputBytes })).body;
};

const pairs = (...list: [string, string][]): Value => ({
  A: list.map(([name, value]) => ({ A: [{ S: name }, { S: value }] })),
});

describe('the request of http_request', () => {
  it('is a GET by default, even if every optional input is null', async () => {
    const nothing: ValueMap = Object.fromEntries(
      ['method', 'headers', 'basic_auth', 'query_params', 'body', 'form'].map((name) => [name, { N: 0 }]),
    );
    for (const inputs of [{}, nothing]) {
      expect(await sent(inputs)).toMatchObject({ method: { S: 'GET' }, query: { S: '' }, body: { S: '' } });
    }
    expect(await sent({ method: { S: 'delete' } })).toMatchObject({ method: { S: 'DELETE' } });
  });

  it('has headers and query parameters from a list of pairs or a map', async () => {
    for (const given of [pairs(['X-A', 'a&b'], ['x-c', 'd é']), { M: { 'X-A': { S: 'a&b' }, 'x-c': { S: 'd é' } } }]) {
      const { headers, query } = await sent({
        url: { S: `${base}/echo?z=1#part` },
        headers: given,
        query_params: given,
      });
      expect(headers).toMatchObject({ M: { 'x-a': { S: 'a&b' }, 'x-c': { S: 'd é' } } });
      expect(query).toEqual({ S: '?z=1&X-A=a%26b&x-c=d+%C3%A9' });
    }
    const { query } = await sent({ query_params: pairs(['a', '1'], ['a', '2']) });
    expect(query).toEqual({ S: '?a=1&a=2' });
  });

  it('has a body of plain JSON with all digits', async () => {
    const body: Value = {
      M: {
        null: { N: 0 },
        text: { S: 'ü"\n' },
        yes: { B: true },
        list: { A: [{ U: '18446744073709551615' }, { I: '-9223372036854775808' }] },
        large: { U1: '18446744073709551616' },
        small: { I1: '-5' },
        float: { F: '1e-7' },
        none: { F: 'NaN' },
        decimal: { D: '0.25' },
        integral: { D: '18446744073709551615.00' },
        key: { B3: '11111111111111111111111111111112' },
        bytes: { BY: 'AP8=' },
        map: { M: {} },
      },
    };
    const got = await sent({ method: { S: 'POST' }, body });
    expect(got.headers).toMatchObject({ M: { 'content-type': { S: 'application/json' } } });
    expect(got.body).toEqual({
      S: '{"null":null,"text":"ü\\"\\n","yes":true,"list":[18446744073709551615,-9223372036854775808],' +
        '"large":18446744073709551616.0,"small":-5,"float":1e-7,"none":null,"decimal":0.25,' +
        `"integral":18446744073709551615,"key":[${'0,'.repeat(31)}1],"bytes":[0,255],"map":{}}`,
    });
    const typed = await sent({ method: { S: 'PUT' }, body: { S: 'x' }, headers: pairs(['Content-Type', 'a/json']) });
    expect(typed).toMatchObject({ body: { S: '"x"' }, headers: { M: { 'content-type': { S: 'a/json' } } } });
  });

  it('has a multipart form that arrives unchanged', async () => {
    const fields: [string, string][] = [['a', '1'], ['a', '2'], ['ü "n"', 'line\r\nbreak --'], ['empty', '']];
    const { form } = await sent({
      method: { S: 'POST' },
      form: pairs(...fields),
      headers: pairs(['Content-Type', 'multipart/form-data']),
    });
    expect(form).toEqual(pairs(...fields));
    const fromMap = await sent({ method: { S: 'POST' }, form: { M: { name: { S: 'value' } } } });
    expect(fromMap.form).toEqual(pairs(['name', 'value']));
  });

  it.each<[string, Value]>([['[]', { A: [] }], ['{}', { M: {} }], ['null', { N: 0 }]])(
    'has no form if the form is %s, so that a body may be given, too',
    async (_text, form) => {
      const method: Value = { S: 'POST' };
      const withBody = await sent({ method, form, body: { M: { a: { U: '1' } } } });
      expect(withBody).toMatchObject({
        body: { S: '{"a":1}' },
        form: { N: 0 },
        headers: { M: { 'content-type': { S: 'application/json' } } },
      });
      const bare = await sent({ method, form });
      expect(bare).toMatchObject({ body: { S: '' }, form: { N: 0 } });
      expect('M' in bare.headers! ? bare.headers.M['content-type'] : undefined).toBeUndefined();
    },
  );

  it('has Basic credentials in UTF-8, in place of an authorization header', async () => {
    const authorization = async (basic_auth: Value) => {
      const { headers } = await sent({ basic_auth, headers: pairs(['Authorization', 'Bearer x']) });
      return 'M' in headers! ? headers.M.authorization : undefined;
    };
    const basic = (text: string) => ({ S: `Basic ${Buffer.from(text).toString('base64')}` });
    expect(await authorization({ M: { user: { S: 'ü' }, password: { S: 'p:w' } } })).toEqual(basic('ü:p:w'));
    expect(await authorization({ M: { user: { S: 'u' }, password: { N: 0 } } })).toEqual(basic('u:'));
    expect(await authorization({ N: 0 })).toEqual({ S: 'Bearer x' });
  });

  it.each<[string, ValueMap]>([
    ['method: invalid type: integer `1`, expected a string', { method: { U: '1' } }],
    ['url: invalid type: byte array, expected a string', { url: { B3: '11111111111111111111111111111112' } }],
    ['the URL is malformed', { url: { S: 'no url' }, query_params: pairs(['a', 'b']) }],
    ['headers: invalid type: string, expected a map, or a list of pairs', { headers: { S: 'x' } }],
    ['headers: invalid type: sequence, expected a pair [name, value]', { headers: { A: [{ A: [] }] } }],
    ['query_params: invalid type: integer `1`, expected a string', { query_params: { M: { a: { U: '1' } } } }],
    ['form: invalid type: boolean `true`, expected a string', { form: { A: [{ A: [{ S: 'a' }, { B: true }] }] } }],
    ['basic_auth: invalid type: string, expected a map', { basic_auth: { S: 'user:password' } }],
    ['missing field `user`', { basic_auth: { M: {} } }],
    ["basic_auth: a user name can't hold a colon", { basic_auth: { M: { user: { S: 'a:b' } } } }],
    ['give either body or form, not both', { body: { S: 'x' }, form: pairs(['a', 'b']) }],
  ])('is refused with "%s"', async (message, inputs) => {
    await expect(run(inputs)).rejects.toThrow(message);
  });

  it('needs a URL', async () => {
    await expect(runNode(httpRequestNode, {}, { http })).rejects.toThrow('missing field `url`');
  });
});

describe('the output of http_request', () => {
  it('is text of a text type, in its charset', async () => {
    expect(await answered('text/plain', 'grüße')).toEqual({ S: 'grüße' });
    expect(await answered('TEXT/html; Charset="ISO-8859-1"', Uint8Array.of(0x67, 0xfc))).toEqual({ S: 'gü' });
    expect(await answered('text/csv;charset=utf-16le', Uint8Array.of(0x61, 0))).toEqual({ S: 'a' });
    await expect(answered('text/plain; charset=klingon', 'x')).rejects.toThrow(
      "the response's charset klingon is unknown",
    );
  });

  it('is the value of JSON with all digits', async () => {
    expect(await answered('application/json', '{"a":"b"}')).toEqual({
      M: { a: { S: 'b' } },
    });
    expect(await answered('application/problem+json; charset=utf-8', '[1,-1,1.50,18446744073709551616,null]')).toEqual({
      A: [{ U: '1' }, { I: '-1' }, { D: '1.50' }, { U1: '18446744073709551616' }, { N: 0 }],
    });
    expect(await answered('application/json', '')).toEqual({ N: 0 });
    await expect(answered('application/json', '{"a":')).rejects.toThrow("the response's body: the text is not JSON: ");
    await expect(answered('application/json', '['.repeat(9_000))).rejects.toThrow(
      "the response's body: the JSON text is nested deeper than 64 levels",
    );
    await expect(answered('application/json', `[${'1,'.repeat(1_000)}1]`, 200, 4_000)).rejects.toThrow(
      "the response's body: the JSON text holds more than 500 values",
    );
  });

  it('is bytes for every other type, and without a type', async () => {
    expect(await answered('image/png', Uint8Array.of(0, 255))).toEqual({ BY: 'AP8=' });
    expect(await answered(null, 'x')).toEqual({ BY: 'eA==' });
    expect(await answered('application/octet-stream', new Uint8Array(32))).toEqual({ B3: '1'.repeat(32) });
    expect(await answered('application/octet-stream', '')).toEqual({ BY: '' });
  });

  it('has headers by name in lower case', async () => {
    const { headers } = await run({});
    expect(headers).toMatchObject({ M: { 'content-type': { S: 'application/json; charset=utf-8' } } });
  });

  it('is an error with status and text if the status is not 2xx', async () => {
    expect(await answered('text/plain', 'created', 201)).toEqual({ S: 'created' });
    await expect(answered('text/plain', 'no such thing', 404)).rejects.toThrow(/^status code: 404\nno such thing$/);
    await expect(answered('application/json', '{"error":"\\u0000"}', 500)).rejects.toThrow(
      'status code: 500\n{"error":"\\u0000"}',
    );
    await expect(answered('text/plain', 'a\0b', 400)).rejects.toThrow('status code: 400\na\uFFFDb');
    await expect(answered('image/png', 'PNG', 502)).rejects.toThrow(/^status code: 502$/);
    await expect(answered(null, '', 304)).rejects.toThrow(/^status code: 304$/);
    await expect(answered('text/plain', '🦀'.repeat(2_000), 500)).rejects.toThrow(
      `status code: 500\n${'🦀'.repeat(1_000)}… (8000 bytes in all)`,
    );
  });
});

it('http_request receives no more than an output may hold, and still reports the status', async () => {
  const swollen = `${base}/swollen`;
  await expect(run({ url: { S: swollen } })).rejects.toThrow(/^the response is larger than 1048576 bytes$/);
  await expect(run({ url: { S: `${swollen}?status=500` } })).rejects.toThrow(
    /^status code: 500; the response is larger than 1048576 bytes$/,
  );
});

describe('an execution of http_request', () => {
  it('may be repeated if its method is safe', () => {
    const effects = (method?: Value) => effectsWith(httpRequestNode, method === undefined ? {} : { method });
    expect([undefined, { N: 0 as const }, { S: 'get' }, { S: 'HEAD' }, { S: 'OPTIONS' }].map(effects)).toEqual(
      Array(5).fill('none'),
    );
    expect([{ S: 'POST' }, { S: 'PUT' }, { S: 'DELETE' }, { S: '' }, { U: '1' }].map(effects)).toEqual(
      Array(5).fill('once'),
    );
    expect(publishedEffects(httpRequestNode)).toBe('once');
  });

  it('ends at once when the run stops', async () => {
    const controller = new AbortController();
    const running = run({ url: { S: `${base}/silent` }, method: { S: 'POST' } }, { signal: controller.signal });
    const halt: Halt = { status: 'stopped', message: 'canceled by user enough', graceMs: 0 };
    setTimeout(() => controller.abort(halt), 50);
    await expect(running).rejects.toThrow('canceled by user enough');
  });

  it('is released with its run if it may be repeated; otherwise the run waits for it', async () => {
    const url = { S: `${base}/silent` };
    await expect(run({ url }, { releasing: AbortSignal.timeout(50) })).rejects.toThrow(Released);
    const quick = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true, timeoutMs: 300 });
    await expect(run({ url, method: { S: 'POST' } }, { releasing: AbortSignal.timeout(50), http: quick })).rejects
      .toThrow(
        'the request took longer than 0.3 s',
      );
  });
});
