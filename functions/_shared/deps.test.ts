import { expect, it } from 'vitest';
import { makeDeps } from './deps.ts';

/** Deps whose database answers when it is told to; the credentials of the calls that have reached it. */
function makeSilentDeps() {
  const reached: string[] = [];
  const answers: (() => void)[] = [];
  const { rpc, rpcFor, serviceRpc } = makeDeps({
    env: (name) =>
      ({ SUPABASE_URL: 'http://project', SUPABASE_ANON_KEY: 'anon', SUPABASE_SERVICE_ROLE_KEY: 'service' })[name],
    fetch: (_url, init) => {
      const { authorization, 'x-api-key': apiKey } = init!.headers as Record<string, string>;
      reached.push(authorization ?? apiKey ?? 'nobody');
      return new Promise((resolve) => answers.push(() => resolve(new Response('null'))));
    },
    waitUntil: () => {},
  });
  return { rpc, rpcFor, serviceRpc, reached, answers };
}

const times = <Result>(count: number, work: () => Result): Result[] => Array.from({ length: count }, work);

it('callers who show who they are take turns, all others are one caller, and the project itself never waits', async () => {
  const { rpc, rpcFor, serviceRpc, reached, answers } = makeSilentDeps();
  const calls = [
    ...times(40, () => rpc('start', {}, { authorization: 'Bearer a.b.c' })),
    ...times(3, () => rpc('start', {}, { 'x-api-key': 'fk_1' })),
    ...times(3, () => rpc('start', {}, { 'x-flow-run-token': `fr_1` })),
    ...times(3, () => rpc('start', {})),
    ...times(3, () => rpcFor('a webhook')('receive', {})),
    ...times(3, () => serviceRpc('store', {})),
  ];
  await Promise.resolve();
  const count = (who: string) => reached.filter((one) => one === who).length;
  expect(['Bearer a.b.c', 'fk_1', 'nobody', 'Bearer service'].map(count)).toEqual([16, 2, 4, 3]);
  while (answers.length > 0) {
    answers.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(calls);
  expect(reached).toHaveLength(55);
});
