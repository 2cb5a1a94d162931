import type { Sql } from '../../dev/stack/postgres/postgres.ts';

/** A filling of the queue: the queued runs of these owners, and the runs that workers hold. */
interface QueueFilling {
  queued: number;
  owners: number;
  held: number;
}

/** Stores runs as starts and claims would. */
export const storeQueue = (sql: Sql, { queued, owners, held }: QueueFilling) =>
  sql`
    with owner as materialized (
      select row_number() over () as number, gen_random_uuid() as id from generate_series(1, ${owners}::integer)
    ),
    made as materialized (
      select i, i <= ${held} as is_held, private.uuid_v7() as id, owner.id as user_id
      from generate_series(1, ${held + queued}::integer) as i join owner on owner.number = i % ${owners}::integer + 1
    ),
    run as (
      insert into public.flow_run (id, user_id, flow_id, status, inputs, start_time, chain_network)
      select id, user_id, 1, case when is_held then 'running' else 'queued' end, '{"M": {}}', case when is_held then now() end,
        '{"cluster": "devnet"}'
      from made
    )
    insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings, state, due_at, turn)
    select id, user_id, (select hash from private.flow_snapshots limit 1), '{"chain_network": {"url": "http://127.0.0.1:9"}}',
      case when is_held then 'held' else 'ready' end::private.job_state, case when is_held then now() + interval '1 hour' end,
      now() + i * interval '1 microsecond'
    from made`;
