import type { BegunExecutions } from './under_way.ts';
import type { Tree } from '../tree/tree.ts';
import { nextState, type TransitionTable } from '../state/transitions.ts';
import type { TreeRun } from '../tree/tree_run.ts';

/**
 * The states of one run of a tree in one claim.
 *
 * - `going`: nodes start when they are ready. While no node is ready, the run waits for news.
 * - `leaving`: another claim will continue the run. No further node starts. If a running node can't begin again, it
 *   runs to its end, within its own time limits. All other nodes are released.
 * - `left_behind`: the run ends before its nodes have ended. Either its instructions were collected for its caller, or
 *   a transaction is the output of the whole tree. No node starts.
 * - `halted`: the tree is halted. Running nodes may end within the grace of the halt. After it, they are cancelled.
 * - `ended`: the run has an outcome in this claim. A run that was leaving is released.
 */
export type RunState = 'going' | 'leaving' | 'left_behind' | 'halted' | 'ended';

/**
 * The run checks for `leave` and `leave_behind` before it starts a node (`RunLife.look`). It checks for `halt` after it
 * has started its last node. A run never returns to `going`. If a called run is released, the node that called it
 * learns of the release only later. Until then, only the state of the calling run shows that the calling run has not
 * ended.
 */
type RunStateEvent = 'leave' | 'leave_behind' | 'halt' | 'end';

export const RUN_STATES: TransitionTable<RunState, RunStateEvent> = {
  going: { leave: 'leaving', leave_behind: 'left_behind', halt: 'halted', end: 'ended' },
  leaving: { leave_behind: 'left_behind', halt: 'halted', end: 'ended' },
  left_behind: { halt: 'halted', end: 'ended' },
  halted: { end: 'ended' },
  ended: {},
};

/** The state of one run. It depends on the run itself and on its tree. */
export class RunLife {
  readonly #tree: Tree;
  readonly #run: TreeRun;
  readonly #begun: BegunExecutions;
  #state: RunState = 'going';

  constructor(tree: Tree, run: TreeRun, begun: BegunExecutions) {
    this.#tree = tree;
    this.#run = run;
    this.#begun = begun;
  }

  get state(): RunState {
    return this.#state;
  }

  go(event: RunStateEvent): void {
    this.#state = nextState(RUN_STATES, this.#state, event);
  }

  /** Checks whether the run has to leave, and returns its state. */
  look(): RunState {
    if (this.#state !== 'going' && this.#state !== 'leaving') return this.#state;
    const { standstill } = this.#tree;
    const isLeftBehind = standstill.putOut !== undefined || standstill.collectedFrom(this.#run) !== undefined;
    if (isLeftBehind) this.go('leave_behind');
    else if (this.#state === 'going' && this.#mustLeave()) this.go('leave');
    return this.#state;
  }

  /**
   * True in each of four cases. A node was released. All runs of the tree leave. The standstill is closed, and this run
   * can only wait. Or the tree must be released, and this claim has made progress.
   */
  #mustLeave(): boolean {
    const { lifecycle: { releasing }, services: { slice }, counters, standstill } = this.#tree;
    return this.#begun.isAnyReleased || standstill.state === 'left' ||
      (standstill.state === 'closed' && this.#begun.isAnyUnderWay && this.#begun.isQuiet()) ||
      ((releasing.aborted || slice.state() !== 'open') && counters.hasProgressed());
  }
}
