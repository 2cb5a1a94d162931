import { codedError } from '../../../types/run_errors.ts';
import type { Value } from '../../../types/values/value.ts';
import type { Tree } from '../tree/tree.ts';
import {
  type Effect,
  haltError,
  type InputState,
  type LogLevel,
  NodeError,
  Released,
  type WantedInput,
} from '../node.ts';
import type { TreeRun } from '../tree/tree_run.ts';

/** The errors of a node that gets no value. */
const FAILURES = {
  cancelled: codedError('input_cancelled', 'somebody has cancelled the input'),
  expired: codedError('input_expired', 'nobody has sent a value in time'),
};

interface InputWait {
  run: TreeRun;
  execution: Effect;
  /** True if an earlier claim has already asked for the input. */
  isAsked: boolean;
  input: WantedInput;
  log: (level: LogLevel, content: string) => void;
}

/**
 * Asks for the input of an execution, and waits for the answer. The request is reported before the first pause, so the
 * journal stores it together with the begin of the execution and the log line. A later claim finds it stored, so each
 * input is requested only once.
 */
export async function waitForInput(tree: Tree, wait: InputWait): Promise<Value> {
  const { run, execution, isAsked, log, input: { timeoutMs, ...input } } = wait;
  const { services: { inputs, rest, journal, now }, lifecycle: { halted, releasing } } = tree;
  const look = () => rest(() => inputs.look(execution));
  const leaveIfEnding = () => {
    // A halted run accepts no answer, so the node ends at once and does not use the halt's grace.
    if (halted.aborted) throw haltError(halted);
    if (releasing.aborted) throw new Released();
  };
  if (!isAsked) {
    const address = inputs.makeAddress();
    journal.inputAsked({ ...execution, ...address, timeout_ms: timeoutMs, ...input });
    log('Info', `waits until somebody sends a value: POST ${address.url}`);
  }
  let state: InputState = isAsked ? await look() : { status: 'open', leftMs: timeoutMs };
  while (state.status === 'open') {
    const { leftMs } = state;
    leaveIfEnding();
    const sleep = () => inputs.untilNews(leftMs, halted, releasing);
    await tree.sleepers.during(run, now() + leftMs, () => rest(sleep));
    leaveIfEnding();
    state = await look();
  }
  if (state.status === 'submitted') return state.value;
  throw new NodeError(FAILURES[state.status]);
}
