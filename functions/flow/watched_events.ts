import type { RunEvent, RunEventPage } from '../../types/run_event.ts';
import type { Rpc } from '../_shared/database.ts';
import type { QueryRuns } from './news_session.ts';

/** An event with what only the owner of the flow is told. */
export type WatchedEvent = RunEvent & { owner: object };

/** A page of a run's events, for watchers of every kind. */
export type WatchedPage = Pick<RunEventPage, 'flow_run_id' | 'last' | 'has_more' | 'has_ended'> & {
  events: WatchedEvent[];
};

/** A run with the number of the last event that its watchers know. */
export interface Cursor {
  flowRunId: string;
  after: number;
}

/** Looks for events after cursors, and gives the pages of the runs that have some or have ended. */
export type LookForEvents = (cursors: Cursor[]) => Promise<WatchedPage[]>;

export const lookForEvents = (serviceRpc: Rpc): LookForEvents => (cursors) =>
  serviceRpc<WatchedPage[]>('watched_run_events', {
    flow_run_ids: cursors.map(({ flowRunId }) => flowRunId),
    after: cursors.map(({ after }) => after),
  });

/** The same look by a session. */
export const lookForEventsBySession = (query: QueryRuns, cursors: Cursor[]): Promise<WatchedPage[]> =>
  query<WatchedPage[]>(
    'select private.watched_run_events($1::uuid[], $2::integer[]) as result',
    cursors.map(({ flowRunId }) => flowRunId),
    `{${cursors.map(({ after }) => after).join()}}`,
  );

/** An event as a watcher is told it: values, errors and log lines are the owner's. */
export function tell({ owner, ...event }: WatchedEvent, isOwner: boolean): RunEvent | undefined {
  if (!isOwner) return event.event === 'log' ? undefined : event;
  // SAFETY: the database puts into `owner` what the event has beside its data.
  return { ...event, data: { ...event.data, ...owner } } as RunEvent;
}
