import { describe, expect, it } from 'vitest';
import type { Platform } from '../_shared/edge_platform.ts';
import { makeActionApp } from './app.ts';

const ACCOUNT = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';

/** Makes the function with a database that finds no deployment, and records the calls of the database. */
function makeRefusing() {
  const asked: string[] = [];
  const notFound = { code: 'deployment_not_found', message: 'There is no such deployment.', details: null, hint: null };
  const platform: Platform = {
    env: (name) => ({ SUPABASE_URL: 'http://project', SUPABASE_ANON_KEY: 'a', SUPABASE_SERVICE_ROLE_KEY: 's' })[name],
    fetch: async (input, init) => {
      const args = Object.keys(JSON.parse(String(init?.body))).length;
      asked.push(`${String(input).slice('http://project'.length)} ${args > 0}`);
      if (String(input).endsWith('/turn_owners')) return Response.json([null]);
      return Response.json(notFound, { status: 404 });
    },
    waitUntil: () => {},
  };
  return { asked, app: makeActionApp(platform) };
}

const paths = [
  '01a2069d-9d4d-74a3-b128-81683010dccd',
  'nothing',
  '%00',
  '7/latest',
  'x/latest',
  '7/%20',
  '99999999999/a',
];

describe('the refusal of an action', () => {
  it.each(paths)('costs the same two look-ups for every path: %s', async (path) => {
    const { asked, app } = makeRefusing();
    const answers = [
      await app.fetch(new Request(`http://f/action/${path}`)),
      await app.fetch(new Request(`http://f/action/${path}`, { method: 'HEAD' })),
      await app.fetch(
        new Request(`http://f/action/${path}`, {
          method: 'POST',
          body: JSON.stringify({ account: ACCOUNT }),
          headers: { 'content-type': 'application/json' },
        }),
      ),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    const calls = ['/rest/v1/rpc/turn_owners true', '/rest/v1/rpc/read_deployment true'];
    expect(asked).toEqual([...calls, ...calls, ...calls]);
  });

  it('costs no look-up if the body is invalid', async () => {
    const { asked, app } = makeRefusing();
    const headers = { 'content-type': 'application/json' };
    const answer = await app.fetch(new Request(`http://f/action/${paths[0]}`, { method: 'POST', body: '{}', headers }));
    expect([answer.status, asked]).toEqual([400, []]);
  });
});

describe('an action with more inputs than a form has', () => {
  it('is refused before its description is parsed', async () => {
    const inputs = Array.from({ length: 201 }, (_, index) => ({ name: `a${index}`, type_bounds: ['keypair'] }));
    const app = makeActionApp({
      env: (name) => ({ SUPABASE_URL: 'http://project', SUPABASE_ANON_KEY: 'a', SUPABASE_SERVICE_ROLE_KEY: 's' })[name],
      fetch: async () => Response.json({ output_instructions: true, inputs, fees: [], description: '' }),
      waitUntil: () => {},
    });
    const body = JSON.stringify({ account: ACCOUNT });
    const headers = { 'content-type': 'application/json' };
    for (const init of [{}, { method: 'POST', body, headers }]) {
      const answer = await app.fetch(new Request(`http://f/action/${paths[0]}`, init));
      expect(await answer.json()).toMatchObject({ code: 'action_failed', message: expect.stringContaining('200') });
    }
  });
});
