import type { InputQuestion } from '../../types/answer_schema.ts';
import { codedError } from '../../types/run_errors.ts';
import type { Value } from '../../types/values/value.ts';
import type { Tree } from './context.ts';
import {
  type Effect,
  haltError,
  type InputState,
  type InputWebhook,
  type LogLevel,
  NodeError,
  Released,
} from './node.ts';
import type { TreeRun } from './tree_run.ts';

/** The error of a node that gets no value. */
const FAILURES = {
  cancelled: codedError('input_cancelled', 'somebody has cancelled the input'),
  expired: codedError('input_expired', 'nobody has sent a value in time'),
};

export interface InputWait {
  run: TreeRun;
  execution: Effect;
  /** An earlier claim has asked for it. */
  isAsked: boolean;
  timeoutMs: number;
  webhook?: InputWebhook | undefined;
  question?: InputQuestion | undefined;
  log: (level: LogLevel, content: string) => void;
}

/**
 * Asks for the input of an execution, and waits for it. The request is reported before the first pause, so it is stored
 * together with the begin of the execution and the log line: each input is asked for once, however many claims wait for
 * it.
 */
export async function waitForInput(tree: Tree, wait: InputWait): Promise<Value> {
  const { run, execution, isAsked, timeoutMs, webhook, question, log } = wait;
  const { services: { inputs, rest, journal, now }, lifecycle: { halted, releasing } } = tree;
  const look = () => rest(() => inputs.look(execution));
  const leaveIfEnding = () => {
    // A run that is to stop accepts no answer, so the node does not wait for the end of the halt's grace.
    if (halted.aborted) throw haltError(halted);
    if (releasing.aborted) throw new Released();
  };
  if (!isAsked) {
    const address = inputs.makeAddress();
    journal.inputAsked({ ...execution, ...address, timeout_ms: timeoutMs, webhook, question });
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
