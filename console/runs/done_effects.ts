import { queryOptions } from '@tanstack/react-query';
import type { RunRow } from 'flow-deployments-client';
import type { Api } from '../shared/api.tsx';
import { readRunError } from '../shared/errors/run_error.ts';

/** A node that did not act again, because it succeeded in an earlier run with other inputs. */
export interface DoneEffect {
  flow: number;
  node: string;
  title: string;
  message: string;
}

type FailedRun = Pick<RunRow, 'id' | 'flow_id' | 'errors'>;

/** The most runs that are read at once. */
const MAX_RUNS = 100;
/** The most levels of calls that are searched. */
const MAX_LEVELS = 10;

/** Reads the failed runs that these runs called, and the failed runs that those called. */
async function failedCalls(db: Api['db'], parents: readonly FailedRun[], signal: AbortSignal): Promise<FailedRun[]> {
  const all: FailedRun[] = [];
  let level = parents;
  for (let depth = 0; level.length > 0 && depth < MAX_LEVELS; depth++) {
    const { data } = await db.from('flow_run').select('id, flow_id, errors')
      .in('parent_flow_run_id', level.map(({ id }) => id)).eq('status', 'failed').order('id').limit(MAX_RUNS)
      .abortSignal(signal).throwOnError();
    level = data;
    all.push(...level);
  }
  return all;
}

const effectsOf = ({ flow_id, errors }: FailedRun): DoneEffect[] =>
  (errors ?? []).flatMap((line) => {
    const { code, nodeId, message } = readRunError(line);
    if (code !== 'effect_already_done' || nodeId === undefined) return [];
    return [{ flow: flow_id, node: nodeId, title: line.slice(0, line.indexOf(` ${nodeId}`)), message }];
  });

/** Finds the nodes that a redrive has to name if they may act again, in the run and in the runs that it called. */
export const doneEffectsQuery = ({ db }: Api, run: RunRow, enabled: boolean) =>
  queryOptions({
    queryKey: ['runs', 'done effects', run.id],
    queryFn: async ({ signal }) => {
      const effects = [run, ...await failedCalls(db, [run], signal)].flatMap(effectsOf);
      return [...new Map(effects.map((effect) => [`${effect.flow}/${effect.node}`, effect])).values()];
    },
    enabled,
  });
