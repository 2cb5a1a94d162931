import { connect } from '../../dev/stack/postgres/postgres.ts';
import type { StackStatus } from '../../platform/local_stack/running_stacks.ts';
import type { Owner } from './installation.ts';

/** The changes that bring a queued run of 0.3.0 into a state that a user can't bring about. $1 is the run. */
const STATES = {
  lost: `update private.flow_run_jobs set is_held = true, claim_number = 1 where flow_run_id = $1`,
  // The lease ends during the upgrade.
  held: `
    with job as (update private.flow_run_jobs set is_held = true, claim_number = 1 where flow_run_id = $1 returning message_id)
    update pgmq.q_flow_runs set vt = clock_timestamp() + interval '1 second' from job where msg_id = job.message_id`,
  released: `update private.flow_run_jobs set claim_number = 1 where flow_run_id = $1`,
  'asleep until now':
    `update private.flow_run_jobs set claim_number = 1, sleeps_until = clock_timestamp() where flow_run_id = $1`,
  'without a message': `
    delete from pgmq.q_flow_runs where msg_id = (select message_id from private.flow_run_jobs where flow_run_id = $1)`,
};

/**
 * Starts a run for each state of the queue of 0.3.0, without waking a worker. Returns the ids of the runs. The last
 * release with this queue is 0.3.0, so delete this file after the next release.
 */
export async function fillOldQueue(
  status: StackStatus,
  { db }: Owner,
  deploymentId: string,
): Promise<Map<string, string>> {
  const runs = new Map<string, string>();
  for (const state of Object.keys(STATES)) {
    const { data } = await db.rpc('start_deployment', { id: deploymentId, inputs: { value: { S: state } } })
      .throwOnError();
    runs.set(state, (data as { flow_run_id: string }).flow_run_id);
  }
  const sql = connect(status.DB_URL, { max: 1 });
  try {
    // One transaction, so that no worker claims a run before its state is complete.
    await sql.begin(async (tx) => {
      for (const [state, change] of Object.entries(STATES)) {
        const id = runs.get(state)!;
        if (state !== 'without a message') {
          await tx`update public.flow_run set status = 'running', start_time = created_at where id = ${id}`;
        }
        await tx.unsafe(change, [id]);
      }
    });
  } finally {
    await sql.end();
  }
  return runs;
}
