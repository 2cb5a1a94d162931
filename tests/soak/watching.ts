import { createFlowClient } from '../../client/index.ts';
import type { Random } from './random.ts';
import type { StartedRun } from './starts.ts';
import type { World } from './world.ts';

/** What somebody who watched a run was told. */
export interface WatchRecord {
  runId: string;
  /** The numbers of the events, in the order in which they came. */
  told: number[];
  /** Told of the end of the run: nothing is missing. */
  isComplete: boolean;
}

/** So long somebody watches at most: some runs wait for minutes. */
const LONGEST_WATCH_MS = 20_000;

/** Watches a run as the holder of its token, whatever breaks meanwhile. */
export async function watchRun(world: World, run: StartedRun, random: Random): Promise<void> {
  const { API_URL, PUBLISHABLE_KEY } = world.status;
  const record: WatchRecord = { runId: run.id, told: [], isComplete: false };
  world.watched.push(record);
  const client = createFlowClient({ url: API_URL, key: PUBLISHABLE_KEY, retries: 100 });
  const signal = AbortSignal.timeout(random.between(LONGEST_WATCH_MS / 4, LONGEST_WATCH_MS));
  try {
    for await (const { id } of client.events({ flow_run_id: run.id, token: run.token }, { signal })) {
      record.told.push(id);
    }
    record.isComplete = true;
  } catch (error) {
    // Whoever leaves before the end was told a part.
    if (!signal.aborted) throw error;
  }
}
