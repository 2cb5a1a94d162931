import { createFlowClient } from '../../client/index.ts';
import type { Random } from './random.ts';
import type { StartedRun } from './starts.ts';
import type { World } from './world.ts';

/** The events that a watcher of a run received. */
export interface WatchRecord {
  runId: string;
  /** The numbers of the events, in their order of arrival. */
  told: number[];
  /** True if the watcher received the end of the run. If it is true, no event may be missing. */
  isComplete: boolean;
}

/** The longest watch, because some runs wait for minutes. */
const LONGEST_WATCH_MS = 20_000;

/** Watches a run as the holder of its token, during any fault. */
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
    // An aborted watcher has left before the end, and has received only a part of the events.
    if (!signal.aborted) throw error;
  }
}
