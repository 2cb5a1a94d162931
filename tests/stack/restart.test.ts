import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandLine } from '../../platform/local_stack/processes.ts';
import type { Stack } from '../../dev/stack/stack.ts';
import { makeOwnStack, type OwnStack } from '../support/own_stack.ts';
import { waitFor } from '../support/wait.ts';

let own: OwnStack;
let stack: Stack;

beforeAll(async () => {
  own = await makeOwnStack('restart');
  await own.writeFunction(`export default { fetch: () => new Response('hello') };`);
  stack = await own.boot();
  // Call Auth once, because it starts at its first request.
  await fetch(`${stack.status.API_URL}/auth/v1/health`);
});
afterAll(() => own.remove());

const pidOf = (name: string): number => stack.parts.find((part) => part.name === name)!.pid;

/** Tests whether the database answers through PostgREST, and whether the function answers. */
async function answersAll(): Promise<boolean> {
  const { API_URL, FUNCTIONS_URL, PUBLISHABLE_KEY } = stack.status;
  const [nodes, hello] = await Promise.all([
    fetch(`${API_URL}/rest/v1/nodes?limit=1`, { headers: { apikey: PUBLISHABLE_KEY } }),
    fetch(`${FUNCTIONS_URL}/hello`),
  ]);
  return nodes.ok && hello.ok;
}

it.each(
  [
    ['PostgREST', 'SIGKILL'],
    ['PostgREST', undefined],
    ['PostgREST of the functions', 'SIGKILL'],
    ['Auth', 'SIGKILL'],
    ['Auth', undefined],
    ['function hello', 'SIGKILL'],
    ['function hello', undefined],
    // Immediate mode: the server writes nothing more, and recovers from the log at the next start.
    ['Postgres', 'SIGQUIT'],
    ['Postgres', undefined],
  ] as const,
)('%s, ended by %s, returns as a new process, and the other parts continue', async (name, signal) => {
  const before = new Map(stack.parts.map((part) => [part.name, part.pid]));
  await stack.restart(name, signal);
  expect(commandLine(before.get(name)!)).toBe('');
  for (const [part, pid] of before) expect(pidOf(part) === pid).toBe(part !== name);
  expect(stack.parts).toHaveLength(before.size);
  await waitFor(async () => await answersAll() || undefined);
  expect(own.crash()).toBeUndefined();
});

it('the gateway returns on its port, and a kept-alive connection is closed', async () => {
  await stack.restart('gateway');
  await waitFor(async () => await answersAll().catch(() => false) || undefined);
  expect(own.crash()).toBeUndefined();
});

it('an unknown part is named, with the known ones', async () => {
  await expect(stack.restart('nobody')).rejects.toThrow(
    'The stack has no part nobody; it has: ' +
      'function hello, Postgres, PostgREST, PostgREST of the functions, Auth, Storage, gateway',
  );
});

it('a part that was restarted on request is also restarted after a crash, and is stopped with the stack', async () => {
  await stack.restart('function hello', 'SIGKILL');
  process.kill(pidOf('function hello'), 'SIGKILL');
  await waitFor(() => own.logged().includes('function hello runs again') || undefined);
  await waitFor(async () => await answersAll() || undefined);
  expect(own.crash()).toBeUndefined();
  await stack.stop();
  expect(stack.parts.map(({ pid }) => commandLine(pid))).toEqual(stack.parts.map(() => ''));
});
