import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ReadRows } from '../../../platform/database/rpc.ts';
import { makeOpenNewsSession, type NewsListener } from './news_session.ts';
import { makeRunNews } from './run_news.ts';
import { lookForEnded, lookForEndedBySession, lookForSignatureRequestsBySession, makeRunWaiter } from './run_waiter.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The duration of a statement in the database, in milliseconds. */
const STATEMENT_MS = 1;

/** Makes a database in which runs end. Callers with a session listen and look through it; other callers poll. */
function makeDatabase({ capacity = 100 } = {}) {
  const ended = new Set<string>();
  /** Runs that can't be followed, because they are ending right now. */
  const ending = new Set<string>();
  const locks = new Map<string, number>();
  const statements: string[] = [];
  const polls: string[][] = [];
  const state = { opened: 0, open: 0, refuses: false, isDown: false, fails: false };
  let listener: NewsListener | undefined;

  const takeLock = (id: string) => {
    if (ending.has(id)) return [];
    locks.set(id, (locks.get(id) ?? 0) + 1);
    return [id];
  };
  const leaveLock = (id: string) => {
    const count = (locks.get(id) ?? 0) - 1;
    if (count < 0) throw new Error(`${id} is not locked`);
    if (count === 0) locks.delete(id);
    else locks.set(id, count);
    return [];
  };
  const carryOut = (statement: string, ids: string[]): unknown[] => {
    const name = /unfollow|follow|asking|public\.flow_run/.exec(statement)![0];
    statements.push(`${name} ${ids.join(' ')}`);
    if (name === 'unfollow') return ids.flatMap(leaveLock);
    if (name === 'follow') return ids.flatMap(takeLock);
    return ids.filter((id) => ended.has(id)).map((id) => ({
      id,
      status: 'succeeded',
      output: { M: {} },
      errors: null,
    }));
  };
  const news = makeRunNews(async (on) => {
    state.opened++;
    if (state.isDown) throw new Error('the database is down');
    if (state.refuses) return undefined;
    listener = on;
    state.open++;
    let isOpen = true;
    return {
      capacity,
      query: async <Result>(statement: string, ids: string[]) => {
        if (!isOpen) throw new Error('closed');
        await new Promise((resolve) => setTimeout(resolve, STATEMENT_MS));
        if (state.fails) throw new Error('out of shared memory');
        return carryOut(statement, ids) as Result;
      },
      close: () => {
        if (isOpen) state.open--;
        isOpen = false;
        locks.clear();
      },
    };
  });
  const read: ReadRows = <Row>(_table: string, query: string) => {
    const ids = /id=in\.\((.*)\)$/.exec(query)?.[1]?.split(',') ?? [];
    polls.push(ids);
    return Promise.resolve(ids.filter((id) => ended.has(id)).map((id) => ({ id, status: 'succeeded' })) as Row[]);
  };
  const waiter = makeRunWaiter(lookForEnded(read), { news, look: lookForEndedBySession });
  const asking = makeRunWaiter<true>(async () => new Map(), { news, look: lookForSignatureRequestsBySession });
  const waitBy = (
    of: { wait: typeof waiter.wait | typeof asking.wait },
    id: string,
    seconds: number,
    signal?: AbortSignal,
  ) => {
    let isOver = false;
    void of.wait(id, seconds, signal).then(() => isOver = true);
    return () => isOver;
  };
  const wait = (id: string, seconds = 100, signal?: AbortSignal) => waitBy(waiter, id, seconds, signal);
  const waitForRequest = (id: string, seconds = 100, signal?: AbortSignal) => waitBy(asking, id, seconds, signal);
  const end = (id: string) => {
    ended.add(id);
    if (locks.has(id)) listener!.onNews(id);
  };
  const lose = () => {
    locks.clear();
    listener!.onLost();
  };
  return {
    ended,
    ending,
    locks,
    statements,
    polls,
    state,
    wait,
    waitForRequest,
    end,
    lose,
    tell: (id: string) => listener!.onNews(id),
    /** Returns the statements of one kind. */
    sent: (name: string) => statements.filter((line) => line.startsWith(`${name} `)),
  };
}

/** Waits long enough for a session to open, and for all runs to be followed. */
const settle = () => vi.advanceTimersByTimeAsync(500);

it('callers who wait for a followed run are answered at its end, without looks in between', async () => {
  const { wait, end, statements, polls, locks } = makeDatabase();
  const isOver = wait('a');
  await settle();
  expect([...locks]).toEqual([['a', 1]]);
  const before = [statements.length, polls.length];
  await vi.advanceTimersByTimeAsync(10_000);
  expect([statements.length, polls.length]).toEqual(before);
  end('a');
  await vi.advanceTimersByTimeAsync(10);
  expect(isOver()).toBe(true);
  expect(statements.slice(before[0])).toEqual(['public.flow_run a', 'unfollow a']);
  expect(polls.length).toBe(before[1]);
  expect(locks.size).toBe(0);
});

it('hundreds of concurrent waits cost one session and one statement of each kind', async () => {
  const { wait, end, statements, state, locks } = makeDatabase({ capacity: 300 });
  wait('first');
  await settle();
  const from = statements.length;
  const ids = Array.from({ length: 200 }, (_, index) => `run-${index}`);
  const waiting = ids.map((id) => wait(id));
  await settle();
  expect(statements.slice(from)).toEqual([`follow ${ids.join(' ')}`, `public.flow_run ${ids.join(' ')}`]);
  const others = ids.map((id) => wait(id));
  await settle();
  expect(statements.length - from).toBe(2);
  for (const id of ids) end(id);
  await vi.advanceTimersByTimeAsync(20);
  expect([...waiting, ...others].every((isOver) => isOver())).toBe(true);
  expect(statements.length - from).toBe(4);
  expect([[...locks.keys()], state.opened]).toEqual([['first'], 1]);
});

it('all followed runs are looked at together every 15 s', async () => {
  const { wait, ended, sent } = makeDatabase();
  const waiting: (() => boolean)[] = [];
  for (let index = 0; index < 30; index++) {
    waiting.push(wait(`run-${index}`));
    await vi.advanceTimersByTimeAsync(200);
  }
  const before = sent('public.flow_run').length;
  // The run ends without news.
  ended.add('run-7');
  await vi.advanceTimersByTimeAsync(15_000);
  expect(waiting.findIndex((isOver) => isOver())).toBe(7);
  await vi.advanceTimersByTimeAsync(45_000);
  expect(sent('public.flow_run').length - before).toBe(4);
});

it('news that end no wait leave the run followed', async () => {
  const { wait, end, tell, locks } = makeDatabase();
  const isOver = wait('a');
  await settle();
  for (let round = 0; round < 5; round++) {
    tell('a');
    tell('somebody else');
    await settle();
    expect([isOver(), [...locks]]).toEqual([false, [['a', 1]]]);
  }
  end('a');
  await vi.advanceTimersByTimeAsync(10);
  expect(isOver()).toBe(true);
});

it('news that come before the answer about the lock are not lost', async () => {
  const { wait, tell, ended, sent } = makeDatabase();
  wait('first');
  await settle();
  const isOver = wait('a');
  await vi.advanceTimersByTimeAsync(2);
  expect(sent('follow')).toEqual(['follow first']);
  tell('a');
  await vi.advanceTimersByTimeAsync(STATEMENT_MS);
  expect(sent('public.flow_run').at(-1)).toBe('public.flow_run a');
  // The run ends after the look under way has read it.
  ended.add('a');
  await vi.advanceTimersByTimeAsync(10);
  expect(isOver()).toBe(true);
});

it('a run that is ending and cannot be followed is looked at again soon', async () => {
  const { wait, ending, ended, sent, locks } = makeDatabase();
  wait('first');
  await settle();
  ending.add('a');
  const isOver = wait('a');
  await vi.advanceTimersByTimeAsync(15);
  expect(sent('follow').length).toBeGreaterThan(2);
  ended.add('a');
  await vi.advanceTimersByTimeAsync(15);
  expect([isOver(), [...locks.keys()]]).toEqual([true, ['first']]);
});

it('runs beyond the capacity of a session are polled, and followed when other runs have left it', async () => {
  const { wait, end, ended, locks } = makeDatabase({ capacity: 2 });
  const waiting = ['a', 'b', 'c'].map((id) => wait(id));
  await settle();
  expect([...locks.keys()]).toEqual(['a', 'b']);
  ended.add('c');
  await vi.advanceTimersByTimeAsync(110);
  expect(waiting.map((isOver) => isOver())).toEqual([false, false, true]);
  wait('d');
  end('a');
  await settle();
  expect([...locks.keys()]).toEqual(['b', 'd']);
});

it('after a lost session, runs are polled until the next session follows them', async () => {
  const { wait, ended, end, lose, polls, locks, state } = makeDatabase();
  const [one, two] = [wait('a'), wait('b')];
  await settle();
  const before = polls.length;
  ended.add('a');
  lose();
  await vi.advanceTimersByTimeAsync(10);
  expect([one(), two(), polls.length > before]).toEqual([true, false, true]);
  await vi.advanceTimersByTimeAsync(6_000);
  expect([state.opened, state.open, [...locks.keys()]]).toEqual([2, 1, ['b']]);
  end('b');
  await vi.advanceTimersByTimeAsync(10);
  expect(two()).toBe(true);
});

it('a session is closed if a statement fails, because its locks are then unknown', async () => {
  const { wait, ended, state } = makeDatabase();
  const one = wait('a');
  await settle();
  state.fails = true;
  wait('b');
  await vi.advanceTimersByTimeAsync(10);
  expect(state.open).toBe(0);
  ended.add('a');
  await vi.advanceTimersByTimeAsync(110);
  expect(one()).toBe(true);
});

it.each(['refuses', 'isDown'] as const)(
  'a database that %s is polled, with a new session tried every 5 s',
  async (why) => {
    const { wait, ended, state, polls } = makeDatabase();
    state[why] = true;
    const isOver = wait('a');
    await vi.advanceTimersByTimeAsync(4_000);
    expect([state.opened, polls.length > 10]).toEqual([1, true]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(state.opened).toBe(5);
    ended.add('a');
    await vi.advanceTimersByTimeAsync(500);
    expect(isOver()).toBe(true);
  },
);

it('an idle session is closed after ten seconds, and a new one is opened for the next wait', async () => {
  const { wait, end, state } = makeDatabase();
  wait('a');
  wait('b', 2);
  await settle();
  end('a');
  await vi.advanceTimersByTimeAsync(11_000);
  expect([state.opened, state.open]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(1_600);
  expect(state.open).toBe(0);
  const isOver = wait('c');
  await settle();
  end('c');
  await vi.advanceTimersByTimeAsync(10);
  expect([isOver(), state.opened, state.open]).toEqual([true, 2, 1]);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([state.open, vi.getTimerCount()]).toEqual([0, 0]);
});

it('a session that opens after all callers have left is closed, too', async () => {
  const { wait, state } = makeDatabase();
  wait('a', 0.003);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(state.open).toBe(1);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(state.open).toBe(0);
});

it('the run of a caller who has left is unfollowed unless others wait for it', async () => {
  const { wait, waitForRequest, locks, sent } = makeDatabase();
  const [gone, leaves] = [new AbortController(), new AbortController()];
  wait('a', 100, gone.signal);
  wait('a', 3);
  waitForRequest('a', 100, leaves.signal);
  await settle();
  // The session has two locks for this run: one for the wait for its end, one for the wait for a signature request.
  expect(locks.get('a')).toBe(2);
  gone.abort();
  await settle();
  expect(locks.get('a')).toBe(2);
  await vi.advanceTimersByTimeAsync(2_500);
  expect(locks.get('a')).toBe(1);
  leaves.abort();
  await settle();
  expect([locks.size, sent('unfollow')]).toEqual([0, ['unfollow a', 'unfollow a']]);
});

it('a caller who leaves during the request of a lock leaves no lock behind', async () => {
  const { wait, locks, sent } = makeDatabase();
  wait('first');
  await settle();
  const gone = new AbortController();
  wait('a', 100, gone.signal);
  await vi.advanceTimersByTimeAsync(2);
  expect(sent('follow')).toEqual(['follow first']);
  gone.abort();
  await settle();
  expect([sent('follow'), sent('unfollow')]).toEqual([['follow first', 'follow a'], ['unfollow a']]);
  expect([...locks.keys()]).toEqual(['first']);
});

it.each([
  ['postgresql://postgres:pw@db.example.supabase.co:5432/postgres', true],
  ['postgresql://postgres.ref:pw@pooler.example.com:5432/postgres', true],
  ['postgresql://postgres.ref:pw@pooler.example.com:6543/postgres', false],
  ['postgresql://postgres.ref:pw@pooler.example.com:5432/postgres?pgbouncer=true', false],
  ['', false],
  [undefined, false],
])('with the address %s, listening sessions are opened: %s', (url, expected) => {
  expect(makeOpenNewsSession(url) !== undefined).toBe(expected);
});

it('a wrong address is logged without its password, and no session is opened', () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {});
  expect(makeOpenNewsSession('postgres:pa/ss@db.example.supabase.co')).toBeUndefined();
  expect(told.mock.calls.join()).toMatch(/SUPABASE_DB_URL.*polls/);
  expect(told.mock.calls.join()).not.toContain('pa/ss');
  told.mockRestore();
});
