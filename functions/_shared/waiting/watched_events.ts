import type { RunEvent, RunEventPage } from '../../../types/run_event.ts';
import type { Rpc } from '../../../platform/database/rpc.ts';

/** An event. Its member `owner` holds the data that only the flow's owner may see. */
type WatchedEvent = RunEvent & { owner: object };

/** A page of a run's events, with the data for the owner and for other watchers. */
export type WatchedPage = Pick<RunEventPage, 'flow_run_id' | 'last' | 'has_more' | 'has_ended'> & {
  events: WatchedEvent[];
};

/** A run, and the number of the last event that its watchers have. */
export interface Cursor {
  flowRunId: string;
  after: number;
}

/** Looks for events that follow the cursors. Returns a page for each run that has such events or has ended. */
export type LookForEvents = (cursors: Cursor[]) => Promise<WatchedPage[]>;

export const lookForEvents = (serviceRpc: Rpc): LookForEvents => (cursors) =>
  serviceRpc<WatchedPage[]>('watched_run_events', {
    flow_run_ids: cursors.map(({ flowRunId }) => flowRunId),
    after: cursors.map(({ after }) => after),
  });

/** Returns the event as a watcher may see it: only the owner sees values, errors and log lines. */
export function tell({ owner, ...event }: WatchedEvent, isOwner: boolean): RunEvent | undefined {
  if (!isOwner) return event.event === 'log' ? undefined : event;
  // SAFETY: the database puts the owner's part of the data into `owner`.
  return { ...event, data: { ...event.data, ...owner } } as RunEvent;
}
