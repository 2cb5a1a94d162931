import { useUserId } from '../session/use_user_id.ts';

/** The columns of a run that name its starter. */
export interface RunStarter {
  schedule_id: string | null;
  webhook_id: string | null;
  row_start_id: string | null;
  started_by: string | null;
  started_by_public_key: string | null;
  started_by_run_id: string | null;
}

/** Names the starter of a run: a schedule, a webhook, a node of another flow, a user or a key. */
function describeStarter(run: RunStarter, userId: string): string {
  if (run.schedule_id !== null) return 'a schedule';
  if (run.webhook_id !== null) return 'a webhook';
  if (run.row_start_id !== null) return 'a change of a row';
  if (run.started_by_run_id !== null) return 'a flow';
  const { started_by, started_by_public_key: key } = run;
  if (key !== null) return `the key ${key.slice(0, 6)}…`;
  if (started_by === null) return 'a deleted user';
  // The last characters are enough to tell users apart.
  return started_by === userId ? 'you' : `the user …${started_by.slice(-6)}`;
}

/** The starter of a run. The whole id is shown under the pointer. */
export function StartedBy({ run }: { run: RunStarter }) {
  const userId = useUserId();
  const id = run.schedule_id ?? run.webhook_id ?? run.row_start_id ?? run.started_by_run_id ??
    run.started_by_public_key ??
    run.started_by;
  return <span title={id ?? undefined}>by {describeStarter(run, userId)}</span>;
}
