import { nextState, type TransitionTable } from '../engine/state/transitions.ts';

/**
 * The states of a claim, from the moment a worker has it until the worker has done with it.
 *
 * - `admitting`: the run waits for room in the worker's memory.
 * - `executing`: the engine executes the run.
 * - `storing`: the database stores the outcome of the execution with its last progress. The run rests.
 * - `released`: the run is in the queue again.
 * - `asleep`: the run is in the queue again, and continues at a known time.
 * - `suspended`: the run is in the queue again, and continues when somebody outside has answered.
 * - `finished`: the run has ended.
 * - `lost`: another worker has the run, or the run has ended elsewhere. The claim stores no more.
 * - `interrupted`: the claim can't continue. If the database answers, the run is then finished as failed. Otherwise the
 *   run is claimed again after the lease.
 *
 * | state         | `admit`     | `store`   | `release`  | `sleep`  | `suspend`   | `finish`   | `lose` | `interrupt`   |
 * | ------------- | ----------- | --------- | ---------- | -------- | ----------- | ---------- | ------ | ------------- |
 * | `admitting`   | `executing` | throws    | `released` | throws   | throws      | throws     | `lost` | `interrupted` |
 * | `executing`   | throws      | `storing` | throws     | throws   | throws      | throws     | `lost` | `interrupted` |
 * | `storing`     | throws      | throws    | `released` | `asleep` | `suspended` | `finished` | `lost` | `interrupted` |
 * | `released`    | throws      | throws    | throws     | throws   | throws      | throws     | throws | throws        |
 * | `asleep`      | throws      | throws    | throws     | throws   | throws      | throws     | throws | throws        |
 * | `suspended`   | throws      | throws    | throws     | throws   | throws      | throws     | throws | throws        |
 * | `finished`    | throws      | throws    | throws     | throws   | throws      | throws     | throws | throws        |
 * | `lost`        | throws      | throws    | throws     | throws   | throws      | throws     | throws | throws        |
 * | `interrupted` | throws      | throws    | throws     | throws   | throws      | `finished` | throws | throws        |
 */
export type ClaimState =
  | 'admitting'
  | 'executing'
  | 'storing'
  | 'released'
  | 'asleep'
  | 'suspended'
  | 'finished'
  | 'lost'
  | 'interrupted';
export type ClaimEvent = 'admit' | 'store' | 'release' | 'sleep' | 'suspend' | 'finish' | 'lose' | 'interrupt';

export const CLAIM_STATES: TransitionTable<ClaimState, ClaimEvent> = {
  admitting: { admit: 'executing', release: 'released', lose: 'lost', interrupt: 'interrupted' },
  executing: { store: 'storing', lose: 'lost', interrupt: 'interrupted' },
  storing: {
    release: 'released',
    sleep: 'asleep',
    suspend: 'suspended',
    finish: 'finished',
    lose: 'lost',
    interrupt: 'interrupted',
  },
  released: {},
  asleep: {},
  suspended: {},
  finished: {},
  lost: {},
  interrupted: { finish: 'finished' },
};

/** The state of one claim. */
export class ClaimLife {
  #state: ClaimState = 'admitting';

  get state(): ClaimState {
    return this.#state;
  }

  /** True if the run may be in the queue again. */
  get isInQueueAgain(): boolean {
    return this.#state === 'released' || this.#state === 'asleep' || this.#state === 'suspended';
  }

  /** True if this worker no longer executes the run. */
  get isPastExecution(): boolean {
    return this.#state !== 'admitting' && this.#state !== 'executing';
  }

  go(event: ClaimEvent): void {
    this.#state = nextState(CLAIM_STATES, this.#state, event);
  }
}
