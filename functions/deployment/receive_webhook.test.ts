import { beforeEach, expect, it } from 'vitest';
import { askDatabase, type AskedDatabase } from '../../tests/support/asked_database.ts';
import type { App } from '../_shared/app.ts';
import { ADMISSION_OPTIONS } from '../../platform/admission.ts';
import { makeDeploymentApp } from './app.ts';

const token = (n: number): string => `fh_${String(n).padStart(43, '0')}`;
/** The tokens of many webhooks of one owner. HONEST is the token of another owner's webhook. */
const RICH = Array.from({ length: 40 }, (_, n) => token(n));
const HONEST = token(1_000);
const owners = new Map([...RICH.map((one) => [one, 'rich'] as const), [HONEST, 'honest']]);

let database: AskedDatabase;
let app: App;

beforeEach(() => {
  database = askDatabase((name, args) =>
    name === 'webhook_owners'
      ? (args.tokens as string[]).map((one) => owners.get(one) ?? null)
      : { flow_run_id: 'a run' }
  );
  app = makeDeploymentApp(database.platform);
});

const post = (shown: string, headers: Record<string, string> = { 'content-type': 'application/json' }, body = '{}') =>
  app.fetch(new Request(`http://project/deployment/hook/${shown}`, { method: 'POST', headers, body }))
    .then(async (response) => [response.status, (await response.json()).code]);

it('invented tokens take no turn: one call looks up all of them, and no body is read', async () => {
  const made = Array.from({ length: 400 }, (_, n) => post(token(n + 2_000)));
  await database.settle();
  const honest = post(HONEST);
  await database.settle();
  expect(database.underWay.map(({ name }) => name)).toEqual(['webhook_owners']);
  await database.answerNext();
  // The next call looks up the valid token, although 400 more invented tokens now wait.
  const more = Array.from({ length: 400 }, (_, n) => post(token(n + 3_000)));
  await database.settle();
  expect(database.underWay[0]!.args.tokens).toEqual([HONEST]);
  await database.answerNext();
  expect(database.underWay.map(({ name }) => name)).toContain('receive_webhook');
  await database.answerAll();
  expect(await honest).toEqual([202, undefined]);
  expect(new Set((await Promise.all([...made, ...more])).map(String))).toEqual(new Set(['404,webhook_not_found']));
});

it('an owner of many webhooks gets the turns of one caller', async () => {
  const rich = RICH.map((one) => post(one));
  await database.settle();
  await database.answerNext();
  const honest = post(HONEST);
  await database.settle();
  const looks = database.underWay.findIndex(({ name }) => name === 'webhook_owners');
  expect(database.underWay).toHaveLength(ADMISSION_OPTIONS.aloneSlots + 1);
  await database.answer(looks);
  expect(database.underWay.at(-1)!.args.token).toBe(HONEST);
  await database.answerAll();
  expect(await honest).toEqual([202, undefined]);
  expect(new Set((await Promise.all(rich)).map(String))).toEqual(new Set(['202,']));
});

it('a known webhook is not looked up again', async () => {
  const first = post(HONEST);
  await database.answerAll();
  await first;
  database.asked.length = 0;
  const second = post(HONEST);
  await database.answerAll();
  expect(await second).toEqual([202, undefined]);
  expect(database.asked).toEqual(['receive_webhook']);
});

it.each([
  ['application/json; charset=utf-8; x=y', 202],
  ['application/cloudevents+json', 202],
  ['APPLICATION/VND.API+JSON', 202],
  ['application/x-www-form-urlencoded', 202],
  ['application/jsonp', 415],
  ['text/json', 415],
  ['application/+json', 415],
  ['multipart/form-data; boundary=x', 415],
])('a body of the type %s is answered with %s', async (type, status) => {
  const answer = post(HONEST, { 'content-type': type });
  await database.answerAll();
  expect((await answer)[0]).toBe(status);
});
