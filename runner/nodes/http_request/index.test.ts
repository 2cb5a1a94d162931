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
  if (url.pathname === '/login') {
    const cookies = ['session=1; Path=/; HttpOnly', 'gone=1'];
    return void response.writeHead(302, {
      location: '/welcome',
      'set-cookie': cookies,
      'content-type': 'text/plain',
    }).end('moved');
  }
  if (url.pathname === '/welcome' && headers.cookie?.includes('gone')) {
    return void response.writeHead(302, { location: '/welcome', 'set-cookie': 'gone=; Max-Age=0' }).end();
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

  it('has numbers, booleans and keys as texts, each member of a list, and nothing for null', async () => {
    const key = '11111111111111111111111111111112';
    const map: ValueMap = {
      count: { U: '18446744073709551615' },
      price: { D: '2.20' },
      ratio: { F: '0.5' },
      isOn: { B: false },
      key: { B3: key },
      tag: { A: [{ S: 'a' }, { I: '-1' }, { N: 0 as const }].slice(0, 2) },
      none: { N: 0 },
      empty: { A: [] },
    };
    const list: Value = { A: Object.entries(map).map(([name, value]) => ({ A: [{ S: name }, value] })) };
    const expected: [string, string][] = [
      ['count', '18446744073709551615'],
      ['price', '2.20'],
      ['ratio', '0.5'],
      ['isOn', 'false'],
      ['key', key],
      ['tag', 'a'],
      ['tag', '-1'],
    ];
    for (const given of [{ M: map }, list]) {
      const { query, headers } = await sent({ query_params: given, headers: given });
      expect(query).toEqual({ S: `?${new URLSearchParams(expected)}` });
      expect(headers).toMatchObject({ M: { count: { S: '18446744073709551615' }, tag: { S: 'a, -1' } } });
      expect('M' in headers! && Object.keys(headers.M)).not.toContain('none');
      const { form } = await sent({ method: { S: 'POST' }, form: given });
      expect(form).toEqual(pairs(...expected));
    }
    const { headers } = await sent({ headers: { M: { cookie: { A: [{ S: 'a=1' }, { S: 'b=2' }] } } } });
    expect(headers).toMatchObject({ M: { cookie: { S: 'a=1; b=2' } } });
  });

  it('keeps the query of its URL byte for byte beside query parameters', async () => {
    const own = "?q=a%20b~c'd&r=%C3%BC+!*()&flag&sig=%2f%2F";
    const { query } = await sent({ url: { S: `${base}/echo${own}` }, query_params: pairs(['x', '1 2']) });
    const { query: alone } = await sent({ url: { S: `${base}/echo${own}` } });
    expect(query).toEqual({ S: `${'S' in alone! ? alone.S : ''}&x=1+2` });
    expect(alone).toEqual({ S: own.replace("'", '%27') });
  });

  it.each<[string, Value, string]>([
    ['application/x-www-form-urlencoded', { S: 'a=1&b=%20' }, 'a=1&b=%20'],
    ['application/xml; charset=utf-8', { S: '<a>ü</a>' }, '<a>ü</a>'],
    ['text/plain', { S: 'plain' }, 'plain'],
    ['application/x-ndjson', { S: '{"a":1}\n{"a":2}\n' }, '{"a":1}\n{"a":2}\n'],
    ['text/plain; charset=us-ascii', { S: 'plain' }, 'plain'],
    ['application/octet-stream', { BY: 'YWI=' }, 'ab'],
    [
      'application/x-www-form-urlencoded',
      { M: { a: { U: '1' }, b: { A: [{ S: 'x y' }, { B: true }] } } },
      'a=1&b=x+y&b=true',
    ],
    ['text/plain', { U: '5' }, '5'],
    ['application/vnd.api+json', { S: 'x' }, '"x"'],
  ])('has a body of the type %s as it is: %j', async (type, body, expected) => {
    const got = await sent({ method: { S: 'POST' }, body, headers: { M: { 'Content-Type': { S: type } } } });
    expect(got.body).toEqual({ S: expected });
    expect(got.headers).toMatchObject({ M: { 'content-type': { S: type } } });
  });

  it('has a form of the type that its header names', async () => {
    const headers = pairs(['content-type', 'application/x-www-form-urlencoded']);
    const got = await sent({ method: { S: 'POST' }, form: { M: { 'a b': { S: 'ü&' }, n: { U: '1' } } }, headers });
    expect(got).toMatchObject({ body: { S: 'a+b=%C3%BC%26&n=1' }, form: { N: 0 } });
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
    ['query_params: invalid type: map, expected a text, a number, a boolean or a key', {
      query_params: { M: { a: { M: {} } } },
    }],
    ['form: invalid type: byte array, expected a text, a number, a boolean or a key', {
      form: { A: [{ A: [{ S: 'a' }, { BY: '' }] }] },
    }],
    ['headers: invalid type: sequence, expected a text, a number, a boolean or a key', {
      headers: { M: { a: { A: [{ A: [] }] } } },
    }],
    ["body: texts are sent in UTF-8, so the content-type can't name the charset iso-8859-1", {
      body: { S: 'ü' },
      headers: pairs(['content-type', 'text/xml; charset=iso-8859-1']),
    }],
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
  });

  const latin = (text: string) => Buffer.from(text, 'latin1');
  const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
  it.each<[string, string, Uint8Array, string]>([
    ['XML', 'application/xml', Buffer.from('<a>ü</a>'), '<a>ü</a>'],
    [
      'XML in the charset of its declaration',
      'application/xml',
      latin('<?xml version="1.0" encoding="ISO-8859-1"?><a>ü</a>'),
      '<?xml version="1.0" encoding="ISO-8859-1"?><a>ü</a>',
    ],
    [
      'XML in UTF-16',
      'application/rss+xml',
      utf16be('<?xml version="1.0" encoding="UTF-16"?><a>ü</a>'),
      '<?xml version="1.0" encoding="UTF-16"?><a>ü</a>',
    ],
    [
      'XML in the charset of its header',
      'image/svg+xml; charset=iso-8859-1',
      latin('<?xml version="1.0" encoding="utf-8"?>ü'),
      '<?xml version="1.0" encoding="utf-8"?>ü',
    ],
    [
      'HTML in the charset of its meta element',
      'text/html',
      latin('<html><meta charset="windows-1252">ü'),
      '<html><meta charset="windows-1252">ü',
    ],
    [
      'HTML in the charset of its http-equiv',
      'text/html',
      latin('<meta http-equiv=Content-Type content="text/html; charset=iso-8859-1">ü'),
      '<meta http-equiv=Content-Type content="text/html; charset=iso-8859-1">ü',
    ],
    ['a text with a byte order mark', 'text/csv; charset=iso-8859-1', Buffer.from('\uFEFFü'), 'ü'],
    ['a text in UTF-16 with a byte order mark', 'text/plain', Buffer.from('\uFEFFü', 'utf16le'), 'ü'],
    ['JavaScript', 'application/javascript', Buffer.from('"ü"'), '"ü"'],
    ['JavaScript by its older name', 'application/x-javascript; charset=utf-8', Buffer.from('1'), '1'],
    ['YAML', 'application/yaml', Buffer.from('a: 1'), 'a: 1'],
    ['a text in an unknown charset', 'text/plain; charset=klingon', Buffer.from('ü'), 'ü'],
    ['a form', 'application/x-www-form-urlencoded', Buffer.from('a=1'), 'a=1'],
    ['NDJSON', 'application/x-ndjson', Buffer.from('{"a":1}\n{"a":2}\n'), '{"a":1}\n{"a":2}\n'],
    ['NDJSON of one line', 'application/ndjson', Buffer.from('{"a":1}'), '{"a":1}'],
    ['JSON lines', 'application/jsonl; charset=utf-8', Buffer.from('1\n2'), '1\n2'],
    ['a stream of JSON', 'application/stream+json', Buffer.from('1\n2'), '1\n2'],
    ['a JSON sequence', 'application/json-seq', Buffer.from('\x1e1\n'), '\x1e1\n'],
  ])('is text of %s', async (_what, type, body, expected) => {
    expect(await answered(type, body)).toEqual({ S: expected });
  });

  it.each<[string, Uint8Array]>([
    ['text/plain', latin('gr\xfcn')],
    ['text/plain; charset=utf-8', latin('\xff')],
    ['application/xml', latin('<a>\xfc</a>')],
    ['text/plain; charset=utf-16le', Uint8Array.of(0, 0xd8)],
    ['text/plain; charset=klingon', latin('\xfc')],
    ['application/json', latin('"\xfc"')],
  ])('is bytes for a %s that is not valid in its charset', async (type, body) => {
    expect(await answered(type, body)).toEqual({ BY: Buffer.from(body).toString('base64') });
  });

  it('is the value of JSON whose charset has no meaning', async () => {
    expect(await answered('application/json; charset=binary', '"ü"')).toEqual({ S: 'ü' });
    expect(await answered('application/x-amz-json-1.1', '{"a":1}')).toEqual({ M: { a: { U: '1' } } });
    expect(await answered('application/json', '\uFEFF[1]')).toEqual({ A: [{ U: '1' }] });
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

  it('has each cookie, also those that were set on the way', async () => {
    const { cookies, body } = await run({ url: { S: `${base}/login` } });
    expect(cookies).toEqual({ A: [{ S: 'session=1; Path=/; HttpOnly' }, { S: 'gone=1' }, { S: 'gone=; Max-Age=0' }] });
    expect(body).toMatchObject({ M: { headers: { M: { cookie: { S: 'session=1' } } } } });
    expect((await run({})).cookies).toEqual({ A: [] });
  });

  it('is the redirect itself if the form says so', async () => {
    const stopped = await run({ url: { S: `${base}/login` } }, { formData: { redirects: 'stop' } });
    expect(stopped).toMatchObject({
      body: { S: 'moved' },
      headers: { M: { location: { S: '/welcome' } } },
      cookies: { A: [{ S: 'session=1; Path=/; HttpOnly' }, { S: 'gone=1' }] },
    });
    for (const redirects of ['', null, 'follow']) {
      const { body } = await run({ url: { S: `${base}/login` } }, { formData: { redirects } });
      expect(body).toMatchObject({ M: { query: { S: '' } } });
    }
    await expect(run({}, { formData: { redirects: 'no' } })).rejects.toThrow('redirects must be follow or stop');
    const failed = `${base}/answer?status=500`;
    await expect(run({ url: { S: failed } }, { formData: { redirects: 'stop' } })).rejects.toThrow('status code: 500');
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
    await expect(answered('text/plain; charset=iso-8859-1', Buffer.from('gr\xfcn', 'latin1'), 400)).rejects.toThrow(
      /^status code: 400\ngrün$/,
    );
    await expect(answered('application/problem+xml', '<problem>ü</problem>', 422)).rejects.toThrow(
      /^status code: 422\n<problem>ü<\/problem>$/,
    );
    await expect(answered('text/plain', Buffer.from('gr\xfcn', 'latin1'), 400)).rejects.toThrow(/^status code: 400$/);
    await expect(answered('text/plain', `a${'🦀'.repeat(2_000)}`, 500)).rejects.toThrow(
      `status code: 500\na${'🦀'.repeat(999)}… (8001 bytes in all)`,
    );
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
