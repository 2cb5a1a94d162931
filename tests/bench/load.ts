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
