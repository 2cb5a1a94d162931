import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeIds, nodeRegistry } from '../../runner/nodes/registry.ts';
import type { Connection } from '../../types/connection.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { asSuperuser } from '../support/tokens.ts';

const TOKEN = 'token-of-a-test-0123456789';
let owner: Person;
let other: Person;
let server: Server;
let host: string;
/** The header authorization of each received request. */
const received: (string | undefined)[] = [];

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
  server = createServer((request, response) => {
    received.push(request.headers.authorization);
    if (request.url === '/moved') return void response.writeHead(302, { location: '/echo' }).end();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.rawHeaders));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const upsert = (person: Pick<Person, 'token'>, params: object) =>
  call('connections/upsert', {
    token: person.token,
    body: JSON.stringify(params),
    headers: { 'content-type': 'application/json' },
  });
const bearer = (name: string, token = TOKEN) => ({ name, kind: 'bearer', hosts: [host], secret: { token } });

const requestFlow = (connection: string): FlowBuilder => {
  const flow = new FlowBuilder();
  const form = { url: `http://${host}/echo`, connection };
  const request = flow.node('http_request', { inputs: ['url'], outputs: ['body', 'headers'], form });
  flow.output('body', request.output('body'));
  return flow;
};

describe('POST /connections/upsert', () => {
  it('stores a connection, whose secret no answer and no row has', async () => {
    const response = await upsert(owner, { ...bearer('mail'), hosts: ['API.example.com:443/v1/', host] });
    const stored = await response.json() as Connection;
    expect([response.status, stored]).toEqual([200, {
      id: stored.id,
      user_id: owner.id,
      name: 'mail',
      kind: 'bearer',
      hosts: ['api.example.com/v1', host],
      header: null,
      parameter: null,
      created_at: stored.created_at,
      updated_at: stored.updated_at,
      last_used_at: null,
      last_tested_at: null,
      last_test_status: null,
    }]);
    const { data } = await owner.client.from('connections').select();
    expect(data).toEqual([stored]);
    expect((await other.client.from('connections').select()).data).toEqual([]);
    const [row] = await asSuperuser((sql) =>
      sql<{ text: string }[]>`
        select concat(to_jsonb(s), convert_from(decode(encode(s.ciphertext, 'hex'), 'escape'), 'LATIN1')) as text
        from private.connection_secrets as s where s.connection_id = ${stored.id}`
    );
    expect(row!.text).not.toContain(TOKEN.slice(0, 8));
  });

  it.each<[string, object, number, string]>([
    ['a short token', { secret: { token: 'short' } }, 400, 'request_invalid'],
    ['no secret', { secret: undefined }, 400, 'request_invalid'],
    ['a header that it does not have', { header: 'x-key' }, 400, 'request_invalid'],
    ['a scheme', { hosts: ['https://api.example.com'] }, 400, 'request_invalid'],
    ['no host', { hosts: [] }, 400, 'request_invalid'],
    ['a line break in the token', { secret: { token: 'token-of\r\na-test' } }, 400, 'request_invalid'],
    ['a header of the message', { kind: 'header', header: 'Host', secret: { value: TOKEN } }, 400, 'request_invalid'],
    ['a secret of 9 KiB', { secret: { token: 'x'.repeat(9_000) } }, 400, 'request_invalid'],
  ])('refuses %s, without quoting the secret', async (_what, change, status, code) => {
    const response = await upsert(owner, { ...bearer('refused'), ...change });
    const text = await response.text();
    expect([response.status, (JSON.parse(text) as { code: string }).code]).toEqual([status, code]);
    expect(text).not.toContain('token-of');
  });

  it('needs a credential', async () => {
    const response = await call('connections/upsert', {
      body: JSON.stringify(bearer('mail')),
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(401);
  });
});

describe('POST /connections/test', () => {
  const test = (person: Person, params: object) =>
    call('connections/test', {
      token: person.token,
      body: JSON.stringify(params),
      headers: { 'content-type': 'application/json' },
    });

  const lastTest = async (name: string) => {
    const columns = owner.client.from('connections').select('last_tested_at, last_test_status');
    return (await columns.eq('name', name).single().throwOnError()).data;
  };

  it('makes one request, and answers with its status only', async () => {
    await upsert(owner, bearer('tested'));
    const before = received.length;
    const response = await test(owner, { name: 'tested', url: `http://${host}/moved` });
    expect([response.status, await response.json()]).toEqual([200, { status: 302 }]);
    expect(received.slice(before)).toEqual([`Bearer ${TOKEN}`]);
    expect(await lastTest('tested')).toEqual({ last_tested_at: expect.any(String), last_test_status: 302 });
  });

  it('stores that a server gave no answer', async () => {
    await upsert(owner, { ...bearer('silent'), hosts: ['127.0.0.1:1'] });
    expect((await test(owner, { name: 'silent', url: 'http://127.0.0.1:1/' })).status).toBe(422);
    expect(await lastTest('silent')).toEqual({ last_tested_at: expect.any(String), last_test_status: null });
  });

  it.each<[string, () => [Person, object], number, string]>([
    ['another host', () => [owner, { name: 'tested', url: 'http://127.0.0.1:1/' }], 422, 'connection_test_failed'],
    ['an unknown name', () => [owner, { name: 'unknown', url: `http://${host}` }], 404, 'connection_not_found'],
    ["another user's", () => [other, { name: 'tested', url: `http://${host}` }], 404, 'connection_not_found'],
    ['a POST', () => [owner, { name: 'tested', url: `http://${host}`, method: 'POST' }], 400, 'request_invalid'],
  ])('refuses %s without a request', async (_what, request, status, code) => {
    const before = received.length;
    const response = await test(...request());
    expect([response.status, (await response.json() as { code: string }).code]).toEqual([status, code]);
    expect(received.length).toBe(before);
    expect((await lastTest('tested')).last_test_status).toBe(302);
  });
});

it('SQL and the definitions name the same nodes that take a connection', async () => {
  const taking = nodeIds().filter((id) => {
    const schema = nodeRegistry(id)!.definition['targets_form.json_schema'];
    return Object.hasOwn((schema as { properties?: object } | undefined)?.properties ?? {}, 'connection');
  });
  const rows = await asSuperuser((sql) =>
    sql<
      { id: string }[]
    >`select id from unnest(${nodeIds()}::text[]) as n (id) where private.takes_connection(jsonb_build_object('type', 'native', 'node_id', id))`
  );
  expect(rows.map(({ id }) => id)).toEqual(taking);
});

describe('a run with a connection', () => {
  it('sends the newest secret, and shows it nowhere', async () => {
    await upsert(owner, bearer('rotated', 'the-first-token-of-a-test'));
    const id = await deploy(owner, await storeFlow(owner, requestFlow('rotated')));
    await upsert(owner, bearer('rotated'));
    const { flow_run_id } = await start(owner, `id=${id}`);
    const run = await finishedRun(owner, flow_run_id);
    expect(run.errors).toBeNull();
    expect(received.at(-1)).toBe(`Bearer ${TOKEN}`);
    expect(JSON.stringify(run.output)).toContain('Bearer [redacted]');
    const found = await asSuperuser((sql) =>
      sql`
        select 1 from public.node_run as n where n.flow_run_id = ${flow_run_id} and n::text like ${`%${TOKEN}%`}
        union all select 1 from public.flow_run as r where r.id = ${flow_run_id} and r::text like ${`%${TOKEN}%`}
        union all select 1 from public.flow_run_logs as l where l.flow_run_id = ${flow_run_id} and l::text like ${`%${TOKEN}%`}`
    );
    expect(found).toHaveLength(0);
    const { data } = await owner.client.from('connections').select('last_used_at').eq('name', 'rotated').single();
    expect(data!.last_used_at).not.toBeNull();
  });

  it('fails clearly without the connection', async () => {
    const id = await deploy(owner, await storeFlow(owner, requestFlow('missing')));
    const { flow_run_id } = await start(owner, `id=${id}`);
    const run = await finishedRun(owner, flow_run_id);
    expect(run.errors?.[0]).toContain('connection_missing: the run has no connection "missing".');
  });
});
