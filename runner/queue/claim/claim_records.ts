import { codedError } from '../../../types/run_errors.ts';
import { makeOutputBudget, type OutputBudget } from '../../engine/limits/output_budget.ts';
import type { RunnerSettings } from '../../settings.ts';
import { type ClaimJournal, makeClaimJournal } from './claim_journal.ts';
import type { Claim, Claims, StoredHistory } from './claims.ts';
import type { HeldMemory } from '../memory/memory_budget.ts';
import type { OwnRunControl } from './run_control.ts';
import { makeWorkClock, type WorkClock } from './work_clock.ts';

interface ClaimRecordsOptions {
  claims: Claims;
  claim: Claim;
  history: StoredHistory;
  settings: RunnerSettings;
  control: Pick<OwnRunControl, 'fail'>;
  memory: HeldMemory;
  /** Called when the run begins to rest. */
  onRest: () => void;
  /** Milliseconds since 1970. */
  now: () => number;
}

/**
 * The records of a run while a claim executes it. Each record continues from the progress that earlier claims stored.
 */
export interface ClaimRecords {
  /** Stores progress at regular checkpoints. */
  journal: ClaimJournal;
  /** Measures the work, and fails a run that works for too long. */
  clock: WorkClock;
  /** Counts the bytes of node outputs. */
  outputs: OutputBudget;
  /** Ends the checkpoints and the timer of the work. */
  close: () => void;
}

/** Begins the records of a claim. The records are kept until `close`. */
export function openClaimRecords(options: ClaimRecordsOptions): ClaimRecords {
  const { claims, claim, history, settings, control, memory, onRest, now } = options;
  const limitMs = settings.flowRunMaxWorkMs;
  const outputs = makeOutputBudget({
    limit: settings.flowRunMaxAllOutputBytes,
    used: claim.output_bytes,
    onTake: memory.grow,
  });
  const clock = makeWorkClock({
    limitMs: limitMs - claim.work_ms,
    onLimit: () => control.fail(codedError('run_time_limit', `the run has worked for ${limitMs} ms`)),
    onRest,
    now,
  });
  const journal = makeClaimJournal({
    claims,
    claim,
    history,
    settings,
    now,
    workMs: () => claim.work_ms + Math.round(clock.workedMs()),
    outputBytes: outputs.used,
    onFailure: () => control.fail("progress can't be stored"),
  });
  return {
    journal,
    clock,
    outputs,
    close: () => {
      clock.close();
      journal.close();
    },
  };
}
