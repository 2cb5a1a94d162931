import type { Graph, Snapshot } from '../../../types/flow.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import type { History, Journal, StoredNodeRun } from './journal.ts';
import type { RunLimits } from './limits.ts';
import type { RunNode } from './graph.ts';
import type { Effect, NodeRegistry, NodeServices, RunInfo } from './node.ts';
import type { OutputBudget } from './output_budget.ts';
import type { Sleepers } from './sleepers.ts';
import type { Slice } from './slice.ts';
import type { InstructionSet } from '../solana/transaction.ts';
import type { TransactionPhases } from '../solana/transaction_phases.ts';

/** The run is released: another claim continues it. */
export interface Release {
  status: 'released';
  /** When it goes on, in milliseconds since 1970, where nothing can happen before; else at once. */
  until?: number;
}

/** The run is released until a signature has come, or its time is over. */
export interface Suspension {
  status: 'waiting';
}

/** What a root run and its interflow children share while they are executed. */
export interface Tree {
  snapshot: Snapshot;
  run: Omit<RunInfo, 'id' | 'environment'>;
  registry: NodeRegistry;
  services: NodeServices;
  journal: Journal;
  history: History;
  limits: RunLimits;
  slice: Slice;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Aborted with a Halt: no node starts any more. */
  halt: AbortSignal;
  /** Aborted with the Halt when the time is over that it leaves to running nodes. */
  cancel: AbortSignal;
  /** Aborted when the run shall be released. */
  releasing: AbortSignal;
  /** Sends the run back to the queue. */
  release: () => void;
  /**
   * Counts a node execution that is about to begin; `stored` is what an earlier claim stored of it. False: it is one too many,
   * and the tree is halted instead.
   */
  countExecution: (stored: StoredNodeRun | undefined) => boolean;
  /** Counts elements of loops, each of which is an execution to come or is passed over. */
  countElements: (count: number) => void;
  /** Counts bytes of values that are kept: inputs and outputs of node executions. */
  countBytes: (bytes: number) => void;
  /** What the nodes of all runs may still put out. */
  outputs: OutputBudget;
  /** The executions that wait for a time which they know. */
  sleepers: Sleepers;
  /** Whether this claim has brought enough that is new: a run that is released without any would never end. */
  hasProgressed: () => boolean;
  /** Runs a flow for a node, as a run of its own. */
  callFlow: (caller: CallSite, flowId: number, inputs: ValueMap) => Promise<ValueMap>;
  /** Runs a flow for a node up to its first instructions, and gives them. */
  collectInstructions: (caller: CallSite, flowId: number, inputs: ValueMap) => Promise<InstructionSet>;
  /** The owner started the run, and a wallet node of the flows names the key: a stored one may sign, wherever it came from. */
  isOwnersChoice: (publicKey: string) => boolean;
  /** The nodes of all flows share transactions, whatever the flows say. */
  isBundled: boolean;
  /** Where instructions become transactions. */
  phases: TransactionPhases;
}

/** The node execution that calls a flow. */
export interface CallSite {
  execution: Effect;
  node: RunNode;
  run: TreeRun;
  /** What is to be stored in one go with the execution's end. */
  atEnd?: () => void;
}

/** One run of a tree. */
export interface TreeRun {
  id: string;
  graph: Graph;
  inputs: ValueMap;
  /** 0 for the root. */
  depth: number;
  /** No earlier claim has begun it. */
  isNew: boolean;
  /** What called it; undefined for the root. */
  caller?: CallSite;
  /** Executions of its nodes that wait for flows that they called. */
  callsUnderWay: number;
  /** Its first instructions are collected, not sent. */
  isCollected: boolean;
}
