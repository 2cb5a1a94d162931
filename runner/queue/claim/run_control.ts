import type { Halt } from '../../engine/node.ts';
import type { StopRequest } from './claims.ts';

/** The ways in which other parts of the worker influence a run while it is executed. */
export interface RunControl {
  /** Ends the run. Only the first call has an effect. */
  stop: (request: StopRequest) => void;
  /** Ends the execution because the claim is lost and the database refuses all its writes. */
  lose: () => void;
  /** Releases the run as soon as it has made progress. */
  release: () => void;
  /** Reports that inputs of the run have been answered. */
  tellOfInputs: () => void;
}

/** The control of one run, for the worker that executes it. */
export interface OwnRunControl extends RunControl {
  /** Ends the run as failed. */
  fail: (message: string) => void;
  /** True if the claim is lost. The execution ends, and nothing of it is stored. */
  isLost: () => boolean;
  /** Calls this listener whenever inputs that nodes wait for have been answered. */
  onInputsAnswered: (listener: () => void) => void;
  /** Aborted, with a Halt as its reason, when the run must end. */
  halt: AbortSignal;
  /** Aborted when the run must be released, or its claim is lost. */
  releasing: AbortSignal;
  /** Aborted when a caller stops the run, so that it need not wait for memory. */
  stopping: AbortSignal;
}

export function makeRunControl(): OwnRunControl {
  const halt = new AbortController();
  const releasing = new AbortController();
  const stopping = new AbortController();
  const inputListeners: (() => void)[] = [];
  let isLost = false;

  /** Only the first halt counts, because a signal is aborted once. */
  const haltWith = (reason: Halt): void => halt.abort(reason);

  return {
    stop: ({ reason, timeout_millies }) => {
      const message = `canceled by user ${reason ?? ''}`.trimEnd();
      haltWith({ status: 'stopped', message, graceMs: timeout_millies ?? 0 });
      stopping.abort();
    },
    lose: () => {
      isLost = true;
      haltWith({ status: 'stopped', message: 'the claim is lost', graceMs: 0 });
      releasing.abort();
    },
    release: () => releasing.abort(),
    tellOfInputs: () => inputListeners.forEach((listener) => listener()),
    onInputsAnswered: (listener) => void inputListeners.push(listener),
    fail: (message) => haltWith({ status: 'failed', message, graceMs: 0 }),
    isLost: () => isLost,
    halt: halt.signal,
    releasing: releasing.signal,
    stopping: stopping.signal,
  };
}
