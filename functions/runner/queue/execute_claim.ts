import { ApiError, isErrorOf } from '../../_shared/api_error.ts';
import { type ClaimJournal, makeClaimJournal } from './claim_journal.ts';
import { type Claim, type Claims, type FinalResult, NOTHING, type StopRequest, type StoredHistory } from './claims.ts';
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
import type { MemoryRoom, MemorySeat } from './memory_budget.ts';
import type { RunnerSettings } from '../settings.ts';
import { makeWorkClock, type WorkClock } from './work_clock.ts';
import type { Snapshot } from '../../../types/flow.ts';

/** What the queue takes as a delay. A run that sleeps longer wakes, and sleeps on. */
const LONGEST_SLEEP_SECONDS = 2 ** 31 - 1;

/** What a claimed run reaches outside: its nodes, and those who settle its instructions. */
export interface RunServices extends NodeServices {
  transactions: Transactions;
}

export interface ExecuteClaimDeps {
  claims: Claims;
  registry: NodeRegistry;
  /** What the nodes of a claimed run reach outside; what only waits for somebody there is told to the clock. */
  makeServices: (claim: Claim, work: { journal: ClaimJournal; clock: WorkClock }) => RunServices;
  settings: RunnerSettings;
  log: WriteLog;
  /** Milliseconds since 1970. */
  now: () => number;
  /** What the runs of the worker hold together. */
  room: MemoryRoom;
}

/** What happens to a run from outside while it is executed. */
export interface RunControl {
  /** Ends the run, the first time that it is called. */
  stop: (request: StopRequest) => void;
  /** The claim is over: nothing more of it will be taken. */
  lose: () => void;
  /** Gives the run back to the queue as soon as it has got somewhere. */
  giveWay: () => void;
}

/** A claimed run that is being executed. */
export interface ClaimExecution extends RunControl {
  claim: Claim;
  /** Resolves when this worker has nothing more to do with the run; never rejects. */
  ended: Promise<void>;
  /** It went back to the queue, where it may be there to be claimed. */
  isGivenBack: () => boolean;
  /** The run has got somewhere in this claim: it is not what its former workers were lost with. */
  hasStored: () => boolean;
  /** It waits for a time or an answer, for memory, or for the database to take what it has come to. */
  isResting: () => boolean;
  /** When it goes on, in milliseconds since 1970, if it went back to sleep. */
  sleepsUntil: () => number | undefined;
  /** How long this claim has had it. */
  heldMs: () => number;
  /** It was told to give way. */
  isLeaving: () => boolean;
}

/** The result of a run that the runner itself could not execute: the log says why, its readers need not know. */
const brokenResult = (message: string): FinalResult => ({
  status: 'failed',
  output: { M: {} },
  errors: [`internal: ${message}`],
  not_run: null,
});

/**
 * Executes a claimed run to its end or to the end of the slice, storing progress on the way.
 * When the claim is lost meanwhile, whoever has it now goes on. While the database does not answer for long, the run is claimed
 * again when its lease is over. A run that can't be executed, or whose progress can't be stored, fails.
 */
export function executeClaim(
  deps: ExecuteClaimDeps,
  claim: Claim,
  readSnapshot: () => Snapshot,
  slice: Slice,
  /** Told when the run begins to wait for something, or has got as far as it will. */
  onRest: () => void = () => {},
): ClaimExecution {
  const { claims, settings, log, now } = deps;
  const halt = new AbortController();
  const abandon = new AbortController();
  const release = new AbortController();
  const stopping = new AbortController();
  const end = (reason: Halt) => halt.abort(reason);
  const startedAt = now();
  let journal: ClaimJournal | undefined;
  let clock: WorkClock | undefined;
  let isLost = false;
  let isStoring = false;
  let isGivenBack = false;
  let isWaitingForRoom = false;
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
    release.abort();
  };
  const giveWay = () => release.abort();
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
        releasing: release.signal,
        now,
      });
    } catch (error) {
      // What kept a transaction from being stored ends this claim, not the run.
      if (error instanceof ApiError) throw error;
      log('error', { event: 'run_broken', error: errorText(error), ...facts() });
      return brokenResult('the runner could not execute this flow');
    }
  };

  /** Waits until the worker has room for what the run has come to; without one the run goes back as it is. */
  const takeSeat = async (): Promise<MemorySeat | undefined> => {
    const { user_id: ownerId, output_bytes: bytes } = claim;
    if (claim.stop !== null) stop(claim.stop);
    const { signal } = stopping;
    const entering = deps.room.enter({ ownerId, bytes, giveWay, heldMs, stopping: signal }, [
      slice.releasing,
      release.signal,
    ]);
    if (!(entering instanceof Promise)) return entering;
    isWaitingForRoom = true;
    onRest();
    return await entering.finally(() => isWaitingForRoom = false);
  };

  const execute = async (): Promise<void> => {
    const seat = await takeSeat();
    if (seat !== undefined) return await executeSeated(seat).finally(seat.leave);
    if (isLost) return log('warn', { event: 'claim_lost', ...facts() });
    await claims.handBack(claim, NOTHING);
    isGivenBack = true;
    log('info', { event: 'run_handed_back', ...facts() });
  };

  const executeSeated = async (seat: MemorySeat): Promise<void> => {
    const history = await claims.history(claim);
    const outputs = makeOutputBudget({
      limit: settings.flowRunMaxAllOutputBytes,
      used: claim.output_bytes,
      onTake: seat.grow,
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
        await claims.handBack(claim, rest, seconds);
        isGivenBack = true;
        // Nobody finds it before its message is to be seen, which a slow database makes late.
        if (result.until !== undefined) sleepsUntil = Math.max(result.until, now() + seconds * 1_000);
        log('info', { event: result.until === undefined ? 'run_handed_back' : 'run_asleep', ...facts() });
      } else if (result.status === 'waiting') {
        await claims.suspend(claim, rest);
        isGivenBack = true;
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
   * It comes one or two seconds early rather than late, since the database counts from when it stores this: what is left of its time
   * it waits here.
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

  /** What keeps the run from going on: the claim, the database for now, or the run itself. */
  const settle = async (cause: unknown): Promise<void> => {
    if (isErrorOf(cause, 'claim_lost')) return log('warn', { event: 'claim_lost', ...facts() });
    logInterrupted(cause);
    if (isErrorOf(cause, 'service_unavailable')) return;
    const result = brokenResult('what this run has come to could not be stored');
    try {
      await claims.finish(claim, NOTHING, result);
      logFinished(result);
    } catch (again) {
      logInterrupted(again);
    }
  };

  const ended = execute().catch(settle);
  return {
    claim,
    ended,
    stop,
    lose,
    hasStored: () => journal?.hasStored() ?? false,
    isGivenBack: () => isGivenBack,
    giveWay,
    isResting: () => isStoring || isWaitingForRoom || (clock?.isResting() ?? false),
    sleepsUntil: () => sleepsUntil,
    heldMs,
    isLeaving: () => release.signal.aborted,
  };
}
