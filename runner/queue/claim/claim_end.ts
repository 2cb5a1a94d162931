import { isErrorOf, isPassing } from '../../../platform/api_error.ts';
import type { Release, Suspension } from '../../engine/state/unended_run.ts';
import { errorText } from '../../log_line.ts';
import type { ClaimLife } from './claim_life.ts';
import type { ClaimLog } from './claim_log.ts';
import { type Claim, type Claims, type FinalResult, NO_PROGRESS, type Progress } from './claims.ts';

/**
 * The longest delay that the queue accepts. A run that sleeps longer is claimed at the end of this delay, and then
 * sleeps again.
 */
const LONGEST_SLEEP_SECONDS = 2 ** 31 - 1;

interface ClaimEndOptions {
  claims: Claims;
  claim: Claim;
  life: ClaimLife;
  log: ClaimLog;
  /** Called when the database begins to store the outcome. The run rests while the database stores it. */
  onRest: () => void;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** The ways in which a claim ends. Each one writes to the log. */
interface ClaimEnd {
  /** Releases a run that was not executed. */
  releaseUntouched: () => Promise<void>;
  /** Stores the outcome of an execution with its last progress: a result, a release, or a wait for a signature. */
  store: (outcome: FinalResult | Release | Suspension, progress: Progress) => Promise<void>;
  /** Ends a claim that is lost: another worker has the run, or the run has ended. Stores nothing. */
  lost: () => void;
  /**
   * Ends a claim that can't continue: the claim is lost, the database does not answer, or it refuses the run's
   * progress.
   */
  failed: (cause: unknown) => Promise<void>;
  /** The time at which the run continues, in milliseconds since 1970, if it was released to sleep. */
  sleepsUntil: () => number | undefined;
}

/**
 * Makes the result of a run that the runner could not execute. Only the log names the cause, which concerns the
 * operator and not the caller.
 */
export const brokenResult = (message: string): FinalResult => ({
  status: 'failed',
  output: { M: {} },
  errors: [`internal: ${message}`],
  not_run: null,
});

export function makeClaimEnd({ claims, claim, life, log, onRest, now }: ClaimEndOptions): ClaimEnd {
  let sleepsUntil: number | undefined;

  /**
   * Returns the delay in seconds for the release of a run that sleeps until this time. The database counts the delay
   * from the moment at which it stores the release. The delay is therefore one or two seconds shorter than the sleep,
   * and the next claim waits for the rest.
   */
  const secondsUntil = (time: number | undefined): number =>
    time === undefined ? 0 : Math.min(Math.max(Math.floor((time - now()) / 1_000) - 1, 0), LONGEST_SLEEP_SECONDS);

  const release = async (progress: Progress, until: number | undefined): Promise<void> => {
    const seconds = secondsUntil(until);
    await claims.release(claim, progress, seconds);
    life.go('queue_again');
    // The database counts the delay from the moment of storing, so a slow database makes the run claimable later than
    // planned.
    if (until !== undefined) sleepsUntil = Math.max(until, now() + seconds * 1_000);
    log.write('info', { event: until === undefined ? 'run_released' : 'run_asleep' });
  };

  const suspend = async (progress: Progress, until: number | undefined): Promise<void> => {
    await claims.suspend(claim, progress, until === undefined ? undefined : secondsUntil(until));
    life.go('queue_again');
    log.write('info', { event: 'run_suspended' });
  };

  const finish = async (progress: Progress, result: FinalResult): Promise<void> => {
    await claims.finish(claim, progress, result);
    const { status, errors } = result;
    log.write(status === 'failed' ? 'warn' : 'info', { event: 'run_finished', status, errors: errors?.length ?? 0 });
  };

  const lost = () => {
    life.go('end');
    log.write('warn', { event: 'claim_lost' });
  };
  const logInterruption = (cause: unknown) => log.write('error', { event: 'run_interrupted', error: errorText(cause) });

  return {
    releaseUntouched: async () => {
      await claims.release(claim, NO_PROGRESS);
      life.go('queue_again');
      log.write('info', { event: 'run_released' });
    },
    store: async (outcome, progress) => {
      life.go('store');
      onRest();
      if (outcome.status === 'released') return await release(progress, outcome.until);
      if (outcome.status === 'waiting') return await suspend(progress, outcome.until);
      await finish(progress, outcome);
      life.go('end');
    },
    lost,
    failed: async (cause) => {
      if (isErrorOf(cause, 'claim_lost')) return lost();
      life.go('end');
      logInterruption(cause);
      if (isPassing(cause)) return;
      await finish(NO_PROGRESS, brokenResult('the progress or the result of this run could not be stored')).catch(
        logInterruption,
      );
    },
    sleepsUntil: () => sleepsUntil,
  };
}
