import type { Halt } from '../engine/node.ts';
import type { StopRequest } from './claims.ts';

/** The ways in which others influence a run while it is executed. */
export interface RunControl {
  /** Ends the run. Only the first call has an effect. */
  stop: (request: StopRequest) => void;
  /** Ends the execution because the claim is lost: the database refuses all its writes. */
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
  isLost: () => boolean;
  /** Calls this listener whenever inputs that nodes wait for have been answered. */
  onInputsAnswered: (listener: () => void) => void;
  /** Aborted, with a Halt as its reason, when the run is to end. */
  halt: AbortSignal;
  /** Aborted when the claim is lost, and the result is no longer needed. */
  abandon: AbortSignal;
  /** Aborted when the run is to be released. */
  releasing: AbortSignal;
  /** Aborted when the run is to stop, so that it need not wait for memory. */
  stopping: AbortSignal;
}

export function makeRunControl(): OwnRunControl {
  const halt = new AbortController();
  const abandon = new AbortController();
  const releasing = new AbortController();
  const stopping = new AbortController();
  const inputListeners: (() => void)[] = [];
  const end = (reason: Halt) => halt.abort(reason);
  return {
    stop: ({ reason, timeout_millies }) => {
      end({ status: 'stopped', message: `canceled by user ${reason ?? ''}`.trimEnd(), graceMs: timeout_millies ?? 0 });
      stopping.abort();
    },
    lose: () => {
      end({ status: 'stopped', message: 'the claim is lost', graceMs: 0 });
      abandon.abort();
      releasing.abort();
    },
    release: () => releasing.abort(),
    tellOfInputs: () => inputListeners.forEach((listener) => listener()),
    onInputsAnswered: (listener) => void inputListeners.push(listener),
    fail: (message) => end({ status: 'failed', message, graceMs: 0 }),
    isLost: () => abandon.signal.aborted,
    halt: halt.signal,
    abandon: abandon.signal,
    releasing: releasing.signal,
    stopping: stopping.signal,
  };
}
