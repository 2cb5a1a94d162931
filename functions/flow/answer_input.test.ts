import { beforeEach, expect, it } from 'vitest';
import { askDatabase, type AskedDatabase } from '../../tests/support/asked_database.ts';
import type { App } from '../_shared/app.ts';
import { makeFlowApp } from './app.ts';

const token = (n: number): string => `fi_${String(n).padStart(43, '0')}`;
const [LEAKED, HONEST, OTHERS] = [token(1), token(2), token(3)];
const owners = new Map([[LEAKED, 'ann'], [HONEST, 'ann'], [OTHERS, 'bob']]);

let database: AskedDatabase;
let app: App;

beforeEach(() => {
  database = askDatabase((name, args) =>
    name === 'pending_input_owners' ? (args.tokens as string[]).map((one) => owners.get(one) ?? null) : null
  );
  app = makeFlowApp(database.platform);
});

async function submit(shown: string, method = 'POST'): Promise<[number, string | undefined]> {
  const response = await app.fetch(
    new Request(`http://project/flow/submit/${shown}`, {
      method,
      ...(method === 'POST' && { headers: { 'content-type': 'application/json' }, body: '{"values": 1}' }),
    }),
  );
  return [response.status, (await response.json()).code];
}

it('invented tokens take no turn: one call looks up all of them', async () => {
  const made = Array.from({ length: 600 }, (_, n) => submit(n % 2 === 0 ? token(n + 100) : `wrong${n}`));
  await database.settle();
  const honest = submit(HONEST);
  await database.settle();
  expect(database.underWay.map(({ name }) => name)).toEqual(['pending_input_owners']);
  await database.answerNext();
  expect(database.underWay.map(({ args }) => args)).toEqual([{ tokens: [HONEST] }]);
  await database.answerNext();
  expect(database.underWay.map(({ name }) => name)).toEqual(['input_answerer']);
  await database.answerAll();
  expect(await honest).toEqual([200, undefined]);
  expect(new Set((await Promise.all(made)).map(String))).toEqual(new Set(['404,pending_input_not_found']));
});

it('many calls with one token take no turns from other tokens, even of the same owner', async () => {
  const flood = Array.from({ length: 100 }, (_, n) => submit(LEAKED, n % 2 === 0 ? 'POST' : 'DELETE'));
  await database.settle();
  const honest = [submit(HONEST), submit(OTHERS)];
  await database.settle();
  await database.answerNext();
  await database.answerNext();
  const underWay = database.underWay.map(({ args }) => args.token);
  expect(underWay.filter((shown) => shown === LEAKED)).toHaveLength(1);
  expect(underWay).toEqual(expect.arrayContaining([HONEST, OTHERS]));
  await database.answerAll();
  expect(await Promise.all(honest)).toEqual([[200, undefined], [200, undefined]]);
  const statuses = (await Promise.all(flood)).map(([status]) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(11);
  expect(statuses.filter((status) => status === 429)).toHaveLength(89);
});
