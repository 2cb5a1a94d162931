import { expect, inject, it } from 'vitest';
import { startWorker } from '../support/worker_process.ts';

it('a worker with malformed WALLET_KEYS does not start, with an error that does not quote them', async () => {
  const worker = startWorker({ status: inject('stack'), env: { WALLET_KEYS: '{"k1": "secret"}' } });
  let errors = '';
  worker.process.stderr?.on('data', (chunk: string) => errors += chunk);
  expect(await new Promise((resolve) => worker.process.once('close', resolve))).toBe(1);
  expect(errors).toMatch(/^Malformed in the environment: WALLET_KEYS .*\n$/);
  expect(errors).not.toContain('secret');
  expect(worker.events()).toEqual([]);
});
