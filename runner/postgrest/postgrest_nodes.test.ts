import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HTTP_LIMITS } from '../../tests/support/http_limits.ts';
import { runNode } from '../../tests/support/node_call.ts';
import type { FormJson } from '../../tests/support/flow_builder.ts';
import { toWireJson } from '../../types/values/json/wire_json.ts';
import type { LosslessJson, Value, ValueMap } from '../../types/values/value.ts';
import { effectsWith, type NodeCall, type NodeModule, publishedEffects, Released } from '../engine/node.ts';
import { TransientError } from '../engine/failures/transient_error.ts';
import { nodeRegistry } from '../nodes/registry.ts';
import { makeHttpClient } from '../reach/http_client.ts';
import { makeProjectApi } from '../reach/project_api.ts';

interface Received {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

let server: Server;
let origin: string;
let received: Received[] = [];
interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

/** The server's answer to the next requests. If undefined, the server never answers. */
let answer: Answer | undefined;
/** Set if the answers depend on the request. */
let answerTo: ((url: URL, body: string) => Answer) | undefined;
let primaryKey: string[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    received.push({ method: request.method!, url: request.url!, headers: request.headers as never, body });
    const given = answerTo?.(new URL(request.url!, origin), body) ?? answer;
    if (given === undefined) return;
    response.writeHead(given.status ?? 200, {
      'content-type': 'application/json; charset=utf-8',
      ...given.headers,
    });
    response.end(given.body ?? '[]');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  received = [];
  answer = {};
  answerTo = undefined;
  primaryKey = [];
});

/** Makes the services of a node. The project's address is the test's server. */
function services(timeoutMs = HTTP_LIMITS.timeoutMs): Partial<NodeCall> {
  return {
    http: makeHttpClient({ ...HTTP_LIMITS, timeoutMs }),
    project: makeProjectApi({
      rpc: (async (name: string) =>
        name === 'primary_key_columns' ? primaryKey : { token: 'token', seconds: 300 }) as never,
      claim: { flow_run_id: 'run', claim_number: 1 },
      address: { restUrl: `${origin}/rest/v1`, publicKey: 'public' },
      http: makeHttpClient({
        ...HTTP_LIMITS,
        timeoutMs,
        isAllowed: () =>
          true,
      }),
      now: () => 0,
    }),
  };
}

// SAFETY: each name is the name of a node with outputs.
const node = (name: string) => nodeRegistry(name) as NodeModule;

const run = (name: string, inputs: ValueMap, given: Partial<NodeCall> = {}) =>
  runNode(node(name), inputs, { ...services(), ...given });

type Step = [builder: string, operands: ValueMap, form?: Record<string, FormJson>];

/** The form data of an author who writes all these values into the form. */
const formOf = (operands: ValueMap): LosslessJson => JSON.parse(toWireJson({ M: operands }));

const queryOf = async ([begin, beginOperands]: [string, ValueMap], ...steps: Step[]): Promise<Value> => {
  let { query } = await run(begin, beginOperands, { formData: formOf(beginOperands) });
  for (const [builder, operands, form] of steps) {
    const inputs = { query: query!, ...operands };
    const formData = { ...formOf(operands) as object, ...form } as LosslessJson;
    ({ query } = await run(`postgrest_builder_${builder}`, inputs, { formData }));
  }
  return query!;
};

const ofTable = (...steps: Step[]) => queryOf(['postgrest_new_query', { table: { S: 'notes' } }], ...steps);
const ofFunction = ['postgrest_new_rpc', { function: { S: 'add' }, params: { M: { a: { U: '1' } } } }] satisfies [
  string,
  ValueMap,
];

const text = (S: string): Value => ({ S });
const compared = (filter: Value): ValueMap => ({ column: text('name'), filter });

/** The request that the server received for these changes of a query. */
const sent = async (...steps: Step[]): Promise<Received> => {
  await run('postgrest_execute_query', { query: await ofTable(...steps) });
  expect(received).toHaveLength(1);
  return received[0]!;
};

describe('a query', () => {
  it.each<[string, ValueMap, string]>([
    ['eq', compared(text('a b&select=*#')), 'name=eq.a+b%26select%3D*%23'],
    ['eq', compared({ U: '18446744073709551615' }), 'name=eq.18446744073709551615'],
    ['neq', compared({ B: true }), 'name=neq.true'],
    ['is', compared(text('not_null')), 'name=is.not_null'],
    ['not', { operator: text('in'), ...compared(text('(1,2)')) }, 'name=not.in.%281%2C2%29'],
    ['match', { filter: { M: { a: { I: '-1' }, b: text('x'), c: { N: 0 } } } }, 'a=eq.-1&b=eq.x&c=is.null'],
    ['select', { columns: text('id,tags(name)') }, 'select=id%2Ctags%28name%29'],
    ['order', { columns: text('id.desc') }, 'order=id.desc'],
    ['limit', { count: { U: '5' } }, 'limit=5'],
    ['offset', { count: { U: '5' } }, 'offset=5'],
  ])('of the builder %s reads with a parameter', async (builder, operands, params) => {
    const { method, url, headers } = await sent([builder, operands]);
    expect([method, url]).toEqual(['GET', `/rest/v1/notes?${params}`]);
    expect(headers).toMatchObject({ apikey: 'public', 'x-flow-claim-token': 'token', accept: 'application/json' });
  });

  it('has all filters, but of every other parameter only the last value', async () => {
    const { url } = await sent(
      ['eq', compared(text('a'))],
      ['neq', compared(text('b'))],
      ['limit', { count: { U: '5' } }],
      ['limit', { count: { U: '6' } }],
    );
    expect(url).toBe('/rest/v1/notes?name=eq.a&name=neq.b&limit=6');
  });

  it.each<[string, string, string]>([
    ['insert', 'POST', 'return=representation'],
    ['update', 'PATCH', 'return=representation'],
    ['upsert', 'POST', 'return=representation, resolution=merge-duplicates'],
  ])('of the builder %s writes', async (builder, method, prefer) => {
    const body: Value = { M: { id: { U: '18446744073709551615' } } };
    expect(await sent([builder, { body }], ['eq', compared(text('a'))])).toMatchObject({
      method,
      url: '/rest/v1/notes?name=eq.a',
      headers: { prefer, 'content-type': 'application/json' },
      body: '{"id":18446744073709551615}',
    });
  });

  it('names its schema in the header of its method', async () => {
    const begin: [string, ValueMap] = ['postgrest_new_query', { schema: text('api'), table: text('notes') }];
    await run('postgrest_execute_query', { query: await queryOf(begin) });
    await run('postgrest_execute_query', { query: await queryOf(begin, ['insert', { body: { A: [] } }]) });
    const profiles = received.map(({ headers }) => [headers['accept-profile'], headers['content-profile']]);
    expect(profiles).toEqual([['api', undefined], [undefined, 'api']]);
  });

  it('calls a function with its arguments', async () => {
    await run('postgrest_execute_query', { query: await queryOf(ofFunction, ['select', { columns: text('sum') }]) });
    const call: ValueMap = { schema: text('api'), function: text('add'), params: { M: { a: { U: '1' } } } };
    await run('sql_function', call, { formData: formOf(call) });
    await run('sql_function', { function: text('now') });
    expect(received.map(({ method, url, headers, body }) => [method, url, headers['content-profile'], body])).toEqual([
      ['POST', '/rest/v1/rpc/add?select=sum', undefined, '{"a":1}'],
      ['POST', '/rest/v1/rpc/add', 'api', '{"a":1}'],
      ['POST', '/rest/v1/rpc/now', undefined, '{}'],
    ]);
  });

  it.each<[string, string]>([
    ['../../auth/v1/user', '/rest/v1/..%2F..%2Fauth%2Fv1%2Fuser'],
    ['%2e%2e', '/rest/v1/%252e%252e'],
    ['a?b#c', '/rest/v1/a%3Fb%23c'],
    ['rpc/start_flow', '/rest/v1/rpc%2Fstart_flow'],
  ])('of a table %j stays below the address of the API', async (table, path) => {
    await run('postgrest_execute_query', { query: await queryOf(['postgrest_new_query', { table: text(table) }]) });
    expect(received[0]!.url).toBe(path);
  });

  it.each(['', '.', '..'])('of a table %j is refused', async (table) => {
    const query = await queryOf(['postgrest_new_query', { table: text(table) }]);
    await expect(run('postgrest_execute_query', { query })).rejects.toThrow('table: must be the name of a table');
    expect(received).toEqual([]);
  });

  it('with too many filters is refused', async () => {
    // If the work grew with the square of the number of filters, this test would take minutes.
    const names = Array.from({ length: 50_000 }, (_, index) => [`c${index}`, { U: '1' }] as const);
    const query = await ofTable(['match', { filter: { M: Object.fromEntries(names) } }]);
    await expect(run('postgrest_execute_query', { query })).rejects.toThrow(
      /^the URL of the query has \d{6} characters, but at most 16384 are allowed: filter by fewer or shorter values$/,
    );
    expect(received).toEqual([]);
  });

  it.each<[Value, string]>([
    [text('x'), 'query: invalid type: string, expected a map'],
    [{ M: {} }, 'missing field `function`'],
    [{ M: { table: text('a'), method: text('DELETE') } }, 'query: must be one of GET, POST, PATCH'],
    [
      { M: { table: text('a'), method: text('GET'), params: { A: [{ A: [] }] } } },
      'query: `params` must be a list of pairs',
    ],
  ])('that no node made is refused', async (query, message) => {
    await expect(run('postgrest_execute_query', { query })).rejects.toThrow(message);
    await expect(run('postgrest_builder_limit', { query, count: { U: '1' } })).rejects.toThrow(message);
  });

  it.each<[string, ValueMap, string]>([
    ['eq', compared({ M: {} }), 'filter: invalid type: map, expected a string, a number or a boolean'],
    ['match', { filter: text('a') }, 'filter: invalid type: string, expected a map'],
    ['limit', { count: { I: '-1' } }, 'count: '],
    ['insert', { body: text('{}') }, 'body: invalid type: string, expected a map, or a list of maps'],
  ])('of the builder %s refuses other operands', async (builder, operands, message) => {
    await expect(ofTable([builder, operands])).rejects.toThrow(message);
  });
});

describe('an input of the flow', () => {
  /** Makes a change of a query whose values come by edges. The form data are the author's. */
  const changed = async (builder: string, inputs: ValueMap, form: Record<string, FormJson>): Promise<Value> => {
    const query = await ofTable(['limit', { count: { U: '5' } }], ['eq', compared(text('mine'))]);
    const call = { formData: form as LosslessJson };
    return (await run(`postgrest_builder_${builder}`, { query, ...inputs }, call)).query!;
  };
  const filter = (members: ValueMap): ValueMap => ({ filter: { M: members } });
  const body = (members: ValueMap): ValueMap => ({ body: { M: members } });

  it('gives the values of the columns that the form data name', async () => {
    const query = await changed('match', filter({ value: text('x'), done: { N: 0 } }), { columns: ['value', 'done'] });
    await run('postgrest_execute_query', { query });
    expect(received[0]!.url).toBe('/rest/v1/notes?limit=5&name=eq.mine&value=eq.x&done=is.null');
    const own = await changed('match', filter({ value: text('other') }), { filter: { value: 'x' } });
    await run('postgrest_execute_query', { query: own });
    expect(received[1]!.url).toContain('value=eq.other');
    const update = await changed('update', body({ name: text('x') }), { columns: ['name', 'note'] });
    await run('postgrest_execute_query', { query: update });
    expect(received[2]!.body).toBe('{"name":"x"}');
  });

  it.each<[string, ValueMap, Record<string, FormJson>, string]>([
    ['match', filter({ limit: { N: 0 } }), {}, 'columns: must list the names in `filter` in the form data'],
    ['match', filter({ limit: { N: 0 } }), { columns: ['value'] }, 'filter: has other names than the form data: value'],
    ['match', filter({ 'value->>S': text('x') }), { columns: ['value'] }, 'filter: has other names than the form data'],
    ['match', filter({ id: { U: '1' } }), { filter: { value: 'x' } }, 'filter: has other names than the form data'],
    ['match', filter({}), { columns: ['value'] }, 'filter: lacks the column value'],
    ['match', filter({}), { filter: { value: 'x' } }, 'filter: lacks the column value'],
    ['match', filter({ limit: { N: 0 } }), { columns: ['limit'] }, 'filter: must name a column, but'],
    ['match', filter({ 'tags.limit': { U: '1' } }), { columns: ['tags.limit'] }, 'filter: must be the plain name'],
    ['match', filter({ 'value->>S': text('x') }), { columns: ['value->>S'] }, 'filter: must be the plain name'],
    ['match', filter({ a: text('x') }), { columns: 'a' }, 'columns: must be a list of names'],
    ['match', { filter: { N: 0 } }, { columns: ['a'] }, 'filter: invalid type: unit value, expected a map'],
    ['limit', { count: { N: 0 } }, { count: 5 }, 'count: invalid type: unit value'],
    ['eq', { column: text('limit'), filter: text('x') }, {}, 'column: must name a column, but'],
    ['eq', { column: text('not.or'), filter: text('x') }, { column: 'not.or' }, 'column: must name a column, but'],
    ['eq', { column: text('value->>S'), filter: text('x') }, {}, 'column: must be the plain name'],
    ['not', { operator: text('eq.1&or'), ...compared(text('x')) }, {}, 'operator: must be one of eq, gt, '],
    ['insert', body({ is_public: { B: true } }), {}, 'columns: must list the names in `body` in the form data'],
    ['insert', body({ is_public: { B: true } }), { columns: ['name'] }, 'body: has other names than the form data'],
    ['update', body({ is_public: { B: true } }), { columns: ['name'] }, 'body: has other names than the form data'],
    [
      'upsert',
      { body: { A: [{ M: { name: text('x') } }, { M: { id: text('x') } }] } },
      { columns: ['name'] },
      'body: ',
    ],
  ])('of the builder %s can change nothing else: %j with the form data %j', async (builder, inputs, form, message) => {
    await expect(changed(builder, inputs, form)).rejects.toThrow(message);
  });

  it('gives a function only the arguments that the form data name', async () => {
    const params = (name: string): ValueMap => ({ function: text('add'), params: { M: { [name]: { U: '1' } } } });
    const form = { formData: { param_names: ['a'] } };
    for (const name of ['sql_function', 'postgrest_new_rpc']) {
      await run(name, params('a'), form);
      await expect(run(name, params('b'), form)).rejects.toThrow('params: has other names than the form data: a');
      await expect(run(name, params('a'))).rejects.toThrow('param_names: must list the names in `params`');
    }
    await run('sql_function', { function: text('add'), params: { N: 0 } });
    expect(received.map((request) => request.body)).toEqual(['{"a":1}', '{}']);
  });

  it('the author writes paths and embedded tables in the form data', async () => {
    const column = (name: string): Step => ['eq', { column: text(name), filter: text('x') }];
    const { url } = await sent(column('value->>S'), column('tags.name'), ['match', filter({ 'a->b': { U: '1' } })]);
    expect(url).toBe('/rest/v1/notes?value-%3E%3ES=eq.x&tags.name=eq.x&a-%3Eb=eq.1');
  });
});

describe('an update', () => {
  const update: Step = ['update', { body: { M: { a: { U: '1' } } } }];
  it.each<[string, Step[]]>([
    ['no filter', [update]],
    ['an empty filter', [['match', { filter: { M: {} } }], update]],
    ['only a limit and an order', [['limit', { count: { U: '1' } }], ['order', { columns: text('id') }], update]],
    ['only a filter of an embedded table', [['eq', { column: text('tags.name'), filter: text('x') }], update]],
  ])('with %s is refused', async (_name, steps) => {
    const query = await ofTable(...steps);
    await expect(run('postgrest_execute_query', { query })).rejects.toThrow('the update has no filter');
    expect(received).toEqual([]);
  });

  it('of all rows has a filter that every row passes', async () => {
    const all: Step = ['not', { operator: text('is'), column: text('id'), filter: text('null') }];
    expect(await sent(all, update)).toMatchObject({ method: 'PATCH', url: '/rest/v1/notes?id=not.is.null' });
  });
});

describe('the address of a query', () => {
  const queryAt = (url: string) => queryOf(['postgrest_new_query', { url: text(url), table: text('notes') }]);

  it("may be the project's own", async () => {
    await run('postgrest_execute_query', { query: await queryAt(`${origin}/rest/v1/`) });
    expect(received[0]).toMatchObject({ url: '/rest/v1/notes', headers: { 'x-flow-claim-token': 'token' } });
  });

  it('gets neither token nor key if it is the address of another API, and obeys the address rules', async () => {
    const query = await queryAt(`${origin}/other/v1`);
    await expect(run('postgrest_execute_query', { query })).rejects.toThrow(/127\.0\.0\.1/);
    const http = makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true });
    await run('postgrest_execute_query', { query }, { http });
    expect(received.map(({ url }) => url)).toEqual(['/other/v1/notes']);
    expect(Object.keys(received[0]!.headers)).not.toEqual(expect.arrayContaining(['x-flow-claim-token']));
    expect(received[0]!.headers.apikey).toBeUndefined();
    await expect(run('postgrest_execute_query', { query: await queryAt('nowhere') })).rejects.toThrow(
      'the URL is malformed',
    );
  });

  it('gets the headers of the author, whose credential replaces the token', async () => {
    const headers: Value = {
      M: { Authorization: text('Bearer mine'), Prefer: text('count=exact'), accept: text('text/csv') },
    };
    const query = await ofTable(['insert', { body: { M: {} } }]);
    await run('postgrest_execute_query', { query, headers });
    expect(received[0]!.headers).toMatchObject({
      apikey: 'public',
      authorization: 'Bearer mine',
      prefer: 'return=representation, count=exact',
      accept: 'text/csv',
    });
    expect(received[0]!.headers['x-flow-claim-token']).toBeUndefined();
  });
});

describe('the answer to a query', () => {
  const read = async (timeoutMs?: number, given: Partial<NodeCall> = {}) =>
    await run('postgrest_execute_query', { query: await ofTable() }, { ...services(timeoutMs), ...given });

  it('is the result with all digits, and the headers', async () => {
    answer = {
      headers: { 'content-type': 'application/json', 'content-range': '0-0/1' },
      body: '[{"id":18446744073709551615}]',
    };
    expect(await read()).toMatchObject({
      result: { A: [{ M: { id: { U: '18446744073709551615' } } }] },
      headers: { M: { 'content-range': text('0-0/1') } },
    });
  });

  it('is null if it is empty', async () => {
    answer = { status: 201, headers: {}, body: '' };
    expect((await read()).result).toEqual({ N: 0 });
  });

  it('is an error of the node if it is wrong, late or too large', async () => {
    answer = { status: 409, body: '{"code":"start_loop"}' };
    await expect(read()).rejects.toThrow(/^status code: 409\n{"code":"start_loop"}$/);
    answer = { status: 503, body: '{}' };
    await expect(read()).rejects.toThrow(TransientError);
    answer = { status: 302, headers: { location: '/elsewhere' }, body: '' };
    await expect(read()).rejects.toThrow('status code: 302');
    answer = { body: '[{' };
    await expect(read()).rejects.toThrow("the response's body: the text is not JSON");
    answer = { body: JSON.stringify('x'.repeat(5_000)) };
    await expect(read(undefined, { maxOutputBytes: 4_096 })).rejects.toThrow('larger than 4096 bytes');
    answer = undefined;
    await expect(read(100)).rejects.toThrow('the request took longer than 0.1 s');
  });
});

describe('a read of many rows', () => {
  const PAGE = 100;

  /** Serves a table with this many rows, in pages like PostgREST. The rows of an unordered answer have no fixed order. */
  const serveRows = (count: number, perPage = PAGE) => {
    answerTo = ({ searchParams }) => {
      const [offset, limit] = [Number(searchParams.get('offset')), Number(searchParams.get('limit') ?? Infinity)];
      const shift = searchParams.has('order') ? 0 : received.length;
      const rows = Array.from({ length: count }, (_, index) => ({ id: (index + shift) % count }))
        .slice(offset, offset + Math.min(limit, perPage));
      const range = rows.length === 0 ? '*' : `${offset}-${offset + rows.length - 1}`;
      return { headers: { 'content-range': `${range}/*` }, body: JSON.stringify(rows) };
    };
  };

  const read = async (...steps: Step[]) => {
    const { result } = await run('postgrest_execute_query', { query: await ofTable(...steps) });
    return (result as { A: { M: { id: { U: string } } }[] }).A.map(({ M }) => Number(M.id.U));
  };
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  const byId: Step = ['order', { columns: text('id') }];
  const limit = (count: number): Step => ['limit', { count: { U: String(count) } }];

  it.each(
    [
      [250, [], numbers(0, 250)],
      [200, [], numbers(0, 200)],
      [250, [limit(230)], numbers(0, 230)],
      [250, [limit(1_000), ['offset', { count: { U: '30' } }]], numbers(30, 250)],
      [250, [['offset', { count: { U: '30' } }], limit(150)], numbers(30, 180)],
    ] satisfies [number, Step[], number[]][],
  )('of %i rows with %j gives each row once', async (count, steps, wanted) => {
    serveRows(count);
    primaryKey = ['id'];
    expect(await read(...steps)).toEqual(wanted);
    expect(received.at(-1)!.url).toContain('order=%22id%22');
    primaryKey = [];
    expect(await read(byId, ...steps)).toEqual(wanted);
  });

  it('has an order that gives each row one place', async () => {
    serveRows(150);
    primaryKey = ['user id', 'a"\\b'];
    await read(['order', { columns: text('name.desc') }]);
    expect(new URL(received.at(-1)!.url, origin).searchParams.get('order')).toBe('name.desc,"user id","a\\"\\\\b"');
  });

  it.each([[60, []], [60, [limit(1_000)]], [0, []]] satisfies [number, Step[]][])(
    'needs no order if one answer has all %i rows',
    async (count, steps) => {
      serveRows(count);
      expect(await read(...steps)).toHaveLength(count);
    },
  );

  it('asks once if the first answer reaches the limit', async () => {
    serveRows(250);
    expect(await read(limit(40))).toHaveLength(40);
    expect(received).toHaveLength(1);
  });

  it('fails if there is neither an order nor a primary key', async () => {
    serveRows(150);
    await expect(read()).rejects.toThrow(
      /^the result has more than the 100 rows of one answer, and no primary key is known .* postgrest_builder_order/,
    );
  });

  it('fails if the rows do not fit into an output', async () => {
    serveRows(250);
    const call = run('postgrest_execute_query', { query: await ofTable(byId) }, {
      ...services(),
      maxOutputBytes: 2_000,
    });
    await expect(call).rejects.toThrow(
      /^output_too_large: the first 200 rows of the result do not fit into an output of 2000 bytes$/,
    );
  });

  it('asks only once if the author chooses the rows by a header, or the server gives no ranges', async () => {
    serveRows(150);
    const headers: Value = { M: { Range: text('0-9') } };
    await run('postgrest_execute_query', { query: await ofTable(), headers });
    answerTo = undefined;
    answer = { body: '[1]' };
    await run('postgrest_execute_query', { query: await ofTable() });
    expect(received).toHaveLength(2);
  });

  it('is complete if the author lets the server count the rows', async () => {
    answer = { headers: { 'content-range': '0-1/2' }, body: '[1,2]' };
    const headers: Value = { M: { prefer: text('count=exact') } };
    await run('postgrest_execute_query', { query: await ofTable(), headers });
    expect(received).toHaveLength(1);
  });
});

describe('a call of a function', () => {
  it('is not repeated, and fails if the answer lacks rows', async () => {
    answer = { headers: { 'content-range': '0-1/3' }, body: '[1,2]' };
    const query = await queryOf(ofFunction);
    await expect(run('postgrest_execute_query', { query })).rejects.toThrow(
      /^the function was called and returned 3 rows, but an answer has only 2 of them: /,
    );
    await expect(run('sql_function', { function: text('add') })).rejects.toThrow('returned 3 rows');
    expect(received.map(({ headers }) => headers.prefer)).toEqual(['count=exact', 'count=exact']);
    const limited = await queryOf(ofFunction, ['limit', { count: { U: '2' } }]);
    expect(await run('postgrest_execute_query', { query: limited })).toMatchObject({
      result: { A: [{ U: '1' }, { U: '2' }] },
    });
  });
});

describe('an execution', () => {
  const body: Value = { M: {} };

  it('may be repeated if it reads, or if the author says so', async () => {
    const execute = node('postgrest_execute_query');
    const effects = async (...steps: Step[]) => effectsWith(execute, { query: await ofTable(...steps) });
    expect(await effects(['eq', compared(text('a'))])).toBe('none');
    expect(await effects(['insert', { body }])).toBe('once');
    expect(await effects(['upsert', { body }, { safe_to_repeat: true }])).toBe('idempotent');
    expect(await effects(['upsert', { body }, { safe_to_repeat: 'yes' }])).toBe('once');
    expect(effectsWith(execute, { query: await queryOf(ofFunction) })).toBe('once');
    const { query } = await run(...ofFunction, { formData: { param_names: ['a'], safe_to_repeat: true } });
    expect(effectsWith(execute, { query: query! })).toBe('idempotent');
    expect([{}, { query: text('x') } as ValueMap].map((inputs) => effectsWith(execute, inputs))).toEqual([
      'once',
      'once',
    ]);

    const call = { function: text('add') };
    const marks: Value[] = [{ B: true }, { B: false }, { N: 0 }, text('true')];
    expect(marks.map((safe_to_repeat) => effectsWith(node('sql_function'), { ...call, safe_to_repeat }))).toEqual(
      ['idempotent', 'once', 'once', 'once'],
    );
    expect(['sql_function', 'postgrest_execute_query'].map((name) => publishedEffects(node(name)))).toEqual(
      ['once', 'once'],
    );
  });

  it('ends with the release of its run if it reads; otherwise the run waits for it', async () => {
    answer = undefined;
    const released = { ...services(300), releasing: AbortSignal.abort() };
    const executed = (query: Value) => run('postgrest_execute_query', { query }, released);
    await expect(executed(await ofTable())).rejects.toThrow(Released);
    await expect(executed(await ofTable(['insert', { body }]))).rejects.toThrow('the request took longer than 0.3 s');
  });
});
