import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { useUserId } from '../../session/use_user_id.ts';

/** The columns of a run that name its starter. */
export interface RunStarter {
  schedule_id: string | null;
  webhook_id: string | null;
  row_start_id: string | null;
  started_by: string | null;
  started_by_public_key: string | null;
  started_by_run_id: string | null;
  /** The confirmed address of the user who started the run. Absent if it was not read. */
  started_by_email?: string | null;
}

/** Names a person: you, an e-mail address, or a guest. A guest has only a public key, or no address. */
function describePerson(run: RunStarter, userId: string): string {
  if (run.started_by === userId) return 'you';
  if (run.started_by_public_key !== null) return 'a guest';
  if (run.started_by === null) return 'a deleted user';
  return run.started_by_email === undefined ? 'another user' : run.started_by_email ?? 'a guest';
}

/** The starter of a run: a person, or a link to the schedule, the webhooks or the run that started it. */
export function StartedBy({ run }: { run: RunStarter }) {
  const userId = useUserId();
  const { schedule_id, webhook_id, row_start_id, started_by_run_id: runId, started_by_public_key: key } = run;
  const linkTo = (href: string, name: string) => <Anchor component={Link} href={href} inherit>{name}</Anchor>;
  if (schedule_id !== null) return <span>by {linkTo(`/schedules/${schedule_id}`, 'a schedule')}</span>;
  if (webhook_id !== null) return <span>by {linkTo('/settings', 'a webhook')}</span>;
  if (row_start_id !== null) return <span>by {linkTo('/schedules', 'a change of a row')}</span>;
  if (runId !== null) return <span>by {linkTo(`/runs/${runId}`, 'a flow')}</span>;
  return <span className='console-text' title={key ?? undefined}>by {describePerson(run, userId)}</span>;
}
