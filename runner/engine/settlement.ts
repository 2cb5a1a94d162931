import type { ValueMap } from '../../types/values/value.ts';
import type { RunNode } from './graph.ts';
import type { Effect, LogLevel, NodeError } from './node.ts';
import type { Outcome } from './node_values.ts';
import type { TreeRun } from './tree_run.ts';

/** The input by which an edge tells an instruction node whether its instructions are to be submitted. */
export const SUBMIT = 'submit';

/** The output that an instruction node gets from the settlement. All others are handed on before. */
export const SIGNATURE = 'signature';

/** The instructions of a node that has parked, with its outputs. The settlement ends the node. */
export interface Handover {
  /** All outputs but the signature. */
  handedOver: ValueMap;
  /** The instructions, in a form that only the settlement knows. Undefined if no instructions are to be submitted. */
  instructions: unknown;
}

/** Makes another attempt of an execution that handed something over. */
export interface Again {
  /** Whether there may be another attempt. */
  isPossible: () => boolean;
  /**
   * Records the failed attempt, together with the rows that are reported without a pause before it. Resolves with the
   * outcome of the next attempts.
   */
  after: (error: NodeError) => Promise<Outcome | Handover>;
}

/** A node execution that has handed its instructions over, and waits for their settlement. */
export interface Parked extends Handover {
  node: RunNode;
  execution: Effect;
  /** Undefined if the flow allows only one attempt. */
  again: Again | undefined;
}

/** A run whose parked executions are to be settled. */
export interface ParkedRun {
  run: TreeRun;
  /** All nodes of its graph, in the order of the flow. */
  nodes: readonly RunNode[];
  parked: ReadonlyMap<RunNode, Parked>;
  /** How the latest execution of an instruction node ended, for those that have ended. */
  endings: ReadonlyMap<RunNode, 'succeeded' | 'failed'>;
  /** Writes into the log of the run, as a line of this execution. */
  log: (parked: Parked, level: LogLevel, content: string) => void;
}

/** How a parked execution ends: with its signature among the outputs, or with an error. */
export type ParkedEnd = { outputs: ValueMap } | { error: string };

/** The outcome of a step. */
export type SettlementEnd =
  /**
   * The executions have ended. `store` reports the rows that belong to these ends: all of them are stored together, or
   * none.
   */
  | { status: 'ended'; ends: { parked: Parked; end: ParkedEnd }[]; store?: () => void }
  /** The transaction of these executions has failed for now, and each of them may be tried again. `store` as above. */
  | { status: 'failed_for_now'; failures: { parked: Parked; error: NodeError }[]; store?: () => void }
  /** Every run of the tree ends where it is, and these are the outputs of the started run. */
  | { status: 'put_out'; outputs: ValueMap }
  /** The run ends where it is, and its caller gets these instructions; never undefined. */
  | { status: 'collected'; instructions: unknown }
  /** The step needs an answer from outside: the tree is suspended. */
  | { status: 'waiting' };

/** The parked executions of one run that one step settles together. */
export interface SettlementStep {
  run: TreeRun;
  /** Until the step is settled, only the step may end these executions. */
  parked: readonly Parked[];
  /**
   * `signal` is aborted, with a Halt as its reason, when the run ends; `releasing` when it is released. It throws
   * Released when the next claim can continue it. Any other error ends this claim, which rejects with it.
   */
  settle: (signals: { signal: AbortSignal; releasing: AbortSignal }) => SettlementEnd | Promise<SettlementEnd>;
}

/** An execution whose instructions an earlier claim has already given to somebody outside. */
export interface SentBefore {
  /** The error of its node when the run ends now: what was sent may still be carried out. */
  haltError: (halt: AbortSignal) => NodeError;
}

/**
 * Settles the instructions of one tree of runs. The engine parks each execution that hands instructions over. When
 * nothing else in the tree can continue it asks for steps, one after the other, until nothing is parked or something
 * can run again.
 */
export interface Settlement {
  /**
   * The next step for the runs that have parked something; a run comes before those that it called. Undefined for no
   * runs.
   */
  nextStep: (runs: readonly ParkedRun[]) => SettlementStep | undefined;
  /** Undefined if the execution may build its instructions, because nobody outside has them. */
  sentBefore: (execution: Effect) => SentBefore | undefined;
  /**
   * Whether the owner's own flows name the key that comes to an input of a node, so that it may be used in the owner's
   * name.
   */
  isNamedByFlow: (run: TreeRun, node: RunNode, inputName: string, publicKey: string) => boolean;
}
