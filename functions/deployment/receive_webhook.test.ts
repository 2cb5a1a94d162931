import { expect, it } from 'vitest';
import { makeDeploymentApp } from './app.ts';

const environment: Record<string, string> = {
  SUPABASE_URL: 'http://project',
  SUPABASE_ANON_KEY: 'anon',
  SUPABASE_SERVICE_ROLE_KEY: 'service',
  RUNNER_DISABLED: '1',
};

const token = (n: number): string => `fh_${String(n).padStart(43, '0')}`;
const GOOD = token(0);

it('whoever makes tokens up shares turns with all others who do, and keeps no good token waiting', async () => {
  const reached: string[] = [];
  const answers: (() => void)[] = [];
  const app = makeDeploymentApp({
    env: (name) => environment[name],
    fetch: (_url, init) => {
      const args = JSON.parse(init!.body as string) as { token: string };
      reached.push(args.token);
      const [status, body] = args.token === GOOD
        ? [200, { flow_run_id: 'a run' }]
        : [404, { code: 'webhook_not_found', message: 'There is no such webhook.' }];
      return new Promise((resolve) => answers.push(() => resolve(Response.json(body, { status }))));
    },
    waitUntil: () => {},
  });
  const post = (shown: string) =>
    app.fetch(
      new Request(`http://project/deployment/hook/${shown}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': '2' },
        body: '{}',
      }),
    ).then(({ status }) => status);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const answerAll = async () => {
    for (await turn(); answers.length > 0; await turn()) answers.shift()!();
  };

  // From here on it is known to be good.
  const first = post(GOOD);
  await answerAll();
  expect(await first).toBe(202);

  const made = Array.from({ length: 40 }, (_, n) => post(token(n + 1)));
  await turn();
  const others = reached.length - 1;
  expect(others).toBeLessThan(40);
  const again = post(GOOD);
  await turn();
  expect(reached.slice(1)).toHaveLength(others + 1);
  expect(reached.at(-1)).toBe(GOOD);
  await answerAll();
  expect(await Promise.all([again, ...made])).toEqual([202, ...made.map(() => 404)]);
});
