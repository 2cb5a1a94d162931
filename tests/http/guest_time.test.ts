import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { textFlow } from '../support/flow_builder.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { deploy, signUp, start, storeFlow } from '../support/people.ts';
import { asSuperuser } from '../support/tokens.ts';

/** A text of many words, and a filter that searches it so often that the search takes far more time than any caller has. */
const LONG_TEXT = Array.from({ length: 25_000 }, (_, index) => `word${index}`).join(' ');
const SLOW_FILTER = `or=(${
  Array.from({ length: 400 }, (_, index) => `data->>description.fts.absent${index}`).join(',')
})`;

it('an expensive filter of a guest is cancelled much earlier than one of a caller with a run token', async () => {
  const owner = await signUp();
  const { token } = await start(owner, `id=${await deploy(owner, await storeFlow(owner, textFlow()))}`);
  const node_id = `slow_${randomUUID().slice(0, 8)}`;
  const { API_URL, PUBLISHABLE_KEY, SECRET_KEY } = inject('stack');
  const ask = (query: string, headers: Record<string, string>, init: RequestInit = {}) =>
    fetch(`${API_URL}/rest/v1/nodes${query}`, { ...init, headers: { 'content-type': 'application/json', ...headers } });
  const data = { node_id, version: '1', display_name: 'slow', description: LONG_TEXT };
  const definition = { type: 'native', data, sources: [], targets: [] };
  const byService = { apikey: SECRET_KEY };
  expect((await ask('', byService, { method: 'POST', body: JSON.stringify(definition) })).status).toBe(201);
  try {
    const ended: string[] = [];
    const filter = async (who: string, headers: Record<string, string>) => {
      const query = `?node_id=eq.${node_id}&${SLOW_FILTER}`;
      const answer = await ask(query, { apikey: PUBLISHABLE_KEY, ...headers });
      expect([answer.status, (await answer.json()).code]).toEqual([500, '57014']);
      ended.push(who);
    };
    await Promise.all([filter('the holder of a token', { 'x-flow-run-token': token }), filter('a guest', {})]);
    expect(ended).toEqual(['a guest', 'the holder of a token']);
    expect((await ask(`?node_id=eq.${node_id}&select=id`, { apikey: PUBLISHABLE_KEY })).status).toBe(200);
  } finally {
    await ask(`?node_id=eq.${node_id}`, byService, { method: 'DELETE' });
  }
});

it('a start of a guest may wait longer than that for a lock', async () => {
  const owner = await signUp();
  const id = await deploy(owner, await storeFlow(owner, textFlow()));
  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous' }).eq('id', id).throwOnError();
  const { API_URL } = inject('stack');
  await asSuperuser(async (sql) => {
    let started: Promise<Response> | undefined;
    await sql.begin(async (transaction) => {
      await transaction`select from public.flow_deployments where id = ${id} for update`;
      started = fetch(`${API_URL}/functions/v1/deployment/start?id=${id}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${makeKeypair().publicKey}` },
      });
      // Hold the lock for longer than a filter may take.
      await pause(1_000);
    });
    expect((await started!).status).toBe(200);
  });
});
