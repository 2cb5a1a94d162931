import { createSolanaRpc, createSolanaRpcSubscriptions, generateKeyPairSigner, lamports } from '@solana/kit';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, it, vi } from 'vitest';
import { stackDir } from '../../platform/local_stack/running_stacks.ts';
import { deleteData } from '../../dev/stack/postgres/cluster.ts';
import { assertPortsFree, chainPort } from '../../dev/stack/ports.ts';
import { StackError } from '../../dev/stack/stack_error.ts';
import { copyStack } from '../support/blank_stack.ts';
import { makeOwnStack, type OwnStack } from '../support/own_stack.ts';
import { SOL } from '../support/solana.ts';
import { npmStart, npmStatus } from '../support/stack_process.ts';
import { waitFor } from '../support/wait.ts';

let own: OwnStack;

beforeAll(async () => {
  own = await makeOwnStack('chain');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await own.stop();
});
afterAll(async () => {
  await own.remove();
  await deleteData(join(stackDir(own.port), 'postgres'));
  await rm(stackDir(own.port), { recursive: true, force: true });
});

const refusal = async () => await own.boot({ chain: true }).then(() => undefined, (reason) => reason);

it('a stack has a chain only on request, and its status then has the address', async () => {
  const without = await own.boot();
  expect(without.status).not.toHaveProperty('CHAIN_URL');
  await own.stop();

  const { status } = await own.boot({ chain: true });
  expect(status.CHAIN_URL).toBe(`http://127.0.0.1:${own.port + 2}`);
  const rpc = createSolanaRpc(status.CHAIN_URL!);
  const { address } = await generateKeyPairSigner();
  await rpc.requestAirdrop(address, lamports(SOL)).send();
  await waitFor(async () => (await rpc.getBalance(address).send()).value === SOL || undefined);

  expect(status.CHAIN_WS_URL).toBe(`ws://127.0.0.1:${own.port + 3}`);
  const subscriptions = createSolanaRpcSubscriptions(status.CHAIN_WS_URL!);
  const slots = await subscriptions.slotNotifications().subscribe({ abortSignal: AbortSignal.timeout(100_000) });
  for await (const { slot } of slots) {
    expect(slot).toBeGreaterThan(0n);
    break;
  }
  await own.stop();
  await assertPortsFree(own.port, { chain: true });
});

it('when the chain is killed, the stack reports it, and restarts it empty on its port', async () => {
  const { parts, status } = await own.boot({ chain: true });
  const rpc = createSolanaRpc(status.CHAIN_URL!);
  const { address } = await generateKeyPairSigner();
  await rpc.requestAirdrop(address, lamports(SOL)).send();
  await waitFor(async () => (await rpc.getBalance(address).send()).value === SOL || undefined);
  process.kill(parts.find(({ name }) => name === 'chain')!.pid, 'SIGKILL');
  await waitFor(() => own.logged().includes('chain runs again') || undefined);
  expect((await rpc.getBalance(address).send()).value).toBe(0n);
  expect(own.crash()).toBeUndefined();
  await own.stop();
  await assertPortsFree(own.port, { chain: true });
});

it('a boot with a chain is refused in one line if its port is taken or its VM is missing', async () => {
  const other = createServer().listen(chainPort(own.port), '127.0.0.1');
  await once(other, 'listening');
  const taken = await refusal();
  other.close();
  expect(taken).toBeInstanceOf(StackError);
  expect(taken.message).toMatch(
    new RegExp(`^Port ${own.port + 2} is taken; a stack on ${own.port} needs .*${own.port + 2} and ${own.port + 3}\\.`),
  );

  vi.stubEnv('NAPI_RS_NATIVE_LIBRARY_PATH', '/nowhere/at/all');
  const missing = await refusal();
  expect(missing).toBeInstanceOf(StackError);
  expect(missing.message).toBe('NAPI_RS_NATIVE_LIBRARY_PATH is set to /nowhere/at/all, which does not exist');
  await assertPortsFree(own.port, { chain: true });
});

it('npm start -- --chain and npm run status print the address, and a start after a SIGKILL reuses the port', async () => {
  await copyStack(inject('blankStack'), stackDir(own.port));
  const start = async () => {
    const started = npmStart(own.port, '--chain');
    await started.ready();
    return started;
  };
  const first = await start();
  const url = `http://127.0.0.1:${own.port + 2}`;
  expect(first.output()).toMatch(new RegExp(`^CHAIN_URL +${url}$`, 'm'));
  expect(JSON.parse((await npmStatus(own.port)).stdout)).toMatchObject({
    CHAIN_URL: url,
    CHAIN_WS_URL: `ws://127.0.0.1:${own.port + 3}`,
  });

  const { pid } = JSON.parse(await readFile(join(stackDir(own.port), 'stack.json'), 'utf8'));
  process.kill(pid, 'SIGKILL');
  await first.ended;
  expect(await (await fetch(`${url}/health`)).text()).toBe('ok');
  const second = await start();
  expect(await (await fetch(`${url}/health`)).text()).toBe('ok');
  process.kill(second.process.pid!, 'SIGTERM');
  expect(await second.ended).toBe(0);
  await assertPortsFree(own.port, { chain: true });
});
