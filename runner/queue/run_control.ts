import type { Halt } from '../engine/node.ts';
import { nextState, type TransitionTable } from '../engine/state/transitions.ts';
import type { StopRequest } from './claims.ts';

/**
 * The demands of a caller, the heartbeat or the worker on a claimed run.
 *
 * - `nothing`: the run is executed to its end.
 * - `release`: the worker releases the run as soon as the run has progressed.
 * - `halt`: the run ends, because a caller stopped it or it exceeded a limit.
 * - `halt_now`: like `halt`, but the claim must also be released. Therefore the run has no time to end by itself.
 * - `nothing_more`: the claim is lost. The execution ends, and nothing of it is stored.
 *
 * | state          | `release`      | `halt`         | `lose`         |
 * | -------------- | -------------- | -------------- | -------------- |
 * | `nothing`      | `release`      | `halt`         | `nothing_more` |
 * | `release`      | `release`      | `halt_now`     | `nothing_more` |
 * | `halt`         | `halt_now`     | `halt`         | `nothing_more` |
 * | `halt_now`     | `halt_now`     | `halt_now`     | `nothing_more` |
 * | `nothing_more` | `nothing_more` | `nothing_more` | `nothing_more` |
 *
 * Only the first halt counts. The engine follows the signals `halt` and `releasing` (`Lifecycle`).
 */
export type Demand = 'nothing' | 'release' | 'halt' | 'halt_now' | 'nothing_more';
export type DemandEvent = 'release' | 'halt' | 'lose';

export const DEMANDS: TransitionTable<Demand, DemandEvent> = {
  nothing: { release: 'release', halt: 'halt', lose: 'nothing_more' },
  release: { release: 'release', halt: 'halt_now', lose: 'nothing_more' },
  halt: { release: 'halt_now', halt: 'halt', lose: 'nothing_more' },
  halt_now: { release: 'halt_now', halt: 'halt_now', lose: 'nothing_more' },
  nothing_more: { release: 'nothing_more', halt: 'nothing_more', lose: 'nothing_more' },
};

/** The ways in which other parts of the worker influence a run while it is executed. */
export interface RunControl {
  /** Ends the run. Only the first call has an effect. */
  stop: (request: StopRequest) => void;
  /** Ends the execution because the claim is lost and the database refuses all its writes. */
  lose: () => void;
  /** Releases the run as soon as it has made progress. */
  release: () => void;
  /** Reports that inputs of the run have been answered. */
  tellOfInputs: () => void;
}

/** The control of one run, for the worker that executes it. */
export interface OwnRunControl extends RunControl {
  /** Ends the run as failed. */
  fail: (message: string) => void;
  demand: () => Demand;
  isLost: () => boolean;
  /** Calls this listener whenever inputs that nodes wait for have been answered. */
  onInputsAnswered: (listener: () => void) => void;
  /** Aborted, with a Halt as its reason, when the run must end. */
  halt: AbortSignal;
  /** Aborted when the run must be released, or its claim is lost. */
  releasing: AbortSignal;
  /** Aborted when a caller stops the run, so that it need not wait for memory. */
  stopping: AbortSignal;
}

export function makeRunControl(): OwnRunControl {
  const halt = new AbortController();
  const releasing = new AbortController();
  const stopping = new AbortController();
  const inputListeners: (() => void)[] = [];
  let demand: Demand = 'nothing';

  const go = (event: DemandEvent, reason?: Halt): void => {
    demand = nextState(DEMANDS, demand, event);
    if (event !== 'release') halt.abort(reason);
    if (event !== 'halt') releasing.abort();
  };

  return {
    stop: ({ reason, timeout_millies }) => {
      const message = `canceled by user ${reason ?? ''}`.trimEnd();
      go('halt', { status: 'stopped', message, graceMs: timeout_millies ?? 0 });
      stopping.abort();
    },
    lose: () => go('lose', { status: 'stopped', message: 'the claim is lost', graceMs: 0 }),
    release: () => go('release'),
    tellOfInputs: () => inputListeners.forEach((listener) => listener()),
    onInputsAnswered: (listener) => void inputListeners.push(listener),
    fail: (message) => go('halt', { status: 'failed', message, graceMs: 0 }),
    demand: () => demand,
    isLost: () => demand === 'nothing_more',
    halt: halt.signal,
    releasing: releasing.signal,
    stopping: stopping.signal,
  };
}
