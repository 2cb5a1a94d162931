import { beforeEach, expect, it } from 'vitest';
import { type Admission, type AdmissionOptions, makeAdmission } from './admission.ts';
import { ApiError } from './api_error.ts';

let time: number;
/** The calls under way, in the order in which they began, each with the function that ends it. */
let underWay: { name: string; end: () => void }[];
const names = () => underWay.map(({ name }) => name);

beforeEach(() => {
  time = 0;
  underWay = [];
});

const make = (options: Partial<AdmissionOptions> = {}): Admission =>
  makeAdmission({
    slots: 6,
    aloneSlots: 4,
    sharedSlots: 2,
    recentMs: 1_000,
    maxWaiting: 10,
    maxAllWaiting: 15,
    now: () => time,
    ...options,
  });

/** Lets promises settle. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Makes calls that last until the test ends them. The calls of caller `a` are named a1, a2 and so on. */
function call(admission: Admission, caller: string, count: number, from = 1): Promise<string>[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `${caller}${from + index}`;
    return admission.admit(caller, () =>
      new Promise<string>((resolve) =>
        underWay.push({
          name,
          end: () => {
            underWay = underWay.filter((other) => other.name !== name);
            resolve(name);
          },
        })
      ));
  });
}

/** Ends a call that is under way. */
async function end(name: string): Promise<void> {
  underWay.find((one) => one.name === name)!.end();
  await settle();
}

it('a single caller gets `aloneSlots` slots and the results of the work', async () => {
  const results = call(make(), 'a', 6);
  expect(names()).toEqual(['a1', 'a2', 'a3', 'a4']);
  await end('a2');
  expect(names()).toEqual(['a1', 'a3', 'a4', 'a5']);
  for (const name of ['a1', 'a3', 'a4', 'a5', 'a6']) await end(name);
  expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6']);
});

it('a second caller begins at once while the first one holds all slots of one caller', async () => {
  const admission = make();
  void call(admission, 'a', 10);
  void call(admission, 'b', 1);
  expect(names()).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
});

it('each caller has fewer slots while others have called recently', async () => {
  const admission = make();
  void call(admission, 'b', 1);
  await end('b1');
  void call(admission, 'a', 4);
  expect(names()).toEqual(['a1', 'a2']);
  time = 999;
  await end('a1');
  expect(names()).toEqual(['a2', 'a3']);
  time = 1_000;
  void call(admission, 'a', 2, 5);
  await end('a2');
  expect(names()).toEqual(['a3', 'a4', 'a5', 'a6']);
});

it('waiting callers take turns, even if one of them has many calls', async () => {
  const admission = make({ slots: 2 });
  void call(admission, 'a', 8);
  void call(admission, 'b', 2);
  void call(admission, 'c', 1);
  const order: string[] = [];
  while (underWay.length > 0) {
    order.push(underWay[0]!.name);
    await end(underWay[0]!.name);
  }
  expect(order).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5', 'a6', 'a7', 'a8']);
});

it('refuses calls beyond the waiting limits of one caller and of all callers', async () => {
  const admission = make({ slots: 1, maxWaiting: 3, maxAllWaiting: 5 });
  const refusal = (promise: Promise<unknown>) => promise.then(() => undefined, (error: ApiError) => error);
  const mine = call(admission, 'a', 5);
  const theirs = [...call(admission, 'b', 2), ...call(admission, 'c', 1)];
  for (const refused of [mine[4]!, mine[3]!]) {
    const error = await refusal(refused);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 429, code: 'too_many_requests', headers: { 'retry-after': '1' } });
  }
  for (let left = 6; left > 0; left--) await end(names()[0]!);
  expect(await Promise.all([...mine.slice(0, 3), ...theirs])).toHaveLength(6);
});

it('at the waiting limit, the caller with the most calls loses one to another caller', async () => {
  const admission = make({ slots: 1, maxWaiting: 10, maxAllWaiting: 6 });
  const refused: string[] = [];
  const note = (promise: Promise<string>, name: string) => void promise.catch(() => refused.push(name));
  call(admission, 'a', 7).forEach((promise, index) => note(promise, `a${index + 1}`));
  call(admission, 'b', 4).forEach((promise, index) => note(promise, `b${index + 1}`));
  await settle();
  expect(refused.toSorted()).toEqual(['a5', 'a6', 'a7', 'b4']);
  call(admission, 'c', 1).forEach((promise) => note(promise, 'c1'));
  await settle();
  expect(refused.toSorted()).toEqual(['a4', 'a5', 'a6', 'a7', 'b4']);
  const order: string[] = [];
  while (underWay.length > 0) {
    order.push(underWay[0]!.name);
    await end(underWay[0]!.name);
  }
  expect(order.toSorted()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1']);
});

it('failed work frees its slot', async () => {
  const admission = make({ slots: 1 });
  const failed = admission.admit('a', () => Promise.reject(new Error('no')));
  void call(admission, 'b', 1);
  await expect(failed).rejects.toThrow('no');
  await settle();
  expect(names()).toEqual(['b1']);
});

it('all calls of a thousand callers end, with at most `slots` of them at a time', async () => {
  const admission = make({ slots: 7, maxWaiting: 1_000, maxAllWaiting: 100_000 });
  let running = 0;
  let most = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: 30_000 }, (_, index) =>
      admission.admit(`caller ${index % 1_000}`, async () => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
        done++;
      })),
  );
  expect([most, done]).toEqual([7, 30_000]);
});
