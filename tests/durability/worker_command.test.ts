import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { codeOf } from '../support/database.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { chainFlow, waitFlow } from '../support/mixed_flows.ts';
import { waitFor } from '../support/wait.ts';
import { startWorker as startProcess, type WorkerOptions } from '../support/worker_process.ts';
import { integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

let workers: WorkerStack;
beforeAll(async () => {
  workers = await makeWorkerStack('command', {
    functions: ['runner'],
    watch: false,
    sweep: false,
    functionEnv: { RUNNER_DISABLED: '1' },
  });
});
afterAll(() => workers?.remove());

/** Most tests use the bundle. Only the first test runs the worker from its sources, like `npm run worker`. */
const startWorker = (options: WorkerOptions) => startProcess({ runtime: 'bundle in node', ...options });

const poke = async () => {
  const { FUNCTIONS_URL, SERVICE_ROLE_KEY } = workers.stack.status;
  const response = await fetch(`${FUNCTIONS_URL}/runner`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SERVICE_ROLE_KEY}` },
  });
  return [response.status, await response.json()];
};

it('a disabled function runner leaves all runs to workers', async () => {
  const owner = await workers.addOwner();
  const ids = await owner.start(await owner.storeFlow(chainFlow(2)), [{ n: integer(1) }]);
  expect(await poke()).toEqual([202, { status: 'disabled' }]);
  const worker = startProcess({ status: workers.stack.status, runtime: 'node' });
  expect(await workers.ended(ids)).toMatchObject([{ status: 'succeeded' }]);
  expect(await worker.end('SIGTERM')).toBe(0);
  expect(worker.events().filter(({ event }) => event === 'run_finished')).toMatchObject([{
    level: 'info',
    status: 'succeeded',
    errors: 0,
    flow_run_id: ids[0],
    claim_number: 1,
    node_executions: 4,
    duration_ms: expect.any(Number),
  }]);
});

it('a worker without a key of the service role ends with an error', async () => {
  const { ANON_KEY } = workers.stack.status;
  const worker = startWorker({ status: { ...workers.stack.status, SERVICE_ROLE_KEY: ANON_KEY } });
  let said = '';
  worker.process.stderr?.on('data', (text) => said += text);
  const code = await new Promise((resolve) => worker.process.once('exit', resolve));
  expect(code).toBe(1);
  expect(said).toContain('The project does not accept the key as a key of the service role');
});

it.each([
  ['the database itself', ''],
  ['a pooler in transaction mode', '?pgbouncer=true'],
])('a worker with the address of %s needs no key', async (_what, query) => {
  const owner = await workers.addOwner();
  const ids = await owner.start(await owner.storeFlow(chainFlow(2)), [{ n: integer(1) }, { n: integer(2) }]);
  const { status } = workers.stack;
  const worker = startWorker({
    status: { ...status, API_URL: '', ANON_KEY: '', SERVICE_ROLE_KEY: '' },
    env: { SUPABASE_DB_URL: `${status.DB_URL}${query}` },
  });
  expect(await workers.ended(ids)).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
  expect(await worker.end('SIGTERM')).toBe(0);
  const [started] = worker.events();
  expect(started).toMatchObject({ url: `postgresql://127.0.0.1:${new URL(status.DB_URL).port}/postgres` });
});

it('an idle worker over Postgres holds two connections', async () => {
  const owner = await workers.addOwner();
  const worker = startWorker({ status: workers.stack.status, over: 'Postgres' });
  const ids = await owner.start(
    await owner.storeFlow(chainFlow(2)),
    Array.from({ length: 50 }, () => ({ n: integer(1) })),
  );
  await workers.ended(ids);
  const connections = async () => {
    const rows = await workers.sql`select pid from pg_stat_activity where application_name = 'flow_runner'`;
    return rows.length;
  };
  expect(await connections()).toBeLessThanOrEqual(4);
  await waitFor(async () => await connections() === 2 || undefined);
  expect(await worker.end('SIGTERM')).toBe(0);
  await waitFor(async () => await connections() === 0 || undefined);
});

it.each([
  ['password is wrong', (url: string) => url.replace(/:[^:@]+@/, ':wrong@'), 'user and password of SUPABASE_DB_URL'],
  [
    'address is malformed',
    () => 'http://example.com',
    'Wrong in the environment: SUPABASE_DB_URL: must be postgresql://',
  ],
])('a worker whose %s ends with an error', async (_what, change, message) => {
  const worker = startWorker({
    status: workers.stack.status,
    env: { SUPABASE_DB_URL: change(workers.stack.status.DB_URL) },
  });
  let said = '';
  worker.process.stderr?.on('data', (text) => said += text);
  const code = await new Promise((resolve) => worker.process.once('exit', resolve));
  expect(code).toBe(1);
  expect(said).toContain(message);
});

/**
 * Starts a server that returns a token at /token, and requires this token at /api. Returns the server's host and port.
 */
async function startTokenServer(): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', request.url === '/token' ? 'application/json' : 'text/plain');
    if (request.url === '/token') {
      return void response.end('{"access_token": "token-of-the-worker", "expires_in": 600}');
    }
    const isLetIn = request.headers.authorization === 'Bearer token-of-the-worker';
    response.writeHead(isLetIn ? 200 : 403).end(isLetIn ? 'let in' : 'refused');
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("a login that may only execute runs executes them, and can't read users' data", async () => {
  const owner = await workers.addOwner();
  const admin = connect(workers.stack.status.DB_URL);
  const address = new URL(workers.stack.status.DB_URL);
  address.username = 'flow_worker';
  address.password = 'secret';
  try {
    await admin`create role flow_worker login noinherit password 'secret'`;
    await admin`select private.grant_runner('flow_worker')`;
    const flow = new FlowBuilder();
    const creating = flow.node('kv_create_store', { inputs: ['store»'], outputs: ['store'], form: { store: 'kept' } });
    const writing = flow.node('kv_write_item', {
      inputs: ['store»', 'key»', 'value»'],
      outputs: ['old_value?'],
      form: { key: 'last', value: 'first' },
    });
    const reading = flow.node('kv_read_item', { inputs: ['store', 'key', 'default?'], outputs: ['value', 'found'] });
    flow.connect(creating.passthrough('store'), writing.input('store'));
    flow.connect(writing.passthrough('store'), reading.input('store'));
    flow.connect(writing.passthrough('key'), reading.input('key'));
    flow.output('value', reading.output('value'));
    const asking = flow.node('sql_function', {
      inputs: ['function'],
      outputs: ['result'],
      form: { function: 'whoami' },
    });
    flow.output('caller', asking.output('result'));
    const host = await startTokenServer();
    await owner.storeConnection('api', [`${host}/api`], {
      kind: 'oauth2_client_credentials',
      secret: {
        token_url: `http://${host}/token`,
        client_id: 'worker',
        client_secret: 'secret-of-the-worker',
        client_auth: 'basic',
      },
    });
    const fetching = flow.node('http_request', {
      inputs: ['url'],
      outputs: ['body', 'headers'],
      form: { url: `http://${host}/api`, connection: 'api' },
    });
    flow.output('fetched', fetching.output('body'));
    const ids = await owner.start(await owner.storeFlow(flow), [{}]);
    const longIds = await owner.start(await owner.storeFlow(waitFlow(2_500)), [{ n: integer(1) }]);
    const worker = startWorker({
      status: workers.stack.status,
      env: { SUPABASE_DB_URL: String(address), WALLET_KEYS: workers.walletKeys },
    });
    expect(await workers.ended(ids)).toMatchObject([{
      errors: null,
      output: { M: { value: { S: 'first' }, caller: { M: { user_id: { S: owner.id } } }, fetched: { S: 'let in' } } },
    }]);
    // Meanwhile the long runs get checkpoints and heartbeats. After SIGTERM, the worker releases these runs, and the
    // next worker claims them.
    await workers.sql`select pg_sleep(1.5)`;
    expect(await worker.end('SIGTERM')).toBe(0);
    const next = startWorker({ status: workers.stack.status, env: { SUPABASE_DB_URL: String(address) } });
    expect(await workers.ended(longIds)).toMatchObject([{ status: 'succeeded', errors: null }]);
    await waitFor(async () => {
      const rows = await workers.sql`
        select a.usename from pg_stat_activity as a join pg_locks as l using (pid)
        where l.locktype = 'advisory' and l.mode = 'ExclusiveLock' and a.usename = 'flow_worker'`;
      return rows.length === 1 || undefined;
    });
    expect(await next.end('SIGTERM')).toBe(0);
    expect(next.events().filter(({ level }) => level !== 'info')).toEqual([]);

    const login = connect(String(address));
    try {
      for (
        const statement of [
          'set role service_role',
          'select * from public.flow_run',
          'select * from public.flows',
          'select * from private.flow_run_jobs',
          'select * from private.wallet_secrets',
          'select * from auth.users',
          "select public.start_flow(1, '{}')",
          'select public.runner_metrics()',
          "select private.grant_runner('anon')",
        ]
      ) {
        expect([statement, await codeOf(login.unsafe(statement))]).toEqual([statement, '42501']);
      }
    } finally {
      await login.end();
    }
  } finally {
    await admin.end();
  }
});
