/** Has a worker told of runs, so that it need not look at the queue again and again. */
export interface QueueWatch {
  /**
   * Has the worker told of the next runs that become claimable, and of one that did so before the watch began. The watch
   * ends by itself when runs come in numbers. Changes nothing while it watches.
   */
  start: () => void;
  /** The worker is told of each run that becomes claimable, and was told to look at the queue when that began. */
  isOn: () => boolean;
  /** The worker has no place for another run: others may be told. */
  stop: () => void;
}

/** Makes a watch that calls `onRun` when there may be a run to claim. */
export type MakeQueueWatch = (onRun: () => void) => QueueWatch;
