import { expect, it } from 'vitest';
import { claimOf } from '../../tests/support/claim_of.ts';
import { waitFlow } from '../../tests/support/mixed_flows.ts';
import { waitFor } from '../../tests/support/wait.ts';
import { makeRunnerApp } from './app.ts';

const ENV: Record<string, string> = {
  SUPABASE_URL: 'http://project',
  SUPABASE_ANON_KEY: 'a',
  SUPABASE_SERVICE_ROLE_KEY: 's',
  RUNNER_SLICE_MS: '100',
  RUNNER_LONG_WAIT_MS: '60001',
};

it('a run whose release the database stores after the end of the slice causes one more poke', async () => {
  let pokes = 0;
  let store = () => {};
  const stored = new Promise<void>((resolve) => store = resolve);
  const claims = [[claimOf(waitFlow(60_000))]];
  const work: Promise<unknown>[] = [];
  const app = makeRunnerApp({
    env: (name) => ENV[name],
    fetch: async (input) => {
      const name = String(input).split('/').at(-1)!;
      if (name === 'runner') pokes += 1;
      if (name === 'release_flow_run') await stored;
      return Response.json(name === 'claim_flow_runs' ? claims.shift() ?? [] : []);
    },
    waitUntil: (one) => work.push(one),
  });
  const request = new Request('http://f/runner', { method: 'POST', headers: { authorization: 'Bearer s' } });
  expect((await app.fetch(request)).status).toBe(202);
  await waitFor(() => pokes > 0 || undefined);
  expect(pokes).toBe(1);
  store();
  await Promise.all(work);
  await waitFor(() => pokes > 1 || undefined);
});
