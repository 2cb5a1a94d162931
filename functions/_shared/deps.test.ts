import { expect, it } from 'vitest';
import { signAccessToken } from '../../tests/support/access_token.ts';
import { askDatabase } from '../../tests/support/asked_database.ts';
import { ADMISSION_OPTIONS } from '../../platform/admission.ts';
import { makeDeps } from './deps.ts';

const times = <Result>(count: number, work: (index: number) => Result): Result[] =>
  Array.from({ length: count }, (_, index) => work(index));

/** Makes deps whose database answers at the test's command. Keys that begin with fk_ann_ are Ann's. */
function make() {
  const database = askDatabase((name, args) =>
    name === 'turn_owners' ? (args.shown as string[]).map((one) => one.startsWith('fk_ann_') ? 'ann' : null) : null
  );
  return { database, ...makeDeps(database.platform) };
}

it('a flood of invented credentials shares few slots and one look-up, and stops no other caller', async () => {
  const { database, rpc } = make();
  const invented = times(1_500, (n) => {
    const headers: Record<string, string> = n % 2 === 0
      ? { authorization: `Bearer a.b.${n}` }
      : { 'x-api-key': `fk_${n}` };
    return rpc('start', {}, headers).then(() => 'answered', ({ code }) => code as string);
  });
  await database.settle();
  const honest = rpc('honest', {}, { 'x-api-key': 'fk_ann_1' });
  const guest = rpc('guest', {});
  await database.settle();
  expect(database.asked.filter((name) => name === 'turn_owners')).toHaveLength(1);
  while (!database.asked.includes('honest')) {
    const looks = database.underWay.findIndex(({ name }) => name === 'turn_owners');
    expect(looks).toBeGreaterThanOrEqual(0);
    await database.answer(looks);
  }
  expect(database.asked.filter((name) => name === 'turn_owners').length).toBeLessThanOrEqual(2);
  const underWay = database.underWay.filter(({ name }) => name === 'start');
  expect(underWay.length).toBeLessThanOrEqual(ADMISSION_OPTIONS.aloneSlots);
  await database.answerAll();
  await Promise.all([honest, guest]);
  expect(new Set(await Promise.all(invented))).toEqual(new Set(['answered', 'too_many_requests']));
});

it('a user with many keys gets the slots of one caller', async () => {
  const { database, rpc } = make();
  const calls = times(30, (n) => rpc('start', {}, { 'x-api-key': `fk_ann_${n}` }));
  await database.settle();
  await database.answerNext();
  expect(database.underWay).toHaveLength(ADMISSION_OPTIONS.aloneSlots);
  await database.answerAll();
  await Promise.all(calls);
});

it('a token without a published key gets a turn of its own after the database accepted it', async () => {
  const { database, rpc } = make();
  const token = await signAccessToken('ann', { secret: 'secret' });
  const call = (name: string) => rpc(name, {}, { authorization: `Bearer ${token}` });
  const first = call('first');
  await expect.poll(() => database.underWay.map(({ name }) => name)).toContain('first');
  await database.answerAll();
  await first;
  const invented = times(40, (n) => rpc('start', {}, { authorization: `Bearer a.b.${n}` }));
  await expect.poll(() => database.underWay.length).toBe(ADMISSION_OPTIONS.aloneSlots);
  const second = call('second');
  await expect.poll(() => database.underWay.map(({ name }) => name)).toContain('second');
  await database.answerAll();
  await Promise.all([second, ...invented]);
});

it('calls as service role never wait', async () => {
  const { database, serviceRpc } = make();
  const calls = times(40, () => serviceRpc('store', {}));
  await database.settle();
  expect(database.underWay).toHaveLength(40);
  await database.answerAll();
  await Promise.all(calls);
});
