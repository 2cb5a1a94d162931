import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { assertPortsFree } from '../../dev/stack/ports.ts';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { commandLine } from '../../platform/local_stack/processes.ts';
import type { Stack } from '../../dev/stack/stack.ts';
import { makeOwnStack, type OwnStack } from '../support/own_stack.ts';
import { waitFor } from '../support/wait.ts';

let own: OwnStack;

beforeAll(async () => {
  own = await makeOwnStack('crashes');
});
afterEach(() => own.stop());
afterAll(() => own.remove());

const answering = (text: string) => `export default { fetch: () => new Response('${text}') };`;

const hello = async ({ status }: Stack): Promise<string> => {
  const response = await fetch(`${status.FUNCTIONS_URL}/hello`);
  return `${response.status} ${await response.text()}`;
};

/**
 * If a save has had no effect after this time, the source is saved again. A restart takes less time, even on a busy
 * machine, so no save happens during a restart.
 */
const NOTICED_MS = 10_000;

/**
 * Saves a source of the function and waits for its effect. Right after a restart, Deno's watcher may miss a save. If it
 * does, this function saves the source again, as a person would.
 */
async function saveUntil(source: string, isSo: () => Promise<boolean>): Promise<void> {
  let savedAt = -Infinity;
  await waitFor(async () => {
    if (performance.now() - savedAt > NOTICED_MS) {
      await own.writeFunction(source);
      savedAt = performance.now();
    }
    return await isSo() || undefined;
  });
}

async function expectNothingLeft({ parts }: Stack): Promise<void> {
  expect(parts.map(({ pid }) => commandLine(pid))).toEqual(parts.map(() => ''));
  await assertPortsFree(own.port);
}

const pidOf = ({ parts }: Stack, name: string): number => parts.find((part) => part.name === name)!.pid;

/** Tests three answers: of the database through PostgREST, of the database through Auth, and of the function. */
async function answersAll({ status }: Stack): Promise<boolean> {
  const { API_URL, PUBLISHABLE_KEY: apikey, FUNCTIONS_URL } = status;
  const signUp = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const answers = await Promise.all([
    fetch(`${API_URL}/rest/v1/nodes?limit=1`, { headers: { apikey } }),
    fetch(`${API_URL}/auth/v1/signup`, { method: 'POST', headers: { apikey }, body: JSON.stringify(signUp) }),
    fetch(`${FUNCTIONS_URL}/hello`),
  ]);
  return answers.every(({ ok }) => ok);
}

it.each(['Postgres', 'PostgREST', 'PostgREST of the functions', 'function hello'])(
  'when %s is killed, the stack reports it with its last output and restarts it, and the other parts continue',
  async (name) => {
    await own.writeFunction(`console.log('some output');${answering('hello')}`);
    const stack = await own.boot();
    expect(stack.parts.map((part) => part.name).sort()).toEqual(
      ['PostgREST', 'PostgREST of the functions', 'Postgres', 'function hello'].sort(),
    );
    expect(await answersAll(stack)).toBe(true);
    const before = new Map(stack.parts.map((part) => [part.name, part.pid]));
    process.kill(before.get(name)!, 'SIGKILL');
    await waitFor(() => own.logged().includes(`${name} runs again`) || undefined);
    const [said, ...lastOutput] = own.logged().find((line) => line.includes('restarting it'))!.split('\n');
    expect(said).toBe(`${name} was ended by SIGKILL: restarting it`);
    expect(lastOutput).not.toEqual([]);
    await waitFor(async () => await answersAll(stack) || undefined);
    for (const [part, pid] of before) expect(pidOf(stack, part) === pid).toBe(part !== name);
    expect(own.crash()).toBeUndefined();
  },
);

it.runIf(process.platform === 'linux')(
  'when a backend of Postgres is killed, Postgres recovers by itself, and no part but Auth may be restarted',
  async () => {
    await own.writeFunction(answering('hello'));
    const stack = await own.boot();
    await waitFor(async () => await answersAll(stack) || undefined);
    // Auth may end by itself while it has no database.
    const pids = () => stack.parts.filter(({ name }) => name !== 'Auth').map(({ name, pid }) => [name, pid]);
    const before = pids();
    const sql = connect(stack.superuserUrl);
    try {
      const [backend] = await sql`select pg_backend_pid() as pid`;
      process.kill(backend!.pid, 'SIGKILL');
      await waitFor(async () => await answersAll(stack) || undefined);
      expect(pids()).toEqual(before);
      expect(own.crash()).toBeUndefined();
    } finally {
      await sql.end();
    }
  },
);

it('a part that ends a fourth time within a minute ends the stack, with its last output', async () => {
  await own.writeFunction(`console.log('some output');${answering('hello')}`);
  const stack = await own.boot();
  for (let restart = 1; restart <= 3; restart++) {
    process.kill(pidOf(stack, 'function hello'), 'SIGKILL');
    const count = () => own.logged().filter((line) => line === 'function hello runs again').length;
    await waitFor(() => count() === restart || undefined);
  }
  process.kill(pidOf(stack, 'function hello'), 'SIGKILL');
  const [said, ...lastOutput] = (await waitFor(own.crash)).split('\n');
  expect(said).toBe('function hello was ended by SIGKILL. It had been restarted 3 times within a minute.');
  expect(lastOutput).toEqual(['  some output']);
  await expectNothingLeft(stack);
});

it('when its folder is deleted, the stack reports it in one line and stops', async () => {
  await own.writeFunction(answering('hello'));
  const stack = await own.boot();
  await rm(own.dir, { recursive: true });
  // A server that loses its files may end at once or later. The stack reports both in the same way.
  expect(await waitFor(own.crash)).toBe(
    `${own.dir} was deleted while its stack ran. The database and the keys were in it. npm start makes new ones`,
  );
  await expectNothingLeft(stack);
  expect((await hello(await own.boot())).startsWith('200')).toBe(true);
});

it('a failed function is restarted although its watcher stays alive, and ends the stack if it keeps failing', async () => {
  await own.writeFunction(`
    const failLater = () => { console.log('last words'); setTimeout(() => { throw new Error('too late'); }); };
    export default { fetch: () => { failLater(); return new Response('fine'); } };`);
  const stack = await own.boot();
  expect(await hello(stack)).toBe('200 fine');
  await waitFor(() => own.logged().includes('function hello runs again') || undefined);
  // The function ends again after each answer.
  const crash = await waitFor(async () => {
    await hello(stack).catch(() => {});
    return own.crash();
  });
  expect(crash).toMatch(/^function hello failed\. It had been restarted 3 times within a minute\.\n/);
  expect(crash).toContain('last words');
  expect(crash).toContain('too late');
  await expectNothingLeft(stack);
});

it.each([
  ['throws', `throw new Error('wrong here');`, 'wrong here'],
  ['does not parse', 'export default {', 'hello/index.ts:1:'],
  ['imports a missing file', `import './missing.ts';${answering('hello')}`, 'missing.ts'],
  ['exports no fetch', 'export default {};', 'export default { fetch }'],
])('a boot with a function that %s fails at once with the function and the reason', async (_what, source, why) => {
  await own.writeFunction(source);
  const began = performance.now();
  const error = await own.boot().then(() => undefined, (reason) => reason);
  expect(error.name).toMatch(/^(StackError|PartCrash)$/);
  expect(error.message).toMatch(/^function hello (failed|finished)\n/);
  expect(error.message).toContain(why);
  // Much less than the three minutes that a part may take to get ready.
  expect(performance.now() - began).toBeLessThan(90_000);
  await assertPortsFree(own.port);
});

it('an edited function is served without a restart, a broken edit is reported, and the next edit repairs it', async () => {
  await own.writeFunction(answering('one'));
  const stack = await own.boot();
  expect(await hello(stack)).toBe('200 one');

  await saveUntil(answering('two'), async () => await hello(stack) === '200 two');

  await saveUntil(`throw new Error('broken by an edit');`, async () => (await hello(stack)).startsWith('503 '));
  await waitFor(() => own.logged().some((line) => /^\[hello\] .*broken by an edit/.test(line)) || undefined);

  await saveUntil(answering('three'), async () => await hello(stack) === '200 three');
  expect(own.crash()).toBeUndefined();
});
