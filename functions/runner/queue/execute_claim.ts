import { ApiError, isErrorOf } from '../../_shared/api_error.ts';
import { type ClaimJournal, makeClaimJournal } from './claim_journal.ts';
import {
  type Claim,
  type Claims,
  type FinalResult,
  NO_PROGRESS,
  type StopRequest,
  type StoredHistory,
} from './claims.ts';
import type { Release, Suspension } from '../engine/context.ts';
import { makeHistory } from '../engine/journal.ts';
import type { Halt, NodeRegistry, NodeServices } from '../engine/node.ts';
import type { Slice } from '../engine/slice.ts';
import { executeTree } from '../engine/tree.ts';
import { makeOutputBudget, type OutputBudget } from '../engine/output_budget.ts';
import { errorText, type RunFacts, type WriteLog } from '../log_line.ts';
import { actionSignerOf } from '../solana/run_settings.ts';
import { makeSettlement } from '../solana/settlement.ts';
import type { Transactions } from '../solana/transaction.ts';
import type { HeldMemory, MemoryBudget } from './memory_budget.ts';
import type { RunnerSettings } from '../settings.ts';
import { makeWorkClock, type WorkClock } from './work_clock.ts';
import type { Snapshot } from '../../../types/flow.ts';

/** The longest delay that the queue takes. A run that sleeps for longer is claimed after this time and sleeps again. */
const LONGEST_SLEEP_SECONDS = 2 ** 31 - 1;

/** What a claimed run reaches outside: its nodes, and those who settle its instructions. */
export interface RunServices extends NodeServices {
  transactions: Transactions;
}

export interface ExecuteClaimDeps {
  claims: Claims;
  registry: NodeRegistry;
  /** Makes what a claimed run uses outside the engine. It tells the clock when the run only waits for somebody there. */
  makeServices: (claim: Claim, work: { journal: ClaimJournal; clock: WorkClock }) => RunServices;
  settings: RunnerSettings;
  log: WriteLog;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Limits what the runs of the worker hold together. */
  memory: MemoryBudget;
}

/** What others may do to a run while it is executed. */
export interface RunControl {
  /** Ends the run, the first time that it is called. */
  stop: (request: StopRequest) => void;
  /** The claim is lost: the database refuses whatever it writes. */
  lose: () => void;
  /** Releases the run as soon as it has made progress. */
  release: () => void;
}

/** A claimed run that is being executed. */
export interface ClaimExecution extends RunControl {
  claim: Claim;
  /** Resolves when this worker has nothing more to do with the run; never rejects. */
  ended: Promise<void>;
  /** The run was released: it may be in the queue again. */
  isReleased: () => boolean;
  /** A node execution of this claim has ended and is stored: whatever ended the run's former workers did not end this one. */
  hasStored: () => boolean;
  /** The run rests: it waits for a time, an answer, memory, or the database that stores its outcome. */
  isResting: () => boolean;
  /** When the run goes on, in milliseconds since 1970, if it was released to sleep. */
  sleepsUntil: () => number | undefined;
  /** Milliseconds since the run was claimed. */
  heldMs: () => number;
  /** `release` was called, or the claim was lost. */
  isReleasing: () => boolean;
}

/** The result of a run that the runner could not execute. The cause is in the log alone: it is the operator's, not the caller's. */
const brokenResult = (message: string): FinalResult => ({
  status: 'failed',
  output: { M: {} },
  errors: [`internal: ${message}`],
  not_run: null,
});

/**
 * Executes a claimed run until it ends or is released, and stores progress on the way. When the claim is lost, the worker that holds
 * the new claim goes on. When the database does not answer for long, the run is claimed again after its lease. A run that can't be
 * executed, or whose progress the database refuses, fails.
 */
export function executeClaim(
  deps: ExecuteClaimDeps,
  claim: Claim,
  readSnapshot: () => Snapshot,
  slice: Slice,
  /** Called when the run begins to rest. */
  onRest: () => void = () => {},
): ClaimExecution {
  const { claims, settings, log, now } = deps;
  const halt = new AbortController();
  const abandon = new AbortController();
  const releasing = new AbortController();
  const stopping = new AbortController();
  const end = (reason: Halt) => halt.abort(reason);
  const startedAt = now();
  let journal: ClaimJournal | undefined;
  let clock: WorkClock | undefined;
  let isLost = false;
  let isStoring = false;
  let isReleased = false;
  let isWaitingForMemory = false;
  let sleepsUntil: number | undefined;
  let executions = 0;

  const stop = ({ reason, timeout_millies }: StopRequest) => {
    end({ status: 'stopped', message: `canceled by user ${reason ?? ''}`.trimEnd(), graceMs: timeout_millies ?? 0 });
    stopping.abort();
  };
  const lose = () => {
    isLost = true;
    end({ status: 'stopped', message: 'the claim is lost', graceMs: 0 });
    abandon.abort();
    releasing.abort();
  };
  const release = () => releasing.abort();
  const heldMs = () => now() - startedAt;
  const fail = (message: string) => end({ status: 'failed', message, graceMs: 0 });
  const facts = (): RunFacts => ({
    flow_run_id: claim.flow_run_id,
    attempt: claim.attempt,
    duration_ms: Math.round(now() - startedAt),
    node_executions: executions,
  });

  const executeTo = async (
    recording: ClaimJournal,
    history: StoredHistory,
    clock: WorkClock,
    outputs: OutputBudget,
  ): Promise<FinalResult | Release | Suspension> => {
    try {
      const { registry } = deps;
      const snapshot = readSnapshot();
      const run = { ownerId: claim.user_id, startedBy: claim.started_by, network: claim.settings.chain_network };
      const { transactions, ...services } = deps.makeServices(claim, { journal: recording, clock });
      return await executeTree({
        root: { id: claim.flow_run_id, inputs: claim.inputs.M },
        snapshot,
        run,
        registry,
        services,
        settlement: makeSettlement({
          transactions,
          stored: history.transactions,
          transactionEnded: recording.transactionEnded,
          actionSigner: actionSignerOf(claim.settings),
          isBundled: claim.settings.output_instructions,
          snapshot,
          registry,
          run,
        }),
        journal: {
          ...recording,
          nodeEnded: (run) => {
            executions += 1;
            recording.nodeEnded(run);
          },
        },
        history: makeHistory(history),
        limits: {
          nodeExecutions: settings.flowRunMaxNodeExecutions,
          interflowDepth: settings.flowRunMaxInterflowDepth,
          openNodes: settings.flowRunMaxOpenNodes,
          outputBytes: settings.flowRunMaxOutputBytes,
          allOutputBytes: settings.flowRunMaxAllOutputBytes,
          totalBytes: settings.flowRunMaxTotalBytes,
          logLines: settings.flowRunMaxLogLines,
          logCharacters: settings.flowRunMaxLogCharacters,
        },
        outputs,
        leastSleepMs: settings.runnerLongWaitMs,
        slice,
        stop: halt.signal,
        abandon: abandon.signal,
        releasing: releasing.signal,
        now,
      });
    } catch (error) {
      // The database refused or lost a transaction: that ends this claim, not the run.
      if (error instanceof ApiError) throw error;
      log('error', { event: 'run_broken', error: errorText(error), ...facts() });
      return brokenResult('the runner could not execute this flow');
    }
  };

  /** Waits until the run's stored outputs fit into the worker's memory; undefined when the run is to be released before. */
  const waitForMemory = async (): Promise<HeldMemory | undefined> => {
    const { user_id: ownerId, output_bytes: bytes } = claim;
    if (claim.stop !== null) stop(claim.stop);
    const { signal } = stopping;
    const admitting = deps.memory.admit({ ownerId, bytes, release, heldMs, stopping: signal }, [
      slice.releasing,
      releasing.signal,
    ]);
    if (!(admitting instanceof Promise)) return admitting;
    isWaitingForMemory = true;
    onRest();
    return await admitting.finally(() => isWaitingForMemory = false);
  };

  const execute = async (): Promise<void> => {
    const memory = await waitForMemory();
    if (memory !== undefined) return await executeWith(memory).finally(memory.free);
    if (isLost) return log('warn', { event: 'claim_lost', ...facts() });
    await claims.release(claim, NO_PROGRESS);
    isReleased = true;
    log('info', { event: 'run_released', ...facts() });
  };

  const executeWith = async (memory: HeldMemory): Promise<void> => {
    const history = await claims.history(claim);
    const outputs = makeOutputBudget({
      limit: settings.flowRunMaxAllOutputBytes,
      used: claim.output_bytes,
      onTake: memory.grow,
    });
    const limitMs = settings.flowRunMaxWorkMs;
    const isOver = () => fail(`run_time_limit: the run has worked for ${limitMs} ms`);
    clock = makeWorkClock({ limitMs: limitMs - claim.work_ms, onLimit: isOver, onRest, now });
    const { workedMs } = clock;
    const workMs = () => claim.work_ms + Math.round(workedMs());
    const onFailure = () => fail("progress can't be stored");
    journal = makeClaimJournal(claims, claim, history, settings, now, workMs, outputs.used, onFailure);
    try {
      const result = await executeTo(journal, history, clock, outputs);
      journal.close();
      const rest = await journal.takeRest();
      if (isLost) return log('warn', { event: 'claim_lost', ...facts() });
      isStoring = true;
      onRest();
      if (result.status === 'released') {
        const seconds = secondsUntil(result.until);
        await claims.release(claim, rest, seconds);
        isReleased = true;
        // The database counts the delay from when it stores it, so a slow one makes the run claimable later than it wanted.
        if (result.until !== undefined) sleepsUntil = Math.max(result.until, now() + seconds * 1_000);
        log('info', { event: result.until === undefined ? 'run_released' : 'run_asleep', ...facts() });
      } else if (result.status === 'waiting') {
        await claims.suspend(claim, rest);
        isReleased = true;
        log('info', { event: 'run_suspended', ...facts() });
      } else {
        await claims.finish(claim, rest, result);
        logFinished(result);
      }
    } finally {
      clock?.close();
      journal.close();
    }
  };

  /**
   * The delay with which a run is released that sleeps until this time. It is one or two seconds short, since the database counts it
   * from when it stores it. The run waits for the rest of its time in its next claim.
   */
  const secondsUntil = (time: number | undefined): number =>
    time === undefined ? 0 : Math.min(Math.max(Math.floor((time - now()) / 1_000) - 1, 0), LONGEST_SLEEP_SECONDS);

  const logFinished = ({ status, errors }: FinalResult) =>
    log(status === 'failed' ? 'warn' : 'info', {
      event: 'run_finished',
      status,
      errors: errors?.length ?? 0,
      ...facts(),
    });

  const logInterrupted = (cause: unknown) =>
    log('error', { event: 'run_interrupted', error: errorText(cause), ...facts() });

  /** Ends what could not go on: the claim was lost, the database does not answer, or it refuses what the run wants to store. */
  const handleFailure = async (cause: unknown): Promise<void> => {
    if (isErrorOf(cause, 'claim_lost')) return log('warn', { event: 'claim_lost', ...facts() });
    logInterrupted(cause);
    if (isErrorOf(cause, 'service_unavailable')) return;
    const result = brokenResult('what this run has come to could not be stored');
    try {
      await claims.finish(claim, NO_PROGRESS, result);
      logFinished(result);
    } catch (again) {
      logInterrupted(again);
    }
  };

  const ended = execute().catch(handleFailure);
  return {
    claim,
    ended,
    stop,
    lose,
    hasStored: () => journal?.hasStored() ?? false,
    isReleased: () => isReleased,
    release,
    isResting: () => isStoring || isWaitingForMemory || (clock?.isResting() ?? false),
    sleepsUntil: () => sleepsUntil,
    heldMs,
    isReleasing: () => releasing.signal.aborted,
  };
}
