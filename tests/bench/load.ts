import type { Plan } from './plan.ts';

/** The result of a load. */
export interface LoadResult {
  /** The completed calls per second. */
  perSecond: number;
  /** The milliseconds of each call. */
  latencies: number[];
}

/** Runs a load for this time. Each connection makes one call after another. An error of a call ends the load. */
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

/** The default number of turns of each compared load in a round. */
const TURNS = 8;

/**
 * Runs loads in turns, each for the same total time. The speed of a shared machine varies from second to second. The
 * turns spread these variations over all loads. Every second turn reverses the order of the loads, so that a load does
 * not always run after the same other load.
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
  // SAFETY: `names` lists every load.
  return Object.fromEntries(names.map((name) => [name, sum(turns[name]!)])) as Record<Name, LoadResult>;
}

/** Measures rounds of compared loads. Each round begins with cleared tables and a short load, which warms up. */
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
