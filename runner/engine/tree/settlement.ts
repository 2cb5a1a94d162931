import { readFieldOr, toBoolean } from '../../../types/values/conversion.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import type { RunNode } from '../graph/graph.ts';
import type { Effect, LogLevel, NodeError } from '../node.ts';
import type { Outcome } from '../graph/outcome.ts';
import type { TreeRun } from './tree_run.ts';

/** The input that decides whether the instructions of an instruction node are submitted. */
export const SUBMIT = 'submit';

/** Tests whether an instruction node submits its instructions. Throws a ValueError if the input is no boolean. */
export const isSubmitted = (inputs: ValueMap): boolean => readFieldOr(inputs, SUBMIT, true, toBoolean);

/** The output that an instruction node gets from the settlement. The next nodes get all other outputs earlier. */
export const SIGNATURE = 'signature';

/** The instructions and outputs of a node that parks. The settlement ends the node. */
export interface Handover {
  /** All outputs but the signature. */
  handedOver: ValueMap;
  /** The instructions, in a form that only the settlement knows. Undefined if there are no instructions to submit. */
  instructions: unknown;
}

/** Makes another attempt of an execution that has handed over instructions. */
export interface Again {
  /** Tests whether another attempt is allowed. */
  isPossible: () => boolean;
  /**
   * Records the failed attempt, then makes further attempts and resolves with their outcome. The record is stored
   * together with the rows that were reported directly before.
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

/** A run whose parked executions await settlement. */
export interface ParkedRun {
  run: TreeRun;
  /** All nodes of its graph, in the order of the flow. */
  nodes: readonly RunNode[];
  parked: ReadonlyMap<RunNode, Parked>;
  /** For each instruction node that has ended, the end of its latest execution. */
  endings: ReadonlyMap<RunNode, 'succeeded' | 'failed'>;
  /** Writes a line of this execution into the log of the run. */
  log: (parked: Parked, level: LogLevel, content: string) => void;
}

/** The end of a parked execution: either outputs with the signature, or an error. */
export type ParkedEnd = { outputs: ValueMap } | { error: string };

/** The outcome of a settlement step. */
export type SettlementEnd =
  /**
   * The executions have ended. `store` reports further rows that belong to these ends. Either all these rows are stored
   * or none.
   */
  | { status: 'ended'; ends: { parked: Parked; end: ParkedEnd }[]; store?: () => void }
  /**
   * The transaction of these executions has failed for now. Each execution may be tried again. `store` reports further
   * rows that belong to these failures. Either all these rows are stored or none.
   */
  | { status: 'failed_for_now'; failures: { parked: Parked; error: NodeError }[]; store?: () => void }
  /** Every run of the tree ends at once, and the root run gets these outputs. */
  | { status: 'put_out'; outputs: ValueMap }
  /** The run ends at once, and its caller gets these instructions. `instructions` is never undefined. */
  | { status: 'collected'; instructions: unknown }
  /** The step needs an answer from outside, so the tree is suspended. */
  | { status: 'waiting' };

/** The parked executions of one run that one step settles together. */
export interface SettlementStep {
  run: TreeRun;
  /** Until the step is settled, only the step may end these executions. */
  parked: readonly Parked[];
  /**
   * Settles the step. `signal` is aborted, with a Halt as its reason, when the run ends. `releasing` is aborted when
   * the run is released. Throws Released if the next claim can continue the step. If it throws any other error, this
   * claim fails with that error.
   */
  settle: (signals: { signal: AbortSignal; releasing: AbortSignal }) => SettlementEnd | Promise<SettlementEnd>;
}

/** An execution whose instructions an earlier claim has given to somebody outside, for example to the chain. */
interface SentBefore {
  /** Makes the node's error for a run that ends now. The error says that the instructions may still be executed. */
  haltError: (halt: AbortSignal) => NodeError;
}

/**
 * Settles the instructions of one tree of runs. The engine parks each execution that hands over instructions. When only
 * parked executions are left, the engine asks for one step after another. The engine stops asking when no execution is
 * parked any more, or when an execution can continue by itself.
 */
export interface Settlement {
  /**
   * Returns the next step for the runs with parked executions. In `runs`, a run comes before the runs that it called.
   * Undefined for an empty list.
   */
  nextStep: (runs: readonly ParkedRun[]) => SettlementStep | undefined;
  /**
   * If an earlier claim has given the execution's instructions to somebody outside, returns a value. Otherwise returns
   * undefined, and the execution may build its instructions.
   */
  sentBefore: (execution: Effect) => SentBefore | undefined;
  /**
   * Tests whether the owner's own flows name the key at an input of a node. Only such a key may be used in the owner's
   * name.
   */
  isNamedByFlow: (run: TreeRun, node: RunNode, inputName: string, publicKey: string) => boolean;
}
