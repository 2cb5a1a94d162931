import type { Plan } from './plan.ts';

/** What came of a load. */
export interface LoadResult {
  /** Calls that ended, a second. */
  perSecond: number;
  /** Milliseconds of each call. */
  latencies: number[];
}

/** As many calls in flight at a time as there are connections, one after another, for so long; an error of one ends it. */
export async function runLoad(
  connections: number,
  durationMs: number,
  call: (connection: number) => Promise<unknown>,
): Promise<LoadResult> {
  const latencies: number[] = [];
  const began = performance.now();
  const deadline = began + durationMs;
  const keepCalling = async (connection: number): Promise<void> => {
    for (let now = performance.now(); now < deadline;) {
      const startedAt = now;
      await call(connection);
      now = performance.now();
      latencies.push(now - startedAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, connection) => keepCalling(connection)));
  return { perSecond: latencies.length / ((performance.now() - began) / 1_000), latencies };
}

/** How often loads that are compared take turns in a round, unless it is said. */
const TURNS = 8;

/**
 * Loads that take turns, each for as long in all: a machine that others use too is faster and slower from second to second, and in
 * this way it is so for all of them alike. They come in the opposite order every other time, so that none is always after the same.
 */
async function runLoadsInTurn<Name extends string>(
  loads: Record<Name, (durationMs: number) => Promise<LoadResult>>,
  durationMs: number,
  turnCount: number,
): Promise<Record<Name, LoadResult>> {
  const names = Object.keys(loads) as Name[];
  const turns: Partial<Record<Name, LoadResult[]>> = {};
  for (let turn = 0; turn < turnCount; turn++) {
    for (const name of turn % 2 === 0 ? names : names.toReversed()) {
      (turns[name] ??= []).push(await loads[name](durationMs / turnCount));
    }
  }
  const sum = (results: LoadResult[]): LoadResult => {
    const latencies = results.flatMap((result) => result.latencies);
    const seconds = results.reduce((total, result) => total + result.latencies.length / result.perSecond, 0);
    return { latencies, perSecond: latencies.length / seconds };
  };
  // SAFETY: each of the names had its turns.
  return Object.fromEntries(names.map((name) => [name, sum(turns[name]!)])) as Record<Name, LoadResult>;
}

/** Rounds of loads that are compared, each on tables that are as in the others, after a short one that warms all up. */
export async function takeLoadRounds<Name extends string>(
  { rounds, loadMs }: Plan,
  clearRuns: () => Promise<void>,
  loads: Record<Name, (durationMs: number) => Promise<LoadResult>>,
  turns = TURNS,
): Promise<Record<Name, LoadResult>[]> {
  const taken = [];
  for (let round = 0; round < rounds; round++) {
    await clearRuns();
    await runLoadsInTurn(loads, loadMs / 4, TURNS);
    taken.push(await runLoadsInTurn(loads, 2 * loadMs, turns));
  }
  return taken;
}
