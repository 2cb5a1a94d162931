import type { HandBack } from '../../functions/runner/engine/execute.ts';
import {
  type ChildRow,
  type ChildRun,
  type Journal,
  type LogLine,
  makeHistory,
  type NodeRun,
  type RunResult,
} from '../../functions/runner/engine/journal.ts';
import { type RunLimits, runLimits } from '../../functions/runner/engine/limits.ts';
import type { Halt, NodeModule, NodeRegistry, NodeServices } from '../../functions/runner/engine/node.ts';
import { makeSlice, type Slice, UNLIMITED } from '../../functions/runner/engine/slice.ts';
import { executeTree } from '../../functions/runner/engine/tree.ts';
import { nodeRegistry } from '../../functions/runner/nodes/registry.ts';
import type { Graph } from '../../types/flow.ts';
import type { ValueMap } from '../../types/value.ts';
import type { FlowBuilder } from './flow_builder.ts';

export const ROOT_RUN_ID = '01930000-0000-7000-8000-000000000001';

/** What an execution reported, as the database would have it. */
export interface Recorded {
  /** By the end of each execution; those that only began come last. */
  nodeRuns: NodeRun[];
  children: ChildRow[];
  logs: LogLine[];
}

export interface ExecuteFlowOptions {
  registry?: NodeRegistry;
  /** Flows that interflow nodes call, by id. */
  flows?: { [flowId: string]: FlowBuilder };
  /** What an earlier claim recorded. */
  earlier?: Recorded;
  stop?: AbortSignal;
  slice?: Slice;
  limits?: Partial<RunLimits>;
  services?: Partial<NodeServices>;
  environment?: Graph['environment'];
  now?: () => number;
  journal?: Partial<Journal>;
}

/** Keeps what an execution reports in memory, in the rows of the database. */
function recordInMemory(
  earlier: Recorded | undefined,
  now: () => number,
): { journal: Journal; recorded: () => Recorded } {
  const key = (run: NodeRun) => `${run.flow_run_id}/${run.node_id}#${run.times}`;
  const ended = new Map((earlier?.nodeRuns ?? []).filter((run) => run.end_time !== null).map((run) => [key(run), run]));
  const begun = new Map((earlier?.nodeRuns ?? []).filter((run) => run.end_time === null).map((run) => [key(run), run]));
  const children = new Map((earlier?.children ?? []).map((row) => [row.id, row]));
  const logs: LogLine[] = [...earlier?.logs ?? []];
  const time = () => new Date(now()).toISOString();
  return {
    journal: {
      runBegan: (run: ChildRun) =>
        children.set(run.id, {
          ...run,
          status: 'running',
          start_time: time(),
          end_time: null,
          output: null,
          errors: null,
          not_run: null,
        }),
      runEnded: (id, result) => {
        const row = children.get(id);
        if (row === undefined || row.end_time !== null) throw new Error(`child ${id} ends that is not under way`);
        children.set(id, { ...row, ...result, end_time: time() });
      },
      nodeBegan: (run) => begun.set(key(run), run),
      nodeEnded: (run) => {
        if (ended.has(key(run))) throw new Error(`${key(run)} ends twice`);
        begun.delete(key(run));
        ended.set(key(run), run);
      },
      logged: (line) => logs.push(line),
      flush: () => Promise.resolve(),
      isFull: () => false,
    },
    recorded: () => ({ nodeRuns: [...ended.values(), ...begun.values()], children: [...children.values()], logs }),
  };
}

const noService = () => {
  throw new Error('this test gives the flow no such service');
};

/** Executes a flow as one claim does, with the journal in memory. */
export async function claimFlow(
  flow: FlowBuilder,
  inputs: ValueMap = {},
  options: ExecuteFlowOptions = {},
): Promise<{ result: RunResult | HandBack; recorded: Recorded }> {
  const { registry = nodeRegistry, earlier, now = () => 0 } = options;
  const { journal, recorded } = recordInMemory(earlier, now);
  const flows = Object.entries(options.flows ?? {}).map(([id, called]) => [id, called.graph()]);
  const result = await executeTree({
    root: { id: ROOT_RUN_ID, inputs },
    snapshot: {
      entry: { ...flow.graph(), environment: options.environment ?? {} },
      flows: Object.fromEntries(flows),
    },
    run: {
      ownerId: '00000000-0000-4000-8000-0000000000aa',
      startedBy: '00000000-0000-4000-8000-0000000000bb',
      network: { url: 'https://api.devnet.solana.com', cluster: 'devnet' },
    },
    registry,
    services: {
      http: { request: noService },
      kv: () => ({ create: noService, delete: noService, read: noService, write: noService }),
      ...options.services,
    },
    journal: { ...journal, ...options.journal },
    history: makeHistory(earlier?.nodeRuns ?? [], earlier?.children ?? []),
    limits: { ...runLimits, ...options.limits },
    slice: options.slice ?? makeSlice(UNLIMITED),
    stop: options.stop,
    now,
  });
  return { result, recorded: recorded() };
}

/** Executes a flow to its end. */
export async function executeFlow(flow: FlowBuilder, inputs: ValueMap = {}, options: ExecuteFlowOptions = {}) {
  const { result, recorded } = await claimFlow(flow, inputs, options);
  if (result.status === 'handed_back') throw new Error('the run goes back to the queue');
  return { ...result, ...recorded };
}

/** A node for tests alone, with ports as the builder's specs name them. */
export function testNode(
  inputs: string[],
  outputs: string[],
  run: NodeModule['run'],
  rest: Partial<NodeModule> = {},
): NodeModule {
  const plain = (spec: string) => spec.replace(/[?»]/g, '');
  return {
    definition: {
      type: 'native',
      data: { node_id: 'test', version: '0.1', display_name: 'Test' },
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

/** The stop that a caller asks for. */
export const stopHalt = (reason: string, graceMs: number): Halt => ({
  status: 'stopped',
  message: `canceled by user ${reason}`.trimEnd(),
  graceMs,
});
