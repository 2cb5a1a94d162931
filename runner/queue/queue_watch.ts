/** Notifies a worker of runs, so that it does not have to poll the queue. */
export interface QueueWatch {
  /**
   * Begins to watch: the worker is notified of runs that become claimable, and of one that did so before the watch
   * began. The watch ends by itself when runs come in numbers. Has no effect while it watches.
   */
  start: () => void;
  /**
   * True if the worker is notified of each run that becomes claimable, and has looked at the queue since the
   * notifications began.
   */
  isOn: () => boolean;
  /** Ends the watch, because the worker has no slot for another run and others may be notified instead. */
  stop: () => void;
}

/** Makes a watch that calls `onRun` when there may be a run to claim. */
export type MakeQueueWatch = (onRun: () => void) => QueueWatch;
