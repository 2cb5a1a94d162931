import { createClient } from '@supabase/supabase-js';
import { expect, inject, it } from 'vitest';
import { call } from '../support/people.ts';

it('info returns the parameters of a client of Supabase to anybody', async () => {
  const response = await call('info', { method: 'GET' });
  const { API_URL, FUNCTIONS_URL, PUBLISHABLE_KEY } = inject('stack');
  const info = await response.json();
  expect([response.status, info]).toEqual([200, {
    supabase_url: API_URL,
    anon_key: PUBLISHABLE_KEY,
    base_url: FUNCTIONS_URL,
  }]);
  const client = createClient(info.supabase_url, info.anon_key, { auth: { persistSession: false } });
  expect((await client.from('nodes').select('node_id').limit(1)).error).toBeNull();
});

it('healthcheck succeeds while the database answers, for anybody', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('healthcheck', { method: 'GET' })));
  for (const answer of answers) expect(await answer.json()).toEqual({ success: true });
  const posted = await call('healthcheck');
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
});
