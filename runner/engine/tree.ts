import { uuidv7 } from 'uuidv7';
import { codedError } from '../../types/run_errors.ts';
import type { ValueMap } from '../../types/values/value.ts';
import { makeHasCalledEffects } from './called_effects.ts';
import type { Release, Suspension, Tree } from './context.ts';
import { executeRun } from './execute.ts';
import type { RunResult } from './journal.ts';
import { type Halt, NodeError, Released } from './node.ts';
import { copyMap } from './node_values.ts';
import { Sleepers } from './sleepers.ts';
import { Standstill } from './standstill.ts';
import type { CallSite, TreeRun } from './tree_run.ts';

type Given =
  | 'snapshot'
  | 'run'
  | 'registry'
  | 'services'
  | 'journal'
  | 'history'
  | 'limits'
  | 'slice'
  | 'now'
  | 'settlement'
  | 'outputs';

export interface TreeOptions extends Pick<Tree, Given> {
  root: { id: string; inputs: ValueMap };
  /** Aborted, with a Halt as its reason, when the tree is to end. */
  stop?: AbortSignal;
  /** Aborted when nobody wants the tree's result any more. */
  abandon?: AbortSignal;
  /** Aborted when the tree is to be released. */
  releasing?: AbortSignal;
  /** The least time, in milliseconds, for which a tree that only waits is released. */
  leastSleepMs: number;
}

/** How a called flow ended. */
interface ChildEnd {
  result: RunResult;
  /** The instructions that it was called for, if it came to any. */
  collected?: unknown;
}

function outputsOf(result: RunResult): ValueMap {
  if (result.status === 'succeeded') return result.output.M;
  throw new NodeError(result.errors?.join(';\n') ?? 'the called flow was stopped');
}

/** Executes a root run with all runs that its interflow nodes start, to the end or until it is released. */
export async function executeTree(options: TreeOptions): Promise<RunResult | Release | Suspension> {
  const { snapshot, history, journal, limits, slice, stop, abandon, root } = options;
  const halt = new AbortController();
  const cancel = new AbortController();
  const releaseController = new AbortController();
  const children = new Set<Promise<unknown>>();
  let executions = history.endedExecutions;
  let elements = 0;
  let bytes = 0;
  /** Nodes of the flows that are being executed. */
  let openNodes = snapshot.entry.nodes.length;
  /** Each called flow begins after the one before it. */
  let turn: Promise<void> = Promise.resolve();
  /** What the slice's clock showed when this claim began its first new execution. */
  let newSinceMs: number | undefined;

  const execute = async (run: TreeRun, caller: CallSite): Promise<ChildEnd> => {
    // It runs to its first await in one go, so that the warnings about a run are stored with its beginning.
    const result = await executeRun(tree, run);
    if (result.status === 'released') throw new Released();
    const collected = standstill.collectedFrom(run);
    // Only the caller's outputs hold what was collected, so the run ends in one go with the caller.
    if (collected === undefined) journal.runEnded(run.id, result);
    else caller.atEnd = () => journal.runEnded(run.id, result);
    // It ended where it was, and so does its caller.
    if (standstill.putOut !== undefined) throw new Released();
    return { result, collected };
  };

  const begin = async (caller: CallSite, flowId: number, inputs: ValueMap, isCollected: boolean): Promise<ChildEnd> => {
    const graph = Object.hasOwn(snapshot.flows, flowId) ? snapshot.flows[flowId] : undefined;
    if (graph === undefined) throw new NodeError(`there is no flow ${flowId} in what was deployed or started`);
    if (caller.run.depth >= limits.interflowDepth) {
      throw new NodeError(`recursive depth reached: flows may call flows ${limits.interflowDepth} deep`);
    }
    // Each level gets a new stack: flows may call themselves a thousand deep. They begin one after another: it may take a while to
    // make a graph ready, and thousands of nodes may call flows at once.
    await (turn = turn.then(() => slice.needsBreath() ? slice.breathe(options.run.ownerId) : undefined));
    const known = history.child(caller.execution);
    if (known?.result != null) return { result: known.result };
    const nodes = graph.nodes.length;
    // Flows that an earlier claim began were within the limit then, so they are now, in whatever order they come.
    if (known === undefined && openNodes + nodes > limits.openNodes) {
      throw new NodeError(
        codedError(
          'open_nodes_limit',
          `the flows that are executed at the same time would have more than ${limits.openNodes} nodes`,
        ),
      );
    }
    const id = known?.id ?? uuidv7();
    if (known === undefined) {
      journal.runBegan({
        id,
        flow_id: flowId,
        inputs: { M: inputs },
        parent_flow_run_id: caller.execution.flow_run_id,
        parent_node_id: caller.execution.node_id,
        parent_times: caller.execution.times,
      });
    }
    const depth = caller.run.depth + 1;
    const { earlierRuns } = caller;
    const run = {
      id,
      graph,
      inputs,
      depth,
      isNew: known === undefined,
      caller,
      earlierRuns,
      callsUnderWay: 0,
      isCollected,
    };
    openNodes += nodes;
    // The caller rests meanwhile. Both are counted down in one go, or the tree would seem to stand still.
    caller.run.callsUnderWay += 1;
    try {
      return await execute(run, caller);
    } finally {
      standstill.remove(run);
      openNodes -= nodes;
      caller.run.callsUnderWay -= 1;
    }
  };

  const call = (...of: Parameters<typeof begin>): Promise<ChildEnd> => {
    const child = begin(...of);
    children.add(child);
    const remove = () => children.delete(child);
    void child.then(remove, remove);
    return child;
  };

  const exceed = (message: string) => halt.abort({ status: 'failed', message, graceMs: 0 } satisfies Halt);
  // Where replaying the history took all of the slice, new work still gets its answers from outside. If it were cut off each time,
  // the run would never be done.
  const onSpent = () => {
    if (newSinceMs !== undefined) releaseController.abort();
  };
  slice.releasing.addEventListener('abort', onSpent);
  // Not AbortSignal.any: its weak references to signals that outlive the run slow each garbage collection down.
  const release = () => releaseController.abort();
  slice.cutOff.addEventListener('abort', release);
  if (slice.cutOff.aborted) release();
  const releasing = releaseController.signal;
  // One that falls asleep while its run waits already may be the last that was awake.
  const sleepers = new Sleepers(() => standstill.consider());
  const standstill = new Standstill({ ...options, sleepers, halt: halt.signal, cancel: cancel.signal, releasing });
  const tree: Tree = {
    ...options,
    hasCalledEffects: makeHasCalledEffects(snapshot, options.registry),
    halt: halt.signal,
    cancel: cancel.signal,
    releasing,
    release,
    sleepers,
    countExecution: (stored) => {
      if (stored?.end_time == null && executions >= limits.nodeExecutions) {
        exceed(codedError('node_executions_limit', `more than ${limits.nodeExecutions} node executions in one run`));
        return false;
      }
      executions += stored?.attempt ?? 1;
      // Continuing a call that was begun before is not progress: every claim does that.
      if (stored === undefined) newSinceMs ??= slice.spentMs();
      return true;
    },
    countElements: (count) => {
      elements += count;
      if (elements <= limits.nodeExecutions) return;
      exceed(
        codedError('node_executions_limit', `loops over more than ${limits.nodeExecutions} elements in one run`),
      );
    },
    countBytes: (count) => {
      bytes += count;
      if (bytes <= limits.totalBytes) return;
      exceed(codedError('run_size_limit', `inputs and outputs of more than ${limits.totalBytes} bytes in one run`));
    },
    hasProgressed: () => newSinceMs !== undefined && slice.spentMs() - newSinceMs >= slice.leastMs,
    callFlow: async (...of) => outputsOf((await call(...of, false)).result),
    collectInstructions: async (...of) => {
      const { result, collected } = await call(...of, true);
      if (collected !== undefined) return collected;
      outputsOf(result);
      throw new NodeError('no instructions: the flow ended without handing any over');
    },
    standstill,
  };

  let grace: ReturnType<typeof setTimeout> | undefined;
  const endGrace = () => {
    if (halt.signal.aborted) cancel.abort(halt.signal.reason);
  };
  halt.signal.addEventListener('abort', () => {
    journal.halted();
    // SAFETY: whoever aborts it gives a Halt.
    const { graceMs } = halt.signal.reason as Halt;
    if (graceMs === 0 || tree.releasing.aborted) endGrace();
    else grace = setTimeout(endGrace, graceMs);
  });
  // A run that is released can't wait until the grace is over.
  tree.releasing.addEventListener('abort', endGrace);
  abandon?.addEventListener('abort', release);
  options.releasing?.addEventListener('abort', release);
  if (options.releasing?.aborted) release();
  if (stop?.aborted) halt.abort(stop.reason);
  stop?.addEventListener('abort', () => halt.abort(stop.reason), { once: true });

  try {
    const result = await executeRun(tree, {
      id: root.id,
      inputs: copyMap(root.inputs),
      graph: snapshot.entry,
      depth: 0,
      isNew: history.isEmpty,
      earlierRuns: history.earlierRuns.roots.length > 0 ? history.earlierRuns.roots : undefined,
      callsUnderWay: 0,
      isCollected: false,
    });
    // After a halt the root does not wait for the nodes that call flows; their runs end all the same.
    await Promise.allSettled(children);
    await standstill.settled();
    if (result.status === 'released') {
      if (standstill.isSuspended) return { status: 'waiting' };
      return standstill.sleepsUntil === undefined ? result : { ...result, until: standstill.sleepsUntil };
    }
    for (const [name, value] of Object.entries(standstill.putOut ?? {})) result.output.M[name] ??= value;
    return result;
  } finally {
    clearTimeout(grace);
    slice.releasing.removeEventListener('abort', onSpent);
    slice.cutOff.removeEventListener('abort', release);
    tree.releasing.removeEventListener('abort', endGrace);
  }
}
