import { createClient } from '@supabase/supabase-js';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { keysFileOf, readStatus, stackDir, type StackStatus } from '../../platform/local_stack/running_stacks.ts';
import { deleteData, startCluster } from '../../dev/stack/postgres/cluster.ts';
import { loadKeys } from '../../dev/stack/keys.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { assertPortsFree, findFreePort } from '../../dev/stack/ports.ts';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { preparePostgres } from '../../dev/stack/postgres/postgres_home.ts';
import { dataDirOf } from '../../dev/stack/stack_dir.ts';
import { projectNodesDir, readDefinitionFiles } from '../../dev/nodes/publish_nodes.ts';
import { copyStack, VOLATILE } from '../support/blank_stack.ts';
import { type NpmStart, npmStart, npmStatus, stackProcesses } from '../support/stack_process.ts';
import { waitFor } from '../support/wait.ts';

let port: number;
let dir: string;
/** The folder of the database. It differs from `dir` if root runs the tests in a folder that other users can't read. */
let dataDir: string;
let running: NpmStart | undefined;
const bootSeconds: number[] = [];

function start(...args: string[]): NpmStart {
  const started = running = npmStart(port, ...args);
  void started.ended.then(() => {
    if (running === started) running = undefined;
  });
  return started;
}

/** Ends the running stack by a signal to npm, or to its whole group as Ctrl-C does. Waits until npm has ended. */
async function end(signal: NodeJS.Signals, to: 'npm' | 'group' = 'npm'): Promise<number | NodeJS.Signals | undefined> {
  if (running === undefined) return undefined;
  const { process: npm, ended } = running;
  process.kill(to === 'npm' ? npm.pid! : -npm.pid!, signal);
  return await ended;
}

async function boot(...args: string[]): Promise<StackStatus> {
  await end('SIGTERM');
  const started = start(...args);
  await started.ready();
  bootSeconds.push(Number(/Ready after ([\d.]+) s/.exec(started.output())?.[1]));
  return readStatus(port)!;
}

/**
 * Returns the stack of the previous test if it is still running. Otherwise boots a stack on the same data. Most tests
 * need no boot of their own.
 */
const bootUnlessRunning = async (): Promise<StackStatus> => running === undefined ? await boot() : readStatus(port)!;

const stackPid = (): number => JSON.parse(readFileSync(join(dir, 'stack.json'), 'utf8')).pid;

async function expectNothingLeft(): Promise<void> {
  await waitFor(() => stackProcesses(port, dataDir).length === 0 || undefined);
  await assertPortsFree(port);
  expect(existsSync(join(dir, 'stack.json'))).toBe(false);
}

const client = ({ API_URL, ANON_KEY }: StackStatus) =>
  createClient(API_URL, ANON_KEY, { auth: { persistSession: false, autoRefreshToken: false } });

beforeAll(async () => {
  port = await findFreePort(28_000 + (process.pid % 500) * 4);
  dir = stackDir(port);
  dataDir = (await preparePostgres()).dataDir(join(dir, 'postgres'));
});
afterAll(async () => {
  await end('SIGTERM');
  await deleteData(join(dir, 'postgres'));
  await rm(dir, { recursive: true, force: true });
});

it('npm run status fails while the stack boots, and SIGTERM stops the boot cleanly', async () => {
  start();
  await waitFor(() => existsSync(`${dataDir}.unfinished`) || undefined);
  // Pause the boot while the status is requested.
  process.kill(stackPid(), 'SIGSTOP');
  const early = await npmStatus(port);
  process.kill(stackPid(), 'SIGCONT');
  expect(early).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/ is starting\n$/) });
  expect(await end('SIGTERM')).toBe(0);
  await expectNothingLeft();
  expect(await npmStatus(port)).toMatchObject({ code: 1, stdout: '' });
});

const storedNodes = async ({ API_URL, ANON_KEY }: StackStatus): Promise<unknown[]> =>
  await (await fetch(`${API_URL}/rest/v1/nodes?select=node_id`, { headers: { apikey: ANON_KEY } })).json();

it('a boot that is stopped while it adds the node definitions does not report that it is ready, and the next one has them all', async () => {
  await copyStack(inject('blankStack'), dir);
  const { dbPassword } = await loadKeys(keysFileOf(dir));
  // Start only the database server, the only part of a first boot that the test needs.
  const cluster = await startCluster({ dataDir: dataDirOf(dir), port: port + 1, dbPassword, settings: VOLATILE });
  const sql = connect(cluster.url('postgres'));
  await sql.unsafe(`
    truncate public.nodes;
    create sequence public.test_node;
    create function public.test_stop() returns trigger language plpgsql security definer as $$
    begin
      if nextval('public.test_node') = 3 then
        perform pg_sleep(600);
      end if;
      return new;
    end;
    $$;
    create trigger test_stop before insert on public.nodes for each row execute function public.test_stop();
  `).finally(() => sql.end());
  await cluster.part.stop();

  const { output } = start();
  await waitFor(async () => {
    const status = readStatus(port);
    return status !== undefined && (await storedNodes(status)).length >= 2 || undefined;
  });
  expect(await end('SIGINT', 'group')).toBe(0);
  expect(output()).not.toContain('Ready');
  await expectNothingLeft();

  expect(await storedNodes(await boot())).toHaveLength((await readDefinitionFiles(projectNodesDir)).length);
});

describe('a running stack', () => {
  let here: StackStatus;
  const there = inject('stack');
  const read = async (url: string, apikey: string) =>
    (await fetch(`${url}/rest/v1/flow_run?limit=1`, { headers: { apikey } })).status;

  beforeAll(async () => {
    here = await bootUnlessRunning();
  });

  it('has a status as JSON with addresses and keys that work', async () => {
    const { code, stdout } = await npmStatus(port);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(here);
    expect(here).toMatchObject({
      API_URL: `http://127.0.0.1:${port}`,
      FUNCTIONS_URL: `http://127.0.0.1:${port}/functions/v1`,
      DB_URL: expect.stringMatching(new RegExp(`^postgresql://postgres:[^@]+@127\\.0\\.0\\.1:${port + 1}/postgres$`)),
      JWT_SECRET: expect.stringMatching(/^.{32,}$/),
    });
    for (const key of [here.ANON_KEY, here.SERVICE_ROLE_KEY]) expect(await read(here.API_URL, key)).toBe(200);
    expect((await fetch(`${here.FUNCTIONS_URL}/deployment/start`)).status).toBe(405);
  });

  it('has a status as lines for a shell, with the public key as KEY', async () => {
    const { code, stdout } = await npmStatus(port, '--env');
    expect(code).toBe(0);
    const asked = spawnSync('bash', ['--norc', '-c', `${stdout}\nenv`], { env: { PATH: process.env['PATH'] } });
    const env = asked.stdout.toString().split('\n');
    const wanted = Object.entries({ ...here, KEY: here.PUBLISHABLE_KEY }).map(([name, value]) => `${name}=${value}`);
    expect(env).toEqual(expect.arrayContaining(wanted));
  });

  it('is named in the one line of a failed status for another port', async () => {
    const { code, stdout, stderr } = await npmStatus(port + 1, '--env');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(`^No stack runs on port ${port + 1}\\. .*\\b${port}\\b.*: -- --port \\d+\\n$`));
  });

  it('has secrets of its own, stored with its data, for its user only, and ignored by git', () => {
    for (const name of ['JWT_SECRET', 'ANON_KEY', 'SERVICE_ROLE_KEY', 'PUBLISHABLE_KEY', 'SECRET_KEY'] as const) {
      expect(here[name]).not.toBe(there[name]);
    }
    for (const file of ['keys.json', 'stack.json']) {
      expect(statSync(join(dir, file)).mode & 0o077).toBe(0);
      expect(spawnSync('git', ['check-ignore', '--quiet', join(dir, file)], { cwd: projectDir }).status).toBe(0);
    }
  });

  it("can run together with another one, and neither accepts the other's keys", async () => {
    expect(await read(there.API_URL, there.ANON_KEY)).toBe(200);
    expect(await read(here.API_URL, there.ANON_KEY)).toBe(401);
    expect(await read(there.API_URL, here.ANON_KEY)).toBe(401);
  });

  it('is not affected by a start on its port, which is refused in one line, even with --reset', async () => {
    const second = npmStart(port, '--reset');
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(new RegExp(`^A stack is already running on port ${port} .*\\n$`));
    expect(await read(here.API_URL, here.ANON_KEY)).toBe(200);
  });
});

describe('after the end of a stack', () => {
  const credentials = { email: 'somebody@example.com', password: 'a password' };
  let first: StackStatus;

  beforeAll(async () => {
    first = await bootUnlessRunning();
    expect((await client(first).auth.signUp(credentials)).error).toBeNull();
  });

  // These tests need the `exec` in the start script of package.json: npm's shell ends by a SIGTERM, ignores a SIGINT,
  // and forwards neither.
  it.each(
    [
      ['SIGTERM to npm', 'SIGTERM', 'npm', 0],
      ['SIGINT to npm', 'SIGINT', 'npm', 0],
      ['Ctrl-C, a SIGINT to all in the terminal,', 'SIGINT', 'group', 0],
      ['SIGKILL to npm', 'SIGKILL', 'npm', 'SIGKILL'],
    ] as const,
  )('%s leaves no process and no port behind', async (_name, signal, to, how) => {
    await bootUnlessRunning();
    expect(await end(signal, to)).toBe(how);
    await expectNothingLeft();
  });

  it('a second start keeps the data', async () => {
    const second = await boot();
    expect(second).toEqual(first);
    expect((await client(second).auth.signInWithPassword(credentials)).error).toBeNull();
  });

  it('a start after a SIGKILL to the stack ends the leftover processes and works on the same data', async () => {
    const before = await bootUnlessRunning();
    process.kill(stackPid(), 'SIGKILL');
    await running?.ended;
    expect(stackProcesses(port, dataDir)).not.toEqual([]);
    expect(await npmStatus(port)).toMatchObject({ code: 1 });
    expect(await boot()).toEqual(before);
  });

  it('--reset starts empty with new keys, and leaves no half-made database if it is killed', async () => {
    await end('SIGTERM');
    const { ended } = start('--reset');
    await waitFor(() => existsSync(`${dataDir}.unfinished`) || undefined);
    process.kill(stackPid(), 'SIGKILL');
    await ended;
    const third = await boot();
    expect(third.JWT_SECRET).not.toBe(first.JWT_SECRET);
    expect((await client(third).auth.signInWithPassword(credentials)).error?.code).toBe('invalid_credentials');
  });
});

it('a stack is ready in under 5 s', ({ skip }) => {
  skip(loadavg()[0]! > 2 * availableParallelism(), 'other programs keep the machine busy');
  // Take the fastest boot of this file, because other tests use the CPU at the same time.
  expect(Math.min(...bootSeconds)).toBeLessThan(5);
});
