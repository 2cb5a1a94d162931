import { filesThat, uncounted } from './node_call.ts';
import type { Release, Suspension } from '../../runner/engine/state/unended_run.ts';
import {
  type AskedInput,
  type ChildRow,
  type ChildRun,
  executionKey,
  type Journal,
  type LogLine,
  makeHistory,
  type NodeRun,
  type RunResult,
  type SnapshotChanges,
  type StoredEarlierRuns,
} from '../../runner/engine/state/journal.ts';
import { type RunLimits, runLimits } from '../../runner/engine/limits/run_limits.ts';
import type { Effect, Halt, NativeNodes, NodeModule, NodeServices, RunInfo } from '../../runner/engine/node.ts';
import { makeOutputBudget } from '../../runner/engine/limits/output_budget.ts';
import { makePartialRun, type StoredPartialConfig } from '../../runner/engine/graph/partial_run.ts';
import { makeSlice, type Slice, UNLIMITED } from '../../runner/engine/state/slice.ts';
import type {
  FinalOutcome,
  StoredTransaction,
  TransactionRecord,
  Transactions,
  TransactionStore,
} from '../../runner/solana/transaction_order.ts';
import { makeSettlement, type SettlementOptions } from '../../runner/solana/settle_instructions.ts';
import { executeTree } from '../../runner/engine/execute_tree.ts';
import { heldBytes, measureValue } from '../../runner/engine/limits/value_size.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { evaluateExpression } from '../../runner/threads/evaluate_expression.ts';
import type { Graph, Snapshot } from '../../types/flow.ts';
import { registryOf } from '../../runner/described/registry.ts';
import type { Effects } from '../../types/node_definition.ts';
import type { ValueMap } from '../../types/values/value.ts';
import { deepFreeze } from './deep_freeze.ts';
import type { FlowBuilder } from './flow_builder.ts';

export const ROOT_RUN_ID = '01930000-0000-7000-8000-000000000001';
/** The flow of the started run. */
export const ROOT_FLOW_ID = 1;

/** The record of a run: what was reported about its execution, in the form in which the database stores it. */
export interface Recorded {
  /** The executions in the order of their ends. Unfinished executions come last. */
  nodeRuns: NodeRun[];
  children: ChildRow[];
  inputs: AskedInput[];
  logs: LogLine[];
  transactions: StoredTransaction[];
}

export interface ExecuteFlowOptions {
  registry?: NativeNodes;
  /** The definitions of described nodes, by hash. */
  definitions?: Snapshot['definitions'];
  /** The flows that interflow nodes call, by their ids. */
  flows?: { [flowId: string]: FlowBuilder };
  /** The record of an earlier claim. */
  earlier?: Recorded;
  /** The id of the run; ROOT_RUN_ID by default. */
  runId?: string;
  /** The runs from which this run was redriven, the newest first. */
  redrivenFrom?: { runId: string; recorded: Recorded; changes?: SnapshotChanges | undefined }[];
  /** The nodes that the redrive allows to repeat their effects. */
  repeatEffects?: StoredEarlierRuns['repeat_effects'];
  /** Pinned outputs by node. */
  pins?: Record<string, ValueMap>;
  /** A partial run: the nodes that run, and the record that has the outputs of the other nodes. */
  partial?: { config: StoredPartialConfig; recorded?: Recorded };
  stop?: AbortSignal;
  slice?: Slice;
  limits?: Partial<RunLimits>;
  /** The shortest wait that releases the run. By default no wait releases it. */
  leastSleepMs?: number;
  services?: Partial<NodeServices> & { transactions?: Transactions };
  environment?: Graph['environment'];
  network?: RunInfo['network'];
  /** The starter of the run. The default is another user than the owner. */
  startedBy?: string;
  now?: () => number;
  journal?: Partial<Journal>;
  /** Makes the service for the run's transactions. Their store is in memory, too. */
  makeTransactions?: (store: TransactionStore) => Transactions;
  isBundled?: boolean;
  /** The public key that signs last. Its holder sends the transaction. */
  actionSigner?: string;
}

type Reported =
  | { type: 'runBegan'; run: ChildRun }
  | { type: 'runEnded'; id: string; result: RunResult }
  | { type: 'nodeBegan'; run: NodeRun }
  | { type: 'nodeEnded'; run: NodeRun }
  | { type: 'inputAsked'; input: AskedInput }
  | { type: 'nodeTakenOver'; run: NodeRun }
  | { type: 'leftIncomplete' }
  | { type: 'logged'; line: LogLine }
  | { type: 'transactionStored'; record: TransactionRecord }
  | { type: 'transactionEnded'; transaction: Effect; outcome: FinalOutcome; signature: string | null };

/** A report of an execution, with its time. */
export type JournalEvent =
  & Reported
  & {
    at: string;
    /** The number of the batch. The reports of one batch are stored together. */
    batch: number;
  };

/** Returns the record that a worker leaves if it dies after it has reported these events. */
export function recordedBy(events: readonly JournalEvent[], earlier?: Recorded): Recorded {
  const byKey = (runs: NodeRun[]) => new Map(runs.map((run) => [executionKey(run), run]));
  const ended = byKey(earlier?.nodeRuns.filter((run) => run.end_time !== null) ?? []);
  const begun = byKey(earlier?.nodeRuns.filter((run) => run.end_time === null) ?? []);
  const children = new Map((earlier?.children ?? []).map((row) => [row.id, row]));
  const inputs: AskedInput[] = [...earlier?.inputs ?? []];
  const logs: LogLine[] = [...earlier?.logs ?? []];
  const transactions = new Map((earlier?.transactions ?? []).map((stored) => [executionKey(stored), { ...stored }]));
  for (const event of events) {
    if (event.type === 'logged') {
      logs.push(event.line);
    } else if (event.type === 'transactionStored') {
      const key = executionKey(event.record);
      transactions.set(key, { ...event.record, outcome: null, signature: null, requests: [] });
    } else if (event.type === 'transactionEnded') {
      const stored = transactions.get(executionKey(event.transaction));
      if (stored?.outcome === null) Object.assign(stored, { outcome: event.outcome, signature: event.signature });
    } else if (event.type === 'nodeBegan') {
      begun.set(executionKey(event.run), event.run);
    } else if (event.type === 'nodeEnded' || event.type === 'nodeTakenOver') {
      const key = executionKey(event.run);
      if (ended.has(key)) throw new Error(`${key} ends twice`);
      begun.delete(key);
      ended.set(key, event.run);
    } else if (event.type === 'inputAsked') {
      inputs.push(event.input);
    } else if (event.type === 'runBegan') {
      const open = { status: 'running' as const, end_time: null, output: null, errors: null, not_run: null };
      children.set(event.run.id, { ...event.run, ...open, start_time: event.at });
    } else if (event.type === 'runEnded') {
      const row = children.get(event.id);
      if (row === undefined || row.end_time !== null) {
        throw new Error(`the called run ${event.id} ends, but is not under way`);
      }
      children.set(event.id, { ...row, ...event.result, end_time: event.at });
    }
  }
  return {
    nodeRuns: [...ended.values(), ...begun.values()],
    children: [...children.values()],
    inputs,
    logs,
    transactions: [...transactions.values()],
  };
}

/** Records the reports of an execution in memory. */
function recordInMemory(now: () => number, earlierRuns: readonly NodeRun[]): {
  journal: Journal;
  transactionEnded: SettlementOptions['transactionEnded'];
  store: TransactionStore;
  events: JournalEvent[];
} {
  const events: JournalEvent[] = [];
  const at = () => new Date(now()).toISOString();
  let batch = 0;
  let isOpen = false;
  const add = (reported: Reported) => {
    if (!isOpen) queueMicrotask(() => isOpen = false);
    if (!isOpen) batch++;
    isOpen = true;
    // A journal may store a batch later, so freeze the events: they must not change until then.
    events.push(deepFreeze({ ...reported, at: at(), batch }));
  };
  return {
    events,
    store: {
      store: (record) => {
        add({ type: 'transactionStored', record });
        return Promise.resolve([]);
      },
    },
    transactionEnded: (transaction, outcome, signature) =>
      add({ type: 'transactionEnded', transaction, outcome, signature }),
    journal: {
      runBegan: (run) => add({ type: 'runBegan', run }),
      runEnded: (id, result) => add({ type: 'runEnded', id, result }),
      nodeBegan: (run) => add({ type: 'nodeBegan', run }),
      nodeEnded: (run) => add({ type: 'nodeEnded', run }),
      inputAsked: (input) => add({ type: 'inputAsked', input }),
      nodeTakenOver: (execution, from) => {
        const taken = earlierRuns.find((run) => executionKey(run) === executionKey(from));
        if (taken === undefined) throw new Error('the execution that is taken over does not exist');
        const { flow_run_id, node_id, times } = execution;
        add({ type: 'nodeTakenOver', run: { ...taken, flow_run_id, node_id, times } });
      },
      leftIncomplete: () => add({ type: 'leftIncomplete' }),
      logged: (line) => add({ type: 'logged', line }),
      flush: () => Promise.resolve(),
      isFull: () => false,
    },
  };
}

/** Counts the node executions of called runs that have ended. The database returns only this number. */
function countEnded(
  { nodeRuns, children }: Pick<Recorded, 'nodeRuns' | 'children'> = { nodeRuns: [], children: [] },
): number {
  const ended = new Set(children.filter((row) => row.end_time !== null).map((row) => row.id));
  return nodeRuns.filter((run) => ended.has(run.flow_run_id)).length;
}

/** Returns the bytes of all node outputs so far. For real runs, the database counts them. */
const outputBytesOf = (earlier?: Recorded): number =>
  (earlier?.nodeRuns ?? []).flatMap(({ output }) => Object.values(output?.M ?? {}))
    .reduce((bytes, value) => bytes + heldBytes(measureValue(value)), 0);

const noService = () => {
  throw new Error('this test gives the flow no such service');
};

/** Executes a flow as one claim does. The journal is in memory. */
export async function claimFlow(
  flow: FlowBuilder,
  inputs: ValueMap = {},
  options: ExecuteFlowOptions = {},
): Promise<{ result: RunResult | Release | Suspension; recorded: Recorded; events: JournalEvent[] }> {
  const { registry: natives = nodeRegistry, earlier, redrivenFrom = [], now = () => 0 } = options;
  const earlierRuns = redrivenFrom.flatMap(({ recorded }) => recorded.nodeRuns);
  const { journal, transactionEnded, store, events } = recordInMemory(now, earlierRuns);
  const { transactions = options.makeTransactions?.(store) ?? { execute: noService }, ...services } =
    options.services ?? {};
  const limits = { ...runLimits, ...options.limits };
  const flows = Object.entries(options.flows ?? {}).map(([id, called]) => [id, called.graph()]);
  const snapshot: Snapshot = {
    entry: { ...flow.graph(), environment: options.environment ?? {} },
    flows: Object.fromEntries(flows),
    ...(options.definitions && { definitions: options.definitions }),
  };
  const made = registryOf(natives, snapshot);
  const registry = made instanceof Promise ? await made : made;
  const run = {
    ownerId: '00000000-0000-4000-8000-0000000000aa',
    startedBy: options.startedBy ?? '00000000-0000-4000-8000-0000000000bb',
    network: options.network ?? { url: 'https://api.devnet.solana.com', cluster: 'devnet' },
  };
  const history = makeHistory({
    node_runs: earlier?.nodeRuns ?? [],
    children: earlier?.children ?? [],
    ended_executions: countEnded(earlier),
    redriven: {
      roots: redrivenFrom.map(({ runId }) => runId),
      children: redrivenFrom.flatMap(({ recorded }) => recorded.children),
      node_runs: [...earlierRuns, ...options.partial?.recorded?.nodeRuns ?? []],
      repeat_effects: options.repeatEffects,
      changes: Object.fromEntries(redrivenFrom.flatMap(({ runId, changes }) => changes ? [[runId, changes]] : [])),
    },
  });
  const result = await executeTree({
    root: {
      id: options.runId ?? ROOT_RUN_ID,
      flowId: ROOT_FLOW_ID,
      inputs,
      pins: options.pins,
      partial: options.partial && makePartialRun(options.partial.config, history.earlierRuns),
    },
    snapshot,
    run,
    registry,
    settlement: makeSettlement({
      transactions,
      stored: earlier?.transactions ?? [],
      transactionEnded,
      actionSigner: options.actionSigner,
      isBundled: options.isBundled ?? false,
      snapshot,
      registry,
      run,
    }),
    services: {
      http: { request: noService },
      project: { restUrl: noService, serves: noService, request: noService, primaryKeyColumns: noService },
      openConnection: noService,
      models: uncounted,
      kv: () => ({ create: noService, delete: noService, read: noService, write: noService }),
      files: filesThat(noService),
      inputs: { makeAddress: noService, look: noService, untilNews: noService },
      rest: (wait) => wait(),
      evaluateExpression,
      ...services,
    },
    journal: { ...journal, ...options.journal },
    history,
    limits,
    outputs: makeOutputBudget({ limit: limits.allOutputBytes, used: outputBytesOf(earlier) }),
    leastSleepMs: options.leastSleepMs ?? Infinity,
    slice: options.slice ?? makeSlice(UNLIMITED),
    stop: options.stop,
    now,
  });
  return { result, recorded: recordedBy(events, earlier), events };
}

/** Returns the result of a claim that must have ended its run. */
export function endOf(result: RunResult | Release | Suspension): RunResult {
  if ('output' in result) return result;
  throw new Error(`the run has not ended: ${result.status}`);
}

/** Executes a flow to its end. */
export async function executeFlow(flow: FlowBuilder, inputs: ValueMap = {}, options: ExecuteFlowOptions = {}) {
  const { result, recorded } = await claimFlow(flow, inputs, options);
  return { ...endOf(result), ...recorded };
}

/** The properties that a test node may declare: those of all nodes, and the effects in its definition. */
export type TestTraits = Partial<NodeModule> & { effects?: Effects };

/** Makes a node for tests, with ports named as in the builder's specs. */
export function testNode(
  inputs: string[],
  outputs: string[],
  run: NodeModule['run'],
  { effects, ...rest }: TestTraits = {},
): NodeModule {
  const plain = (spec: string) => spec.replace(/[?»]/g, '');
  return {
    definition: {
      type: 'native',
      data: { node_id: 'test', version: '0.1', display_name: 'Test', ...(effects && { effects }) },
      targets: inputs.map((spec) => ({
        name: plain(spec),
        type_bounds: ['free'],
        required: !spec.includes('?'),
        passthrough: spec.includes('»'),
      })),
      sources: outputs.map((spec) => ({ name: plain(spec), type: 'free', optional: spec.includes('?') })),
    },
    run,
    ...rest,
  };
}

/** Makes the halt that a caller's stop request causes. */
export const stopHalt = (reason: string, graceMs: number): Halt => ({
  status: 'stopped',
  message: `canceled by user ${reason}`.trimEnd(),
  graceMs,
});
