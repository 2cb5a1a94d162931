import { ApiError } from '../_shared/api_error.ts';
import type { Claim, Claims, Progress } from './claims.ts';
import { executeGraph, type ExecuteResult, type LogLine, type NodeRun } from './engine/execute.ts';
import type { NodeRegistry } from './engine/node.ts';
import type { RunnerSettings } from './settings.ts';
import type { Snapshot } from '../../types/flow.ts';

export interface ExecuteClaimDeps {
  claims: Claims;
  registry: NodeRegistry;
  settings: RunnerSettings;
  now: () => number;
}

/** What happens to a run from outside while it is executed. */
export interface RunControl {
  /** Aborted with a StopRequest when the run shall stop. */
  stop: AbortSignal;
  /** The claim is over: nothing more of it will be taken. */
  isLost: () => boolean;
}

const isClaimLost = (error: unknown): boolean => error instanceof ApiError && error.code === 'claim_lost';

/**
 * Executes a claimed run to its end, storing progress on the way.
 * When the claim is lost meanwhile, whoever has it now goes on, and this returns quietly.
 */
export async function executeClaim(
  deps: ExecuteClaimDeps,
  claim: Claim,
  snapshot: Snapshot,
  control: RunControl,
): Promise<void> {
  const { claims, registry, settings, now } = deps;
  let nodeRuns: NodeRun[] = [];
  let logs: Progress['logs'] = [];
  let logIndex = claim.log_count;
  let storing: Promise<void> = Promise.resolve();
  let failure: unknown;

  const takeProgress = (): Progress => {
    const progress = { node_runs: nodeRuns, logs };
    nodeRuns = [];
    logs = [];
    return progress;
  };
  // One after another, since the rows build on each other; the first failure ends it.
  const checkpoint = () => {
    const progress = takeProgress();
    storing = storing.then(async () => {
      if (failure === undefined) await claims.checkpoint(claim, progress);
    }).catch((error) => {
      failure ??= error;
    });
  };
  const timer = setInterval(checkpoint, settings.checkpointMs);

  try {
    const result: ExecuteResult = await executeGraph({
      graph: snapshot.entry,
      inputs: claim.inputs.M,
      registry,
      finished: claim.node_runs,
      now,
      stop: control.stop,
      journal: {
        nodeEnded: (run) => {
          nodeRuns.push(run);
          if (nodeRuns.length >= settings.checkpointNodeRuns) checkpoint();
        },
        // A repeated attempt logs again what it does again; the lines already stored are not touched.
        logged: (line: LogLine) => logs.push({ ...line, log_index: logIndex++ }),
      },
    });
    clearInterval(timer);
    await storing;
    if (control.isLost()) return;
    if (failure !== undefined) throw failure;
    await claims.finish(claim, takeProgress(), result);
  } catch (error) {
    if (!isClaimLost(error)) throw error;
  } finally {
    clearInterval(timer);
  }
}
