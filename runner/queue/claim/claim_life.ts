import { nextState, type TransitionTable } from '../../engine/state/transitions.ts';

/**
 * The states of a claim, from the moment a worker has it until the worker has done with it.
 *
 * - `admitting`: the run waits for room in the worker's memory.
 * - `executing`: the engine executes the run.
 * - `storing`: the database stores the outcome of the execution with its last progress. The run rests.
 * - `queued_again`: the run is in the queue again. It may be claimed at once, at a known time, or when somebody outside
 *   has answered.
 * - `ended`: the run has ended, another worker has it, or the claim can't continue. If the claim can't continue and the
 *   database answers, the run is finished as failed. Otherwise the run is claimed again after the lease.
 */
export type ClaimState = 'admitting' | 'executing' | 'storing' | 'queued_again' | 'ended';
type ClaimEvent = 'admit' | 'store' | 'queue_again' | 'end';

export const CLAIM_STATES: TransitionTable<ClaimState, ClaimEvent> = {
  admitting: { admit: 'executing', queue_again: 'queued_again', end: 'ended' },
  executing: { store: 'storing', end: 'ended' },
  storing: { queue_again: 'queued_again', end: 'ended' },
  queued_again: {},
  ended: {},
};

/** The state of one claim. */
export class ClaimLife {
  #state: ClaimState = 'admitting';

  /** True if the run may be in the queue again. */
  get isInQueueAgain(): boolean {
    return this.#state === 'queued_again';
  }

  /** True if this worker no longer executes the run. */
  get isPastExecution(): boolean {
    return this.#state !== 'admitting' && this.#state !== 'executing';
  }

  go(event: ClaimEvent): void {
    this.#state = nextState(CLAIM_STATES, this.#state, event);
  }
}
