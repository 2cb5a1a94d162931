import { ApiError } from '../../../platform/api_error.ts';
import type { Slice } from '../../engine/state/slice.ts';
import { executeTree } from '../../engine/execute_tree.ts';
import { errorText } from '../../log_line.ts';
import { brokenResult, makeClaimEnd } from './claim_end.ts';
import { ClaimLife } from './claim_life.ts';
import { makeClaimLog } from './claim_log.ts';
import type { ClaimExecution, ExecuteClaimDeps } from './claim_execution.ts';
import { type ClaimRecords, openClaimRecords } from './claim_records.ts';
import { composeTree } from './claim_tree.ts';
import type { Claim, StoredHistory } from './claims.ts';
import type { HeldMemory } from '../memory/memory_budget.ts';
import { makeMemoryWait } from '../memory/memory_wait.ts';
import { makeRunControl } from './run_control.ts';
import type { Snapshot } from '../../../types/flow.ts';

/**
 * Executes a claimed run until it ends or is released, and stores progress meanwhile. If the claim is lost, the worker
 * with the new claim continues. If the database does not answer for long, the run is claimed again after the end of its
 * lease. A run fails if it can't be executed or if the database refuses its progress.
 */
export function executeClaim(
  deps: ExecuteClaimDeps,
  claim: Claim,
  readSnapshot: () => Snapshot,
  slice: Slice,
  /** Called when the run begins to rest. */
  onRest: () => void = () => {},
): ClaimExecution {
  const { claims, registryOf, makeServices, settings, now } = deps;
  const control = makeRunControl();
  const log = makeClaimLog(claim, deps.log, now);
  const memoryWait = makeMemoryWait({ memory: deps.memory, claim, control, slice, heldMs: log.heldMs, onRest });
  const life = new ClaimLife();
  const end = makeClaimEnd({ claims, claim, life, log, onRest, now });
  let records: ClaimRecords | undefined;

  const execute = async (): Promise<void> => {
    if (claim.stop !== null) control.stop(claim.stop);
    const memory = await memoryWait.admitted();
    if (memory !== undefined) return await executeWith(memory).finally(memory.free);
    if (control.isLost()) return end.lost();
    await end.releaseUntouched();
  };

  const executeWith = async (memory: HeldMemory): Promise<void> => {
    life.go('admit');
    const history = await claims.history(claim);
    const opened = openClaimRecords({ claims, claim, history, settings, control, memory, onRest, now });
    records = opened;
    try {
      const outcome = await executeFrom(history, opened);
      opened.journal.close();
      const rest = await opened.journal.takeRest();
      if (control.isLost()) return end.lost();
      await end.store(outcome, rest);
    } finally {
      opened.close();
    }
  };

  /**
   * Continues the run after its stored history. If the run can't be executed, for example because its snapshot is
   * broken, the run fails.
   */
  const executeFrom = async (history: StoredHistory, records: ClaimRecords) => {
    const { countExecution: onNodeEnded } = log;
    try {
      const snapshot = readSnapshot();
      const loaded = registryOf(snapshot);
      // A promise would cost each run without described nodes a turn of the event loop.
      const registry = loaded instanceof Promise ? await loaded : loaded;
      const shared = { registry, makeServices, settings, now };
      return await executeTree(
        composeTree({ ...shared, claim, snapshot, history, records, control, slice, onNodeEnded }),
      );
    } catch (error) {
      // A failed call of the database ends the claim and not the run.
      if (error instanceof ApiError) throw error;
      records.journal.leftIncomplete();
      log.write('error', { event: 'run_broken', error: errorText(error) });
      return brokenResult('the runner could not execute this flow');
    }
  };

  return {
    claim,
    ended: execute().catch(end.failed),
    stop: control.stop,
    lose: control.lose,
    release: control.release,
    tellOfInputs: control.tellOfInputs,
    hasStored: () => records?.journal.hasStored() ?? false,
    isReleased: () => life.isInQueueAgain,
    isResting: () => life.isPastExecution || memoryWait.isWaiting() || (records?.clock.isResting() ?? false),
    sleepsUntil: end.sleepsUntil,
    heldMs: log.heldMs,
    isReleasing: () => control.releasing.aborted,
  };
}
