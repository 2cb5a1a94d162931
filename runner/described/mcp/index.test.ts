import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HTTP_LIMITS } from '../../../tests/support/http_limits.ts';
import { startMcpServer, type TestTool } from '../../../tests/support/mcp_server.ts';
import { makeNodeCall, runNode } from '../../../tests/support/node_call.ts';
import { waitFor } from '../../../tests/support/wait.ts';
import type { McpImplementation } from '../../../types/described/mcp.ts';
import type { FrozenDefinition } from '../../../types/flow.ts';
import type { LosslessJson, ValueMap } from '../../../types/values/value.ts';
import { TransientError } from '../../engine/failures/transient_error.ts';
import { type HttpRequest, type NodeCall, NodeError, Released } from '../../engine/node.ts';
import { makeRedaction } from '../../connections/redaction.ts';
import { makeHttpClient } from '../../reach/http_client.ts';
import { makeModule } from './index.ts';
import { listTools } from './list_tools.ts';

const ANY = { inputSchema: { type: 'object' } };
let waiting = 0;
let canceled = 0;

const tools: Record<string, TestTool> = {
  sum: {
    description: { ...ANY, outputSchema: { type: 'object', properties: { sum: { type: 'number' } } } },
    call: ({ params }) => ({
      content: [{ type: 'text', text: 'added' }],
      structuredContent: {
        sum: Number(params.arguments!.a) + Number(params.arguments!.b),
        file: 'AQID',
        given: params.arguments,
      },
    }),
  },
  steps: {
    description: ANY,
    call: async ({ params: { _meta } }, { mcpReq }) => {
      for (const progress of [1, 2]) {
        const params = { progressToken: _meta!.progressToken, progress, total: 2, message: `step ${progress}` };
        await mcpReq.notify({ method: 'notifications/progress', params } as never);
      }
      return { content: [{ type: 'text', text: 'done' }] };
    },
  },
  fails: {
    description: ANY,
    call: () => ({ isError: true, content: [{ type: 'text', text: 'no stock' }, { type: 'text', text: 'left' }] }),
  },
  waits: {
    description: ANY,
    call: async (_, { mcpReq }) => {
      waiting++;
      await new Promise<void>((resolve) => mcpReq.signal.addEventListener('abort', () => resolve()));
      canceled++;
      return { content: [] };
    },
  },
  region: {
    description: {
      inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
    },
    call: () => ({ content: [] }),
  },
  unknown: {
    description: ANY,
    call: () => {
      throw new Error('the tool broke');
    },
  },
};

let server: Awaited<ReturnType<typeof startMcpServer>>;
let guarded: Awaited<ReturnType<typeof startMcpServer>>;
const SECRET = 's3cret-token-1234';
beforeAll(async () => {
  server = await startMcpServer(tools);
  guarded = await startMcpServer(tools, { guard: ({ authorization }) => authorization === `Bearer ${SECRET}` });
});
afterAll(() => {
  server.close();
  guarded.close();
});
afterEach(() => {
  server.received.length = 0;
});

const http = makeHttpClient({ ...HTTP_LIMITS, isAllowed: (address) => address === '127.0.0.1' });

const frozen = (
  implementation: unknown,
  effects = 'none',
  sources: FrozenDefinition['sources'] = [],
): FrozenDefinition => ({
  type: 'mcp',
  data: { node_id: 'sum', version: '3', effects, implementation: implementation as LosslessJson },
  sources,
  targets: [],
});

const MODERN = { supportedVersions: ['2026-07-28'] };
const tool = (name: string, more: Partial<McpImplementation> = {}): McpImplementation => ({
  url: server.url,
  tool: name,
  discover: MODERN,
  inputs: [{ port: 'a', name: 'a' }, { port: 'b_arg', name: 'b' }],
  headers: [],
  outputs: [],
  ...more,
});

const run = async (
  implementation: McpImplementation,
  inputs: ValueMap = {},
  call: Partial<NodeCall> = {},
  definition = frozen(implementation),
) => await runNode(makeModule(definition), inputs, { http, ...call });

const text = (words: string) => ({ A: [{ M: { type: { S: 'text' }, text: { S: words } } }] });

describe('a tool of an MCP server', () => {
  it('is called by one request, with arguments from inputs, and gives content, structured and members', async () => {
    const implementation = tool('sum', {
      outputs: [{ port: 'sum', name: 'sum' }, { port: 'file_result', name: 'file' }],
    });
    const made = await run(implementation, { a: { U: '1' }, b_arg: { D: '0.5' } }, {}, {
      ...frozen(implementation),
      sources: [{ name: 'file_result', type: 'bytes' }],
    });
    expect(made).toMatchObject({
      content: text('added'),
      structured: { M: { sum: { D: '1.5' } } },
      sum: { D: '1.5' },
      file_result: { BY: 'AQID' },
    });
    expect(server.received.map(({ method, message }) => [method, message])).toEqual([['POST', 'tools/call']]);
  });

  it('of a server of 2025 is called after a handshake, without a standing stream', async () => {
    const made = await run(tool('sum', { discover: undefined }), { a: { U: '1' }, b_arg: { U: '2' } });
    expect(made).toMatchObject({ structured: { M: { sum: { U: '3' } } } });
    expect(server.received.map(({ method, message }) => [method, message])).toEqual([
      ['POST', 'initialize'],
      ['POST', 'notifications/initialized'],
      ['POST', 'tools/call'],
    ]);
  });

  it('gets and gives numbers with all their digits, and leaves out inputs without a value', async () => {
    const made = await run(tool('sum', { inputs: [{ port: 'a', name: 'big' }, { port: 'n', name: 'none' }] }), {
      a: { A: [{ U: '18446744073709551615' }, { D: '0.1000000000000000000000000001' }, { S: '18446744073709551615' }] },
      n: { N: 0 },
    });
    expect(server.received[0]!.body).toContain(
      '{"big":[18446744073709551615,0.1000000000000000000000000001,"18446744073709551615"]}',
    );
    // The server's own parser has lost digits.
    expect(made).toMatchObject({
      structured: { M: { given: { M: { big: { A: [expect.anything(), { D: '0.1' }, {}] } } } } },
    });
  });

  it('repeats arguments as headers if its schema says so', async () => {
    const headers: McpImplementation['headers'] = [{ path: ['a'], header: 'Region', type: 'string' }];
    await run(
      tool('region', { inputs: [{ port: 'a', name: 'region' }], headers: [{ ...headers[0]!, path: ['region'] }] }),
      {
        a: { S: 'eu' },
      },
    );
    expect(server.received[0]!.headers['mcp-param-region']).toBe('eu');
  });

  it('writes its progress into the log', async () => {
    const lines: string[] = [];
    expect(await run(tool('steps'), {}, { log: (_, line) => lines.push(line) })).toMatchObject({
      content: text('done'),
    });
    expect(lines).toEqual(['1/2 step 1', '2/2 step 2']);
  });

  it('fails with its text, or with the reason of the server', async () => {
    await expect(run(tool('fails'))).rejects.toThrow('no stock\nleft');
    await expect(run(tool('unknown'))).rejects.toThrow(/the server refuses the call: .*\(-32603\)/);
    await expect(run(tool('sum', { discover: { supportedVersions: ['2030-01-01'] } }))).rejects.toThrow(
      'the MCP server:',
    );
  });

  it('is canceled by a stop, by a release if it may run again, and by its time', async () => {
    for (const end of ['signal', 'releasing'] as const) {
      const stop = new AbortController();
      const before = { waiting, canceled };
      const running = run(tool('waits'), {}, { [end]: stop.signal });
      running.catch(() => {});
      await waitFor(() => waiting > before.waiting || undefined);
      stop.abort(new Released());
      await expect(running).rejects.toThrow(end === 'releasing' ? Released : NodeError);
      await waitFor(() => canceled > before.canceled || undefined);
    }
    await expect(run(tool('waits'), {}, { timeoutMs: 100 })).rejects.toThrow(/took longer than 0.1 s/);
  });

  it.each([
    ['once', true, 40],
    ['once', false, 60],
    ['none', true, 60],
  ])('with effects %s, in a function: %s, may take %i s', async (effects, isInFunction, seconds) => {
    const sent: (number | undefined)[] = [];
    const asked = {
      request: (request: HttpRequest) => {
        sent.push(request.timeoutMs);
        return Promise.reject(new NodeError('refused'));
      },
    };
    const wallEnd = isInFunction ? new AbortController().signal : undefined;
    const implementation = tool('sum');
    await expect(run(implementation, {}, { http: asked, wallEnd }, frozen(implementation, effects))).rejects.toThrow(
      'refused',
    );
    expect(sent).toEqual([seconds * 1_000]);
  });

  it('gets the secret of its connection, which no error repeats', async () => {
    const credential = {
      check: () => {},
      add: (head: { url: URL; headers: Headers }) => {
        const headers = new Headers(head.headers);
        headers.set('authorization', `Bearer ${SECRET}`);
        return { ...head, headers };
      },
      remove: (url: URL) => url,
      redaction: makeRedaction([SECRET]),
    };
    const call = { formData: { connection: 'shop' }, openConnection: async () => credential };
    const echo = { a: { U: '1' }, b_arg: { S: SECRET } };
    const implementation = tool('sum', { url: guarded.url });
    const made = await run(implementation, echo, call);
    expect(JSON.stringify(made)).toContain('[redacted]');
    expect(JSON.stringify(made)).not.toContain(SECRET);
    await expect(run(implementation, echo)).rejects.toThrow('status code: 401\nwho are you?');
  });

  it.each([
    [{ url: 'ftp://a.example' }, 'data.implementation.url: must be an http or https URL'],
    [{ url: 'http://user:password@a.example' }, 'data.implementation.url'],
    [{ tool: '' }, 'data.implementation.tool'],
    [{ more: 1 }, 'data.implementation'],
  ])('fails with an invalid implementation: %j', (more, fault) => {
    const { run: runTool } = makeModule(frozen({ ...tool('sum'), ...more }));
    expect(() => runTool(makeNodeCall(makeModule(frozen({}))))).toThrow(`definition_invalid: ${fault}`);
  });
});

describe('listTools', () => {
  const list = (url: string) =>
    listTools({ url, http, credential: undefined, timeoutMs: 60_000, end: AbortSignal.any([]) });

  it('lists the tools, and the versions of the server', async () => {
    const listed = await list(server.url);
    expect(listed).toMatchObject({ url: server.url, server: { name: 'shop', version: '3' }, discover: MODERN });
    expect(listed.tools.map((one) => (one as { name: string }).name)).toEqual(Object.keys(tools));
    await expect(list(guarded.url)).rejects.toThrow('status code: 401');
  });

  it.each([
    ['cursors that fill the memory', { tools: [], nextCursor: 'x'.repeat(6_000_000) }, 'is larger than 16 MiB'],
    [
      'too many tools',
      { tools: Array.from({ length: 6_000 }, () => ({ name: 'a', ...ANY })) },
      'has more than 5000 tools',
    ],
    ['too many values', { tools: [Array.from({ length: 200_000 }, () => 0)] }, 'holds more than 200000 values'],
  ])('refuses %s', async (_, page, fault) => {
    let count = 0;
    const endless = createServer(async (request, response) => {
      const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      const cursor = 'nextCursor' in page ? { nextCursor: `${count++}${page.nextCursor}` } : {};
      const found = { ...page, ...cursor, ttlMs: 0, cacheScope: 'private' };
      const server = { ...MODERN, capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } };
      const result = { resultType: 'complete', ...(method === 'server/discover' ? { ...server, ...found } : found) };
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({ jsonrpc: '2.0', id, result }),
      );
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    await expect(list(`http://127.0.0.1:${(endless.address() as AddressInfo).port}`)).rejects.toThrow(fault);
    endless.closeAllConnections();
    endless.close();
  });
});

describe('a hostile server', () => {
  type Answer = (response: ServerResponse, id: number, request: IncomingMessage, method: string | undefined) => void;
  const BEGAN = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'a', version: '1' },
  };
  /** The answers to requests of /asking. */
  let answered = 0;
  /** The requests to /session. */
  const ofSession: string[] = [];
  const event = (message: object) => `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
  const EVENTS = { 'content-type': 'text/event-stream' };
  const JSON_TYPE = { 'content-type': 'application/json' };
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const progress = (id: number) =>
    event({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
  const structured = (id: number, json: string) =>
    `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","content":[],"structuredContent":{"a":${json}}}}`;
  const result = (id: number, more: object) => event({ id, result: { resultType: 'complete', ...more } });
  const answers: Record<string, Answer> = {
    silent: () => {},
    stalling: (response) => void response.writeHead(200, EVENTS).write(':\n\n'),
    ending: (response) => void response.writeHead(200, EVENTS).end(':\n\n'),
    resuming: (response) => void response.writeHead(200, EVENTS).end('id: 7\nretry: 1\ndata:\n\n'),
    breaking: (response) => {
      response.writeHead(200, EVENTS).write(':\n\n');
      setTimeout(() => response.socket!.destroy(), 50);
    },
    endless: (response) => {
      response.writeHead(200, EVENTS);
      const pour = () => {
        while (response.write(`:${'x'.repeat(10_000)}\n\n`));
      };
      response.on('drain', pour);
      pour();
    },
    page: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    garbage: (response) => void response.writeHead(200, EVENTS).end('data: {"a":\n\n'),
    inner: (response) => void response.writeHead(307, { location: 'http://10.1.2.3/' }).end(),
    session: (response, id, request, method) => {
      const { 'mcp-session-id': session } = request.headers;
      ofSession.push([method ?? request.method, session].join(' ').trim());
      if (id === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { ...JSON_TYPE, 'mcp-session-id': 's1' }).end(
        JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? BEGAN : { content: [] } }),
      );
    },
    // The newest revision has no handshake, and no requests of servers.
    asking: (response, id, _, method) => {
      answered += method === undefined ? 1 : 0;
      if (id === undefined || method === undefined) return void response.writeHead(202).end();
      if (method !== 'initialize') return void response.writeHead(200, EVENTS).end(event(ping).repeat(2_000));
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, result: BEGAN }));
    },
    list: (response) => void response.writeHead(200, JSON_TYPE).end(JSON.stringify([ping, ping])),
    chatty: (response, id) => void response.writeHead(200, EVENTS).end(progress(id).repeat(6_000)),
    talking: (response, id) =>
      void response.writeHead(200, EVENTS).end(progress(id).repeat(4_000) + result(id, { content: [] })),
    blank: (response, id) =>
      void response.writeHead(200, EVENTS).end('\n'.repeat(5_000_000) + result(id, { content: [] })),
    'many-values': (response, id) =>
      void response.writeHead(200, JSON_TYPE).end(structured(id, `[${'0,'.repeat(140_000)}0]`)),
    'long-event': (response, id) =>
      void response.writeHead(200, EVENTS).end(`data: ${structured(id, `[${'0,'.repeat(140_000)}0]`)}\n\n`),
    long: (response, id) => void response.writeHead(200, JSON_TYPE).end(structured(id, `"${'x'.repeat(2_000_000)}"`)),
    nested: (response, id) =>
      void response.writeHead(200, JSON_TYPE).end(structured(id, '['.repeat(90) + ']'.repeat(90))),
    refusing: (response) => void response.writeHead(400, JSON_TYPE).end(`[${'[],'.repeat(1_000_000)}[]]`),
    busy: (response) => void response.writeHead(429, { 'retry-after': '7' }).end('too many'),
    'no-result': (response, id) => void response.writeHead(200, EVENTS).end(event({ id, result: 7 })),
    asks: (response, id) =>
      void response.writeHead(200, EVENTS).end(event({
        id,
        result: {
          resultType: 'input_required',
          inputRequests: {
            q: {
              method: 'elicitation/create',
              params: { message: 'Which\0 city?', mode: 'form', requestedSchema: { type: 'object', properties: {} } },
            },
          },
          requestState: 'state',
        },
      })),
    names: (response, id) =>
      void response.writeHead(200, EVENTS).end(
        result(id, { content: [], structuredContent: JSON.parse('{"__proto__":{"a":1},"constructor":2}') }),
      ),
    big: (response, id) =>
      void response.writeHead(200, EVENTS).end(
        `data: {"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","content":[],"structuredContent":{"n":12345678901234567890}}}\n\n`,
      ),
    rounded: (response, id, _request, method) => {
      if (id === undefined) return void response.writeHead(202).end();
      const parts: Record<string, string> = {
        initialize:
          `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}`,
        'tools/list':
          `"result":{"tools":[{"name":"a","inputSchema":{"type":"object","maximum":18446744073709551615}}]}`,
      };
      const part = parts[method ?? ''] ?? '"error":{"code":-32601,"message":"Method not found"}';
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${part}}`,
      );
    },
  };
  let hostile: ReturnType<typeof createServer>;
  beforeAll(async () => {
    hostile = createServer(async (request, response) => {
      const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}');
      answers[request.url!.slice(1)]!(response, id, request, method);
    });
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    hostile.closeAllConnections();
    hostile.close();
  });
  const call = (name: string, timeoutMs = 60_000) => {
    const { port } = hostile.address() as AddressInfo;
    const implementation = tool('sum', {
      url: `http://127.0.0.1:${port}/${name}`,
      outputs: [{ port: 'proto', name: '__proto__' }],
    });
    return run(implementation, {}, { timeoutMs }).catch((error: unknown) => error);
  };

  it.each(['silent', 'stalling'])('that is %s ends with the time', async (name) => {
    expect(String(await call(name, 200))).toMatch(/took longer than 0.2 s/);
  });

  it.each([
    ['ending', 'the server ended the stream without a result'],
    ['resuming', 'the server ended the stream without a result'],
    ['breaking', 'the connection was closed before the response was complete'],
    ['endless', 'the response is larger than'],
    ['page', 'Unexpected content type: text/html'],
    ['garbage', 'the server ended the stream without a result'],
    ['inner', 'Redirect to http://10.1.2.3/ not followed'],
    ['no-result', 'the server ended the stream without a result'],
    ['list', 'the server answers with a list'],
    ['chatty', 'the server sends more than 5000 events'],
    ['many-values', "the server's answer holds more than 132072 values"],
    ['long-event', "the server's answer holds more than 132072 values"],
    ['long', "the server's answer is larger than 1114112 characters"],
    ['nested', "the server's answer is nested deeper than 72 levels"],
    ['refusing', 'status code: 400'],
    ['asks', "the tool asks for input, which a node can't give: Which\uFFFD city?"],
  ])('that answers %s fails the node', async (name, message) => {
    expect(String(await call(name))).toContain(message);
  });

  it('of 2025 that asks again and again gets few answers', async () => {
    const { port } = hostile.address() as AddressInfo;
    const asking = run(tool('sum', { url: `http://127.0.0.1:${port}/asking`, discover: undefined }));
    await expect(asking).rejects.toThrow('the server makes more than 16 requests of its own');
    expect(answered).toBeLessThanOrEqual(16);
  });

  it('that sends many events lets other work proceed', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    expect(await call('talking', 100_000)).toMatchObject({ content: { A: [] } });
    expect(await call('blank', 100_000)).toMatchObject({ content: { A: [] } });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });

  it('may describe tools with numbers that JavaScript rounds', async () => {
    const { port } = hostile.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/rounded`;
    const { tools: listed } = await listTools({
      url,
      http,
      credential: undefined,
      timeoutMs: 5_000,
      end: AbortSignal.any([]),
    });
    expect(listed).toMatchObject([{ inputSchema: { maximum: 2 ** 64 } }]);
  });

  it('of 2025 that begins a session gets its end', async () => {
    const { port } = hostile.address() as AddressInfo;
    await run(tool('sum', { url: `http://127.0.0.1:${port}/session`, discover: undefined }));
    expect(ofSession).toEqual(['initialize', 'notifications/initialized s1', 'tools/call s1', 'DELETE s1']);
  });

  it('gives the time to wait', async () => {
    const error = await call('busy');
    expect(error).toBeInstanceOf(TransientError);
    expect(error).toMatchObject({ message: 'status code: 429\ntoo many', transience: { retryAfterMs: 7_000 } });
  });

  it('may name members as it likes, and numbers keep their digits', async () => {
    expect(await call('names')).toMatchObject({ proto: { M: { a: { U: '1' } } } });
    expect(({} as { a?: unknown }).a).toBeUndefined();
    expect(await call('big')).toMatchObject({ structured: { M: { n: { U: '12345678901234567890' } } } });
  });
});
