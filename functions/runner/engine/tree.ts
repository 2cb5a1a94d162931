import { uuidv7 } from 'uuidv7';
import type { ValueMap } from '../../../types/value.ts';
import type { HandBack, Tree } from './context.ts';
import { executeRun } from './execute.ts';
import type { RunResult } from './journal.ts';
import { type Halt, HandedBack, NodeError } from './node.ts';
import { copyMap } from './node_values.ts';

type Given = 'snapshot' | 'run' | 'registry' | 'services' | 'journal' | 'history' | 'limits' | 'slice' | 'now';

export interface TreeOptions extends Pick<Tree, Given> {
  root: { id: string; inputs: ValueMap };
  /** Aborted, with a Halt as its reason, when the tree shall end. */
  stop?: AbortSignal;
  /** Aborted when nothing of the tree is wanted any more. */
  abandon?: AbortSignal;
}

function outputsOf(result: RunResult): ValueMap {
  if (result.status === 'succeeded') return result.output.M;
  throw new NodeError(result.errors?.join(';\n') ?? 'the called flow was stopped');
}

/** Executes a root run with all runs that its interflow nodes start, to the end or until it goes back to the queue. */
export async function executeTree(options: TreeOptions): Promise<RunResult | HandBack> {
  const { snapshot, history, journal, limits, slice, stop, abandon, root } = options;
  const halt = new AbortController();
  const cancel = new AbortController();
  const back = new AbortController();
  const children = new Set<Promise<unknown>>();
  let executions = history.endedExecutions;
  let elements = 0;
  let bytes = 0;
  /** The slice's clock when this claim began something new. */
  let newSinceMs: number | undefined;

  const callFlow: Tree['callFlow'] = async (caller, depth, flowId, inputs) => {
    const graph = Object.hasOwn(snapshot.flows, flowId) ? snapshot.flows[flowId] : undefined;
    if (graph === undefined) throw new NodeError(`there is no flow ${flowId} in what was deployed or started`);
    if (depth >= limits.interflowDepth) {
      throw new NodeError(`recursive depth reached: flows may call flows ${limits.interflowDepth} deep`);
    }
    // A new stack for each level: flows may call themselves a thousand deep.
    await Promise.resolve();
    const known = history.child(caller);
    if (known?.result != null) return outputsOf(known.result);
    const id = known?.id ?? uuidv7();
    if (known === undefined) {
      journal.runBegan({
        id,
        flow_id: flowId,
        inputs: { M: inputs },
        parent_flow_run_id: caller.flow_run_id,
        parent_node_id: caller.node_id,
        parent_times: caller.times,
      });
    }
    // Up to its first await it goes on in one go: the warnings about a run are stored with its beginning.
    const result = await executeRun(tree, { id, graph, inputs, depth: depth + 1, isNew: known === undefined });
    if (result.status === 'handed_back') throw new HandedBack();
    journal.runEnded(id, result);
    return outputsOf(result);
  };

  const exceed = (message: string) => halt.abort({ status: 'failed', message, graceMs: 0 } satisfies Halt);
  const tree: Tree = {
    ...options,
    halt: halt.signal,
    cancel: cancel.signal,
    handBack: AbortSignal.any([slice.handBack, back.signal]),
    giveBack: () => back.abort(),
    countExecution: (stored) => {
      if (stored?.end_time == null && executions >= limits.nodeExecutions) {
        exceed(`node_executions_limit: more than ${limits.nodeExecutions} node executions in one run`);
        return false;
      }
      executions += 1;
      // To go on with a call that was begun before is no progress: every claim does.
      if (stored === undefined) newSinceMs ??= slice.spentMs();
      return true;
    },
    countElements: (count) => {
      elements += count;
      if (elements <= limits.nodeExecutions) return;
      exceed(`node_executions_limit: loops over more than ${limits.nodeExecutions} elements in one run`);
    },
    countBytes: (count) => {
      bytes += count;
      if (bytes <= limits.totalBytes) return;
      exceed(`run_size_limit: inputs and outputs of more than ${limits.totalBytes} bytes in one run`);
    },
    hasProgressed: () => newSinceMs !== undefined && slice.spentMs() - newSinceMs >= slice.leastMs,
    callFlow: (...call) => {
      const child = callFlow(...call);
      children.add(child);
      const remove = () => children.delete(child);
      void child.then(remove, remove);
      return child;
    },
  };

  let grace: ReturnType<typeof setTimeout> | undefined;
  const endGrace = () => {
    if (halt.signal.aborted) cancel.abort(halt.signal.reason);
  };
  halt.signal.addEventListener('abort', () => {
    // SAFETY: whoever aborts it gives a Halt.
    const { graceMs } = halt.signal.reason as Halt;
    if (graceMs === 0 || tree.handBack.aborted) endGrace();
    else grace = setTimeout(endGrace, graceMs);
  });
  // A worker that has to leave can't wait for the grace to be over.
  tree.handBack.addEventListener('abort', endGrace);
  abandon?.addEventListener('abort', () => back.abort());
  if (stop?.aborted) halt.abort(stop.reason);
  stop?.addEventListener('abort', () => halt.abort(stop.reason), { once: true });

  try {
    const result = await executeRun(tree, {
      id: root.id,
      inputs: copyMap(root.inputs),
      graph: snapshot.entry,
      depth: 0,
      isNew: history.isEmpty,
    });
    // After a halt the root does not wait for the nodes that call flows; their runs end all the same.
    await Promise.allSettled(children);
    return result;
  } finally {
    clearTimeout(grace);
    tree.handBack.removeEventListener('abort', endGrace);
  }
}
