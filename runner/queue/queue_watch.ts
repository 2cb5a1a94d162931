/** Notifies a worker of runs, so that it does not have to poll the queue. */
export interface QueueWatch {
  /**
   * Begins to watch. The worker is notified of runs that become claimable. It is also notified once at the beginning,
   * because a run may have become claimable before. The watch ends by itself when many runs come. Has no effect while
   * the watch is on.
   */
  start: () => void;
  /**
   * True if the worker is notified of each run that becomes claimable, and has looked at the queue since the
   * notifications began.
   */
  isOn: () => boolean;
  /** Ends the watch, because the worker has no slot for another run, and other workers may be notified instead. */
  stop: () => void;
}

/** Makes a watch that calls `onRun` when there may be a run to claim. */
export type MakeQueueWatch = (onRun: () => void) => QueueWatch;
