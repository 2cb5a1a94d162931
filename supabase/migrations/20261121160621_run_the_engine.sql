SET local check_function_bodies = off;

DROP FUNCTION "private"."checkpoint_flow_run"(uuid, bigint, integer, integer, jsonb, jsonb);

DROP FUNCTION "private"."claim_flow_runs"(integer, integer, text[]);

DROP FUNCTION "private"."finish_flow_run"(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb);

DROP FUNCTION "private"."heartbeat_flow_runs"(jsonb, integer);

DROP FUNCTION "private"."store_progress"(uuid, integer, jsonb, jsonb);

DROP FUNCTION "public"."checkpoint_flow_run"(uuid, bigint, integer, integer, jsonb, jsonb);

DROP FUNCTION "public"."claim_flow_runs"(integer, integer, text[]);

DROP FUNCTION "public"."finish_flow_run"(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb);

DROP FUNCTION "public"."heartbeat_flow_runs"(jsonb, integer);

CREATE SEQUENCE "private"."flow_run_turn" AS bigint INCREMENT BY 1 MINVALUE 0 MAXVALUE 9223372036854775807 START WITH 0 CACHE 1 NO CYCLE;

CREATE TABLE "private"."kv_usage" (
  "user_id"     uuid    NOT NULL,
  "store_count" integer NOT NULL DEFAULT 0,
  "item_bytes"  bigint  NOT NULL DEFAULT 0,
  CONSTRAINT "kv_usage_natural" CHECK (((store_count >= 0) AND (item_bytes >= 0))),
  CONSTRAINT "kv_usage_pkey" PRIMARY KEY (user_id)
);

CREATE TABLE "public"."kv_items" (
  "user_id"    uuid                     NOT NULL,
  "store"      text                     NOT NULL,
  "key"        text                     NOT NULL,
  "value"      jsonb                    NOT NULL,
  "size_bytes" integer                  GENERATED ALWAYS AS ((octet_length(key) + octet_length((VALUE)::text))) STORED NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "kv_items_key_length" CHECK (((octet_length(key) >= 1) AND (octet_length(key) <= 1024))),
  CONSTRAINT "kv_items_pkey" PRIMARY KEY (user_id, store, key)
);

ALTER TABLE "public"."kv_items"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."kv_items" FROM "anon";

CREATE TABLE "public"."kv_stores" (
  "user_id"    uuid                     NOT NULL,
  "name"       text                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "kv_stores_name_form" CHECK ((name ~ '^[A-Za-z][A-Za-z0-9_-]{0,119}$'::text)),
  CONSTRAINT "kv_stores_pkey" PRIMARY KEY (user_id, name)
);

ALTER TABLE "public"."kv_stores"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."kv_stores" FROM "anon";

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "user_id" uuid;

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "message_id" bigint;

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "turn" bigint NOT NULL DEFAULT 0;

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "is_held" boolean NOT NULL DEFAULT false;

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "lost_claim_count" integer NOT NULL DEFAULT 0;

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "work_ms" bigint NOT NULL DEFAULT 0;

-- Written by hand, as user_id above without its NOT NULL: the rows of before.
UPDATE private.flow_run_jobs AS j SET user_id = r.user_id FROM public.flow_run AS r WHERE r.id = j.flow_run_id;

ALTER TABLE "private"."flow_run_jobs"
  ALTER COLUMN "user_id" SET NOT NULL;

-- Each run that has not ended keeps its message, or gets one, and its place among its owner's. One that a worker has counts as held:
-- that worker, which knows the former functions only, is lost.
UPDATE private.flow_run_jobs AS j
SET
  message_id = coalesce(pending.message_id, (SELECT m FROM pgmq.send('flow_runs', jsonb_build_object('flow_run_id', j.flow_run_id)) AS m)),
  turn = pending.turn,
  is_held = pending.status = 'running'
FROM (
  SELECT r.id, r.status, row_number() OVER (PARTITION BY r.user_id ORDER BY r.id) - 1 AS turn, queued.message_id
  FROM public.flow_run AS r
  LEFT JOIN (
    SELECT m.message ->> 'flow_run_id' AS flow_run_id, min(m.msg_id) AS message_id FROM pgmq.q_flow_runs AS m GROUP BY 1
  ) AS queued ON queued.flow_run_id = r.id::text
  WHERE r.end_time IS NULL
) AS pending
WHERE pending.id = j.flow_run_id;

-- Claims passed over messages of runs that had ended or were deleted, and left them to the sweep; now there are none.
DELETE FROM pgmq.q_flow_runs AS m WHERE NOT EXISTS (SELECT FROM private.flow_run_jobs AS j WHERE j.message_id = m.msg_id);
-- End of what is written by hand.

CREATE OR REPLACE FUNCTION private.add_kv_usage (
  user_id uuid,
  stores  bigint,
  bytes   bigint
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_usage private.kv_usage;
begin
  if add_kv_usage.stores <= 0 and add_kv_usage.bytes <= 0 then
    -- Nothing to find is right: with the user, this row goes before the last items or after them.
    update private.kv_usage as u
    set store_count = u.store_count + add_kv_usage.stores, item_bytes = u.item_bytes + add_kv_usage.bytes
    where u.user_id = add_kv_usage.user_id;
    return;
  end if;
  insert into private.kv_usage as u (user_id, store_count, item_bytes)
  values (add_kv_usage.user_id, add_kv_usage.stores, add_kv_usage.bytes)
  on conflict on constraint kv_usage_pkey do update
  set store_count = u.store_count + excluded.store_count, item_bytes = u.item_bytes + excluded.item_bytes
  returning u.* into v_usage;
  if add_kv_usage.stores > 0 and v_usage.store_count > 100 then
    perform private.fail(409, 'kv_stores_limit', 'A user has 100 key-value stores at most.', hint => 'Delete one that is not needed any more.');
  end if;
  if add_kv_usage.bytes > 0 and v_usage.item_bytes > 104857600 then
    perform private.fail(413, 'kv_size_limit', 'The key-value stores of a user hold 100 MiB at most, keys and values as text.',
      jsonb_build_object('size_bytes', v_usage.item_bytes), 'Delete a store that is not needed any more, or write smaller values.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_runner_schedule()
  RETURNS TABLE (
    item  text,
    is_ok boolean,
    note  text
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_has_cron boolean := to_regprocedure('cron.schedule(text,text,text)') is not null;
  v_name text;
  v_waited numeric := private.runner_metrics() ->> 'oldest_queued_seconds';
begin
  return query values
    ('extension pg_cron', v_has_cron, 'runs the jobs; create extension pg_cron'),
    ('extension pg_net', to_regproc('net.http_post') is not null, 'sends the pokes; create extension pg_net'),
    ('secret project_url', private.runner_secret('project_url') is not null,
      'the project''s address; select vault.create_secret(''https://….supabase.co'', ''project_url'')'),
    ('secret runner_key', private.runner_secret('runner_key') is not null,
      'the project''s secret key; select vault.create_secret(''sb_secret_…'', ''runner_key'')');

  for v_name in select j.name from private.runner_jobs(null) as j loop
    item := 'job ' || v_name;
    is_ok := null;
    if v_has_cron then
      execute $query$
        select j.active and r.status is distinct from 'failed',
          format('%s: %s; last run: %s', j.schedule, j.command,
            coalesce(nullif(concat_ws(', ', r.start_time, r.status, r.return_message), ''), 'none'))
        from cron.job as j
        left join lateral (
          select d.start_time, d.status, d.return_message from cron.job_run_details as d
          where d.jobid = j.jobid order by d.runid desc limit 1
        ) as r on true
        where j.jobname = $1
      $query$ into is_ok, note using v_name;
    end if;
    if is_ok is null then
      is_ok := false;
      note := 'is not scheduled; select * from private.schedule_runner()';
    end if;
    return next;
  end loop;

  return query select 'queue', coalesce(v_waited < 60, true),
    case
      when v_waited is null then 'no run waits for a worker'
      else format('a run has waited %s s for a worker; answers to pokes: select * from net._http_response order by id desc', v_waited)
    end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_sweep (
  max_age  interval,
  max_runs integer
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if check_sweep.max_age < interval '24 hours' then
    perform private.fail(400, 'request_invalid', 'max_age: takes at least 24 hours, for which a repeated start finds its run again.');
  end if;
  if check_sweep.max_runs is null or check_sweep.max_runs not between 1 and 10000 then
    perform private.fail(400, 'request_invalid', 'max_runs: takes an integer from 1 to 10000.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.checkpoint_flow_run (
  flow_run_id       uuid,
  attempt           integer,
  lease_seconds     integer,
  progress          jsonb,
  hand_back_seconds integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_message_id bigint;
begin
  perform private.store_progress(checkpoint_flow_run.flow_run_id, checkpoint_flow_run.attempt, checkpoint_flow_run.progress);
  -- What was given back stays so, whatever of the claim arrives late.
  update private.flow_run_jobs as j
  set
    is_held = checkpoint_flow_run.hand_back_seconds is null,
    turn = case
      when checkpoint_flow_run.hand_back_seconds is null then j.turn
      -- Whoever came meanwhile goes first, of the same owner too: many runs in slices are one owner's turn, as new ones are.
      else greatest(private.next_turn(j.user_id), (select t.last_value + 1 from private.flow_run_turn as t))
    end
  where j.flow_run_id = checkpoint_flow_run.flow_run_id and j.is_held
  returning j.message_id into v_message_id;
  perform pgmq.set_vt('flow_runs', v_message_id, coalesce(checkpoint_flow_run.hand_back_seconds, checkpoint_flow_run.lease_seconds));
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_flow_runs (
  max_runs        integer,
  lease_seconds   integer,
  known_snapshots text[],
  max_lost_claims integer
)
  RETURNS TABLE (
    flow_run_id      uuid,
    attempt          integer,
    lost_claim_count integer,
    flow_id          integer,
    user_id          uuid,
    started_by       text,
    inputs           jsonb,
    settings         jsonb,
    snapshot_hash    text,
    snapshot         text,
    work_ms          bigint,
    stop             jsonb
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_ids uuid[];
  v_lost_id uuid;
  v_lost_claim_count integer;
begin
  -- Idle workers neither wait for each other nor look at runs that are due later.
  if not private.has_queued_run() then
    return;
  end if;
  -- One claim at a time: each sees what the others left, and none comes back empty-handed while there is work.
  perform pg_advisory_xact_lock(hashtext('private.claim_flow_runs'));
  loop
    select array_agg(p.flow_run_id) filter (where (p.lost_claim_count > claim_flow_runs.max_lost_claims) is not true),
      (array_agg(p.flow_run_id order by p.lost_claim_count desc) filter (where p.lost_claim_count > claim_flow_runs.max_lost_claims))[1],
      max(p.lost_claim_count)
    into v_run_ids, v_lost_id, v_lost_claim_count
    from private.pick_flow_runs(claim_flow_runs.max_runs) as p;
    exit when v_lost_id is null;
    perform private.end_flow_run(v_lost_id, 'failed', null, array[format(
      'worker_lost: %s workers in a row were lost while they executed this run', v_lost_claim_count
    )], null);
  end loop;
  if v_run_ids is null then
    return;
  end if;

  update public.flow_run as r
  set status = 'running', start_time = coalesce(r.start_time, clock_timestamp())
  where r.id = any (v_run_ids) and r.status <> 'running';
  update private.flow_run_jobs as j
  set attempt = j.attempt + 1, lost_claim_count = j.lost_claim_count + j.is_held::integer, is_held = true
  where j.flow_run_id = any (v_run_ids);
  perform pgmq.set_vt('flow_runs', j.message_id, claim_flow_runs.lease_seconds)
  from private.flow_run_jobs as j where j.flow_run_id = any (v_run_ids);
  perform setval('private.flow_run_turn', greatest(
    (select t.last_value from private.flow_run_turn as t),
    (select max(j.turn) from private.flow_run_jobs as j where j.flow_run_id = any (v_run_ids))
  ));

  return query
  select
    r.id, j.attempt, j.lost_claim_count, r.flow_id, r.user_id, coalesce(r.started_by::text, r.started_by_public_key), r.inputs,
    jsonb_build_object(
      'output_instructions', r.output_instructions, 'action_identity', r.action_identity, 'action_signer', r.action_signer,
      -- As text: no amount passes through a JavaScript float.
      'fees', (
        select coalesce(jsonb_agg(jsonb_build_array(fee.pair -> 0, fee.pair ->> 1) order by fee.position), '[]')
        from jsonb_array_elements(r.fees) with ordinality as fee (pair, position)
      ),
      'chain_network', r.chain_network || jsonb_build_object('url', j.chain_url)
    ),
    encode(j.snapshot_hash, 'hex'),
    case when encode(j.snapshot_hash, 'hex') = any (claim_flow_runs.known_snapshots) then null else s.data::text end,
    j.work_ms,
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end
  from private.flow_run_jobs as j
  join public.flow_run as r on r.id = j.flow_run_id
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  where j.flow_run_id = any (v_run_ids)
  order by j.turn, j.message_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_flow_run (
  flow_run_id uuid,
  status      text,
  output      jsonb,
  errors      text[],
  not_run     uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_message_id bigint;
begin
  update public.flow_run as r
  set
    status = end_flow_run.status, output = coalesce(end_flow_run.output, '{"M": {}}'), errors = end_flow_run.errors,
    not_run = coalesce(end_flow_run.not_run, private.not_begun_nodes(r, r.id)),
    end_time = clock_timestamp()
  where r.id = end_flow_run.flow_run_id and r.end_time is null;

  -- Children end with the run at the latest; they are left over when it ends before it was taken up again.
  with recursive child as (
    select r.id, r.end_time from public.flow_run as r where r.parent_flow_run_id = end_flow_run.flow_run_id
    union all
    select r.id, r.end_time from child join public.flow_run as r on r.parent_flow_run_id = child.id
  )
  update public.flow_run as r
  set
    status = case end_flow_run.status when 'stopped' then 'stopped' else 'failed' end,
    errors = case end_flow_run.status when 'stopped' then null else array['the run that called this flow has ended'] end,
    output = '{"M": {}}', not_run = private.not_begun_nodes(r, end_flow_run.flow_run_id), end_time = clock_timestamp()
  from child
  where r.id = child.id and child.end_time is null;

  select j.message_id into v_message_id from private.flow_run_jobs as j where j.flow_run_id = end_flow_run.flow_run_id;
  update private.flow_run_jobs as j set message_id = null, is_held = false where j.flow_run_id = end_flow_run.flow_run_id;
  perform pgmq.delete('flow_runs', v_message_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_run (
  run             public.flow_run,
  snapshot_hash   bytea,
  chain_url       text,
  idempotency_key text,
  request         jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_new_id uuid := private.uuid_v7();
  v_run_id uuid := v_new_id;
begin
  if enqueue_run.idempotency_key is not null then
    v_run_id := private.claim_idempotency_key(
      coalesce('user:' || run.started_by, 'key:' || run.started_by_public_key), enqueue_run.idempotency_key, enqueue_run.request, v_new_id
    );
  end if;
  if v_run_id = v_new_id then
    insert into public.flow_run (
      id, user_id, flow_id, deployment_id, started_by, started_by_public_key, inputs,
      output_instructions, action_identity, action_signer, fees, chain_network
    ) values (
      v_run_id, run.user_id, run.flow_id, run.deployment_id, run.started_by, run.started_by_public_key, run.inputs,
      run.output_instructions, run.action_identity, run.action_signer, run.fees, run.chain_network
    );
    insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, chain_url, message_id, turn)
    values (
      v_run_id, run.user_id, enqueue_run.snapshot_hash, enqueue_run.chain_url,
      (select m.message_id from pgmq.send('flow_runs', jsonb_build_object('flow_run_id', v_run_id)) as m (message_id)),
      private.next_turn(run.user_id)
    );
  end if;
  return jsonb_build_object('flow_run_id', v_run_id, 'token', private.run_token(v_run_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.finish_flow_run (
  flow_run_id uuid,
  attempt     integer,
  status      text,
  output      jsonb,
  errors      text[],
  not_run     uuid[],
  progress    jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.store_progress(finish_flow_run.flow_run_id, finish_flow_run.attempt, finish_flow_run.progress);
  perform private.end_flow_run(
    finish_flow_run.flow_run_id, finish_flow_run.status, finish_flow_run.output, finish_flow_run.errors, finish_flow_run.not_run
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_run_history (
  flow_run_id uuid
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with recursive tree as (
    select r.id, r.parent_flow_run_id, r.end_time from public.flow_run as r where r.id = flow_run_history.flow_run_id
    union all
    select r.id, r.parent_flow_run_id, r.end_time from tree join public.flow_run as r on r.parent_flow_run_id = tree.id
  )
  select json_build_object(
    'children', (
      select coalesce(json_agg(json_build_object(
        'id', r.id, 'flow_id', r.flow_id, 'parent_flow_run_id', r.parent_flow_run_id, 'parent_node_id', r.parent_node_id,
        'parent_times', r.parent_times, 'status', r.status, 'start_time', r.start_time, 'end_time', r.end_time,
        'inputs', r.inputs, 'output', r.output, 'errors', r.errors, 'not_run', r.not_run
      )), '[]')
      from tree join public.flow_run as r on r.id = tree.id
      where tree.parent_flow_run_id is not null
    ),
    'node_runs', (
      -- Of a child that has ended its result is enough.
      select coalesce(json_agg(to_jsonb(n) - '{user_id,input}'::text[]), '[]')
      from tree join public.node_run as n on n.flow_run_id = tree.id
      where tree.end_time is null
    ),
    'ended_executions', (
      -- They count against the limit of the tree, though nobody goes through them again.
      select count(*) from tree join public.node_run as n on n.flow_run_id = tree.id where tree.end_time is not null
    ),
    'log_counts', (
      select coalesce(json_object_agg(tree.id, counted.log_count), '{}')
      from tree
      cross join lateral (
        select max(l.log_index) + 1 as log_count from public.flow_run_logs as l where l.flow_run_id = tree.id
      ) as counted
      where counted.log_count is not null
    )
  );
$function$;

CREATE OR REPLACE FUNCTION private.flow_run_result (
  flow_run_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run public.flow_run := private.run_for_caller(flow_run_result.flow_run_id);
begin
  return jsonb_build_object(
    'status', v_run.status, 'output', v_run.output, 'errors', to_jsonb(v_run.errors),
    'is_overdue', v_run.end_time is null and private.has_queued_run(interval '2 seconds')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_queued_run (
  min_age interval DEFAULT '00:00:00'::interval
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(
    (select m.vt from pgmq.q_flow_runs as m order by m.vt limit 1) <= clock_timestamp() - has_queued_run.min_age, false
  );
$function$;

CREATE OR REPLACE FUNCTION private.heartbeat_flow_runs (
  claims        jsonb,
  lease_seconds integer
)
  RETURNS TABLE (
    flow_run_id uuid,
    is_lost     boolean,
    stop        jsonb
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Jobs are locked, so that a run that is being given back stays so; what is locked is being checkpointed, claimed or ended,
  -- which sets its message itself.
  perform pgmq.set_vt('flow_runs', held.message_id, heartbeat_flow_runs.lease_seconds)
  from (
    select j.message_id
    from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, attempt integer)
    join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id and j.attempt = c.attempt
    where j.is_held
    for no key update of j skip locked
  ) as held;

  return query
  select c.flow_run_id, j.attempt is distinct from c.attempt or j.message_id is null,
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end
  from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, attempt integer)
  left join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id
  where j.attempt is distinct from c.attempt or j.message_id is null or j.stop_requested_at is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hold_flow_run (
  flow_run_id uuid,
  attempt     integer
)
  RETURNS public.flow_run
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run public.flow_run;
  v_attempt integer;
begin
  -- The run before its job, as claims and stops lock them.
  select r.* into v_run
  from public.flow_run as r
  where r.id = hold_flow_run.flow_run_id and r.end_time is null
  for no key update;
  select j.attempt into v_attempt from private.flow_run_jobs as j where j.flow_run_id = hold_flow_run.flow_run_id;
  if v_run.id is null or v_attempt is distinct from hold_flow_run.attempt then
    perform private.fail(409, 'claim_lost', 'This claim of the run is over: the run has ended, is deleted, or was claimed again.');
  end if;
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hold_run_and_owner (
  claim jsonb
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_id constant uuid := hold_run_and_owner.claim ->> 'flow_run_id';
begin
  -- The owner before the run, as the deletion of a user takes them: neither then waits for the other.
  perform from auth.users as u join public.flow_run as r on r.user_id = u.id where r.id = v_run_id for key share of u;
  return (private.hold_flow_run(v_run_id, (hold_run_and_owner.claim ->> 'attempt')::integer)).user_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.keep_effect (
  effect jsonb,
  output jsonb
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.node_run as n
  set output = keep_effect.output
  where n.flow_run_id = (keep_effect.effect ->> 'flow_run_id')::uuid and n.node_id = (keep_effect.effect ->> 'node_id')::uuid
    and n.times = (keep_effect.effect ->> 'times')::integer;
$function$;

CREATE OR REPLACE FUNCTION private.kv_create_store (
  claim  jsonb,
  effect jsonb,
  store  text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id constant uuid := private.hold_run_and_owner(kv_create_store.claim);
begin
  if private.lock_effect(kv_create_store.effect, v_user_id) is not null then
    return;
  end if;
  begin
    insert into public.kv_stores (user_id, name) values (v_user_id, kv_create_store.store) on conflict do nothing;
  exception when check_violation then
    perform private.fail(400, 'kv_store_name_invalid',
      'The name of a store takes 1 to 120 letters, digits, _ and -, a letter first.');
  end;
  if not found then
    perform private.fail(409, 'kv_store_exists', format('There is a store %s already.', to_jsonb(kv_create_store.store)));
  end if;
  perform private.keep_effect(kv_create_store.effect, '{"M": {}}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.kv_delete_store (
  claim  jsonb,
  effect jsonb,
  store  text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id constant uuid := private.hold_run_and_owner(kv_delete_store.claim);
begin
  if private.lock_effect(kv_delete_store.effect, v_user_id) is not null then
    return;
  end if;
  -- Writers of one user take turns, so that none waits for a row while another waits for this one.
  perform from private.kv_usage as u where u.user_id = v_user_id for no key update;
  delete from public.kv_stores as s where s.user_id = v_user_id and s.name = kv_delete_store.store;
  if not found then
    perform private.kv_store_missing(kv_delete_store.store);
  end if;
  perform private.keep_effect(kv_delete_store.effect, '{"M": {}}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.kv_read_item (
  claim jsonb,
  store text,
  key   text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id constant uuid := (private.hold_flow_run(
    (kv_read_item.claim ->> 'flow_run_id')::uuid, (kv_read_item.claim ->> 'attempt')::integer
  )).user_id;
  v_value jsonb;
begin
  if not exists (select from public.kv_stores as s where s.user_id = v_user_id and s.name = kv_read_item.store) then
    perform private.kv_store_missing(kv_read_item.store);
  end if;
  select i.value into v_value
  from public.kv_items as i
  where i.user_id = v_user_id and i.store = kv_read_item.store and i.key = kv_read_item.key;
  return v_value;
end;
$function$;

CREATE OR REPLACE FUNCTION private.kv_store_missing (
  store text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.fail(404, 'kv_store_not_found', format('There is no store %s.', to_jsonb(kv_store_missing.store)));
$function$;

CREATE OR REPLACE FUNCTION private.kv_write_item (
  claim  jsonb,
  effect jsonb,
  store  text,
  key    text,
  value  jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id constant uuid := private.hold_run_and_owner(kv_write_item.claim);
  v_output jsonb := private.lock_effect(kv_write_item.effect, v_user_id);
  v_bad text;
  v_old_value jsonb;
begin
  if v_output is not null then
    return v_output #> '{M,old_value}';
  end if;
  v_bad := private.bad_value(kv_write_item.value, 'value', 64);
  if v_bad is not null then
    perform private.fail(400, 'kv_value_invalid', v_bad);
  end if;

  -- Writers of one user take turns: what is read here is what is replaced.
  perform from private.kv_usage as u where u.user_id = v_user_id for no key update;
  if not exists (select from public.kv_stores as s where s.user_id = v_user_id and s.name = kv_write_item.store) then
    perform private.kv_store_missing(kv_write_item.store);
  end if;
  select i.value into v_old_value
  from public.kv_items as i
  where i.user_id = v_user_id and i.store = kv_write_item.store and i.key = kv_write_item.key;
  begin
    insert into public.kv_items (user_id, store, key, value)
    values (v_user_id, kv_write_item.store, kv_write_item.key, kv_write_item.value)
    on conflict on constraint kv_items_pkey do update set value = excluded.value;
  exception when check_violation then
    perform private.fail(400, 'kv_key_invalid', 'A key takes 1 to 1024 bytes.');
  end;

  perform private.keep_effect(kv_write_item.effect, jsonb_build_object(
    'M', case when v_old_value is null then '{}' else jsonb_build_object('old_value', v_old_value) end
  ));
  return v_old_value;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_effect (
  effect  jsonb,
  user_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_output jsonb;
begin
  select n.output into v_output
  from public.node_run as n
  where n.flow_run_id = (lock_effect.effect ->> 'flow_run_id')::uuid and n.node_id = (lock_effect.effect ->> 'node_id')::uuid
    and n.times = (lock_effect.effect ->> 'times')::integer and n.user_id = lock_effect.user_id
  for no key update;
  if not found then
    perform private.fail(500, 'internal', 'The node run of this change is not stored.');
  end if;
  return v_output;
end;
$function$;

CREATE OR REPLACE FUNCTION private.next_turn (
  user_id uuid
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select greatest(
    (select t.last_value from private.flow_run_turn as t),
    (select max(j.turn) + 1 from private.flow_run_jobs as j where j.user_id = next_turn.user_id and j.message_id is not null)
  );
$function$;

CREATE OR REPLACE FUNCTION private.not_begun_nodes (
  run         public.flow_run,
  root_run_id uuid
)
  RETURNS uuid[]
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(array_agg((n.node ->> 'id')::uuid order by n.position), '{}')
  from private.flow_run_jobs as j
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  cross join lateral jsonb_array_elements(
    case
      when not_begun_nodes.run.id = not_begun_nodes.root_run_id then s.data #> '{entry,nodes}'
      else s.data #> array['flows', not_begun_nodes.run.flow_id::text, 'nodes']
    end
  ) with ordinality as n (node, position)
  where j.flow_run_id = not_begun_nodes.root_run_id and n.node #>> '{data,type}' <> 'mock'
    and not exists (
      select from public.node_run as r where r.flow_run_id = not_begun_nodes.run.id and r.node_id = (n.node ->> 'id')::uuid
    );
$function$;

CREATE OR REPLACE FUNCTION private.pick_flow_runs (
  max_runs integer
)
  RETURNS TABLE (
    flow_run_id      uuid,
    lost_claim_count integer
  )
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with free as (
    select j.flow_run_id, j.turn, j.message_id, j.lost_claim_count + j.is_held::integer as lost_claim_count
    from private.flow_run_jobs as j
    join pgmq.q_flow_runs as m on m.msg_id = j.message_id
    join public.flow_run as r on r.id = j.flow_run_id
    where j.message_id is not null and m.vt <= clock_timestamp()
    order by j.turn, j.message_id
    limit pick_flow_runs.max_runs
    -- All three rows: what an older claim, a stop or a heartbeat has just changed is looked at anew, and whom one of them is
    -- changing now is no worker's to take over.
    for no key update skip locked
  ),
  candidate as (
    select free.flow_run_id, free.lost_claim_count, row_number() over (order by free.turn, free.message_id) as place from free
  )
  -- A run that lost two workers may be what ended them: it goes alone, so that it takes no others along.
  select candidate.flow_run_id, candidate.lost_claim_count
  from candidate
  where candidate.place = 1 or (candidate.lost_claim_count < 2 and (
    select first.lost_claim_count < 2 from candidate as first where first.place = 1
  ));
$function$;

CREATE OR REPLACE FUNCTION private.poke_runner()
  RETURNS text
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_url text;
  v_key text;
  v_request_id bigint;
begin
  -- An idle project makes no calls.
  if not private.has_queued_run() then
    return 'nothing is queued';
  end if;
  if to_regproc('net.http_post') is null then
    return 'pg_net is not installed';
  end if;
  v_url := private.runner_secret('project_url');
  v_key := private.runner_secret('runner_key');
  if v_url is null or v_key is null then
    return 'Vault lacks the secret project_url or runner_key';
  end if;
  execute 'select net.http_post(url => $1, headers => $2, timeout_milliseconds => 5000)'
  into v_request_id
  using rtrim(v_url, '/') || '/functions/v1/runner', jsonb_build_object('apikey', v_key);
  return format('request %s is sent', v_request_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.root_run_id (
  flow_run_id uuid
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with recursive ancestor as (
    select r.id, r.parent_flow_run_id from public.flow_run as r where r.id = root_run_id.flow_run_id
    union all
    select r.id, r.parent_flow_run_id from ancestor join public.flow_run as r on r.id = ancestor.parent_flow_run_id
  )
  select ancestor.id from ancestor where ancestor.parent_flow_run_id is null;
$function$;

CREATE OR REPLACE FUNCTION private.runner_jobs (
  max_age interval
)
  RETURNS TABLE (
    name     text,
    schedule text,
    command  text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  values
    ('flow_runner_poke', '10 seconds', 'select private.poke_runner()'),
    -- A job is one transaction, which deletes a bounded number of rows: so often, 288 000 runs a day.
    ('flow_runner_sweep', '*/5 * * * *', format('select private.sweep_runner(max_age => %L::interval)', runner_jobs.max_age)),
    -- pg_cron itself keeps what it has run for ever.
    ('flow_runner_history', '17 3 * * *', 'delete from cron.job_run_details as d using cron.job as j '
      'where j.jobid = d.jobid and j.jobname in (''flow_runner_poke'', ''flow_runner_sweep'', ''flow_runner_history'') '
      'and d.end_time < now() - interval ''1 day''');
$function$;

CREATE OR REPLACE FUNCTION private.runner_metrics()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- The time as a sub-select: a volatile function in a condition would keep the indexes from being used.
  with queue as (
    select count(*) as length, (select clock_timestamp()) - min(m.vt) as age
    from pgmq.q_flow_runs as m
    where m.vt <= (select clock_timestamp())
  ),
  hidden as (
    select count(*) filter (where j.is_held) as running,
      count(*) filter (where not j.is_held and r.status <> 'waiting') as delayed
    from pgmq.q_flow_runs as m
    join private.flow_run_jobs as j on j.message_id = m.msg_id
    join public.flow_run as r on r.id = j.flow_run_id
    where m.vt > (select clock_timestamp())
  )
  select jsonb_build_object(
    'queue_length', queue.length,
    'oldest_queued_seconds', round(extract(epoch from queue.age), 3),
    'delayed', hidden.delayed,
    'running', hidden.running,
    'waiting', (
      select count(*) from public.flow_run as r
      where r.end_time is null and r.parent_flow_run_id is null and r.status = 'waiting'
    ),
    'failed_last_hour', (
      select count(*) from public.flow_run as r
      where r.end_time > (select clock_timestamp()) - interval '1 hour'
        -- As the index has it: what has failed has errors.
        and r.parent_flow_run_id is null and r.errors is not null and r.status = 'failed'
    )
  )
  from queue cross join hidden;
$function$;

CREATE OR REPLACE FUNCTION private.runner_secret (
  name text
)
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  v_secret text;
begin
  if to_regclass('vault.decrypted_secrets') is not null then
    execute 'select s.decrypted_secret from vault.decrypted_secrets as s where s.name = $1' into v_secret using runner_secret.name;
  end if;
  return nullif(v_secret, '');
end;
$function$;

CREATE OR REPLACE FUNCTION private.schedule_runner (
  max_age interval DEFAULT '30 days'::interval
)
  RETURNS TABLE (
    item  text,
    is_ok boolean,
    note  text
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_job record;
begin
  perform private.check_sweep(schedule_runner.max_age, 1);
  if to_regprocedure('cron.schedule(text,text,text)') is not null then
    for v_job in select * from private.runner_jobs(schedule_runner.max_age) loop
      execute 'select cron.schedule($1, $2, $3)' using v_job.name, v_job.schedule, v_job.command;
    end loop;
  end if;
  return query select c.* from private.check_runner_schedule() as c;
end;
$function$;

CREATE OR REPLACE FUNCTION private.stop_flow_run (
  flow_run_id     uuid,
  reason          text,
  timeout_millies integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_id uuid := private.root_run_id((private.run_for_caller(stop_flow_run.flow_run_id)).id);
  v_job private.flow_run_jobs;
begin
  if stop_flow_run.timeout_millies not between 0 and 300000 then
    perform private.fail(400, 'request_invalid', 'timeout_millies: takes an integer from 0 to 300000.');
  end if;
  if char_length(stop_flow_run.reason) > 1000 then
    perform private.fail(400, 'request_invalid', 'reason: takes at most 1000 characters.');
  end if;
  -- The lock that claims take too, and first: a run is either not begun yet, or its worker gets to know.
  perform from public.flow_run as r where r.id = v_run_id for no key update;
  select j.* into v_job from private.flow_run_jobs as j where j.flow_run_id = v_run_id;
  if v_job.message_id is null then
    return;
  elsif v_job.attempt = 0 then
    perform private.end_flow_run(v_run_id, 'stopped', null, null, null);
  else
    update private.flow_run_jobs as j
    set stop_requested_at = clock_timestamp(), stop_reason = stop_flow_run.reason, stop_timeout_millies = stop_flow_run.timeout_millies
    where j.flow_run_id = v_run_id and j.stop_requested_at is null;
    if not v_job.is_held then
      -- Nobody has it now, and it may wait for a time to come.
      perform pgmq.set_vt('flow_runs', v_job.message_id, 0);
    end if;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.store_child_runs (
  run      public.flow_run,
  children jsonb
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into public.flow_run as r (
    id, user_id, flow_id, status, started_by, started_by_public_key, inputs, output, errors, not_run, start_time, end_time,
    parent_flow_run_id, parent_node_id, parent_times, chain_network
  )
  select
    c.id, run.user_id, c.flow_id, c.status, run.started_by, run.started_by_public_key, c.inputs, c.output, c.errors, c.not_run,
    c.start_time, c.end_time, c.parent_flow_run_id, c.parent_node_id, c.parent_times, run.chain_network
  from jsonb_to_recordset(store_child_runs.children) as c (
    id uuid, flow_id integer, status text, inputs jsonb, output jsonb, errors text[], not_run uuid[], start_time timestamptz,
    end_time timestamptz, parent_flow_run_id uuid, parent_node_id uuid, parent_times integer
  )
  on conflict on constraint flow_run_pkey do update
  set status = excluded.status, output = excluded.output, errors = excluded.errors, not_run = excluded.not_run, end_time = excluded.end_time
  -- A request that was held up takes nothing back.
  where r.end_time is null;
$function$;

CREATE OR REPLACE FUNCTION private.store_progress (
  flow_run_id uuid,
  attempt     integer,
  progress    jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run public.flow_run := private.hold_flow_run(store_progress.flow_run_id, store_progress.attempt);
begin
  if store_progress.progress -> 'children' <> '[]' then
    perform private.store_child_runs(v_run, store_progress.progress -> 'children');
  end if;

  if store_progress.progress -> 'node_runs' <> '[]' then
    insert into public.node_run as n (flow_run_id, node_id, times, user_id, start_time, end_time, input, output, errors)
    select p.flow_run_id, p.node_id, p.times, v_run.user_id, p.start_time, p.end_time, p.input, p.output, p.errors
    from jsonb_to_recordset(store_progress.progress -> 'node_runs') as p (
      flow_run_id uuid, node_id uuid, times integer, start_time timestamptz, end_time timestamptz, input jsonb, output jsonb, errors text[]
    )
    on conflict on constraint node_run_pkey do update
    set end_time = excluded.end_time, output = excluded.output, errors = excluded.errors
    -- A request that was held up takes nothing back, nor does the news that a node has begun.
    where n.end_time is null and excluded.end_time is not null;
  end if;

  if store_progress.progress -> 'logs' <> '[]' then
    insert into public.flow_run_logs (flow_run_id, log_index, user_id, node_id, times, time, log_level, module, content)
    select l.flow_run_id, l.log_index, v_run.user_id, l.node_id, l.times, l.time, l.log_level, l.module, l.content
    from jsonb_to_recordset(store_progress.progress -> 'logs') as l (
      flow_run_id uuid, log_index integer, node_id uuid, times integer, time timestamptz, log_level text, module text, content text
    )
    on conflict on constraint flow_run_logs_pkey do nothing;
  end if;

  update private.flow_run_jobs as j
  set
    work_ms = greatest(j.work_ms, (store_progress.progress ->> 'work_ms')::bigint),
    -- It gets somewhere: whatever ended the workers before, it is not what they were doing.
    lost_claim_count = case
      when jsonb_path_exists(store_progress.progress, '$.node_runs[*].end_time ? (@ != null)') then 0 else j.lost_claim_count
    end
  where j.flow_run_id = store_progress.flow_run_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.sweep_runner (
  max_age  interval DEFAULT '30 days'::interval,
  max_runs integer  DEFAULT 1000
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  v_runs bigint;
  v_keys bigint;
  v_messages bigint;
  v_snapshots bigint;
  v_hashes bytea[];
begin
  perform private.check_sweep(sweep_runner.max_age, sweep_runner.max_runs);

  -- Whatever a transaction under way has locked is left for the next sweep, so that nobody waits for a sweep that waits. `offset 0`
  -- keeps `not exists` a look at an index for each row; a join would read all of it.
  delete from public.flow_run as r
  where r.id = any (array(
    select old.id from public.flow_run as old
    where old.parent_flow_run_id is null and old.end_time < now() - sweep_runner.max_age
    order by old.end_time limit sweep_runner.max_runs
    for update skip locked
  ));
  get diagnostics v_runs = row_count;

  delete from private.idempotency_keys as k
  where k.key_hash = any (array(
    select old.key_hash from private.idempotency_keys as old
    where old.created_at < now() - interval '24 hours'
    order by old.created_at limit sweep_runner.max_runs
    for update skip locked
  ));
  get diagnostics v_keys = row_count;

  select count(*) into v_messages
  from unnest(array(
    select m.msg_id from pgmq.q_flow_runs as m
    where not exists (select from private.flow_run_jobs as j where j.message_id = m.msg_id offset 0)
    limit sweep_runner.max_runs
    for update skip locked
  )) as leftover (id)
  where pgmq.delete('flow_runs', leftover.id);

  -- Last, since a start of the same graph waits for it. Two statements: what took a snapshot before it was locked here is seen by
  -- the second, and from then on nobody can take it.
  v_hashes := array(
    select s.hash from private.flow_snapshots as s
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = s.hash offset 0)
      and not exists (select from private.flow_run_jobs as j where j.snapshot_hash = s.hash offset 0)
    limit sweep_runner.max_runs
    for update skip locked
  );
  delete from private.flow_snapshots as s
  where s.hash = any (v_hashes)
    and not exists (select from public.flow_deployments as d where d.snapshot_hash = s.hash offset 0)
    and not exists (select from private.flow_run_jobs as j where j.snapshot_hash = s.hash offset 0);
  get diagnostics v_snapshots = row_count;

  return jsonb_build_object(
    'runs', v_runs, 'idempotency_keys', v_keys, 'messages', v_messages, 'snapshots', v_snapshots,
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_messages, v_snapshots)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_run_jobs__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform pgmq.delete('flow_runs', old.message_id);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_kv_items__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.add_kv_usage(i.user_id, 0, -sum(i.size_bytes)) from deleted as i group by i.user_id order by i.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_kv_items__after_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.add_kv_usage(i.user_id, 0, sum(i.size_bytes)) from inserted as i group by i.user_id order by i.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_kv_items__after_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.add_kv_usage(i.user_id, 0, sum(i.size_bytes))
  from (
    select u.user_id, u.size_bytes from updated as u
    union all
    select f.user_id, -f.size_bytes from former as f
  ) as i
  group by i.user_id order by i.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_kv_stores__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.add_kv_usage(s.user_id, -count(*), 0) from deleted as s group by s.user_id order by s.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_kv_stores__after_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.add_kv_usage(s.user_id, count(*), 0) from inserted as s group by s.user_id order by s.user_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION public.checkpoint_flow_run (
  flow_run_id       uuid,
  attempt           integer,
  lease_seconds     integer,
  progress          jsonb,
  hand_back_seconds integer DEFAULT NULL::integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.checkpoint_flow_run(
    checkpoint_flow_run.flow_run_id, checkpoint_flow_run.attempt, checkpoint_flow_run.lease_seconds, checkpoint_flow_run.progress,
    checkpoint_flow_run.hand_back_seconds
  );
$function$;

REVOKE ALL ON FUNCTION "public"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.claim_flow_runs (
  max_runs        integer,
  lease_seconds   integer,
  known_snapshots text[]  DEFAULT '{}'::text[],
  max_lost_claims integer DEFAULT 5
)
  RETURNS TABLE (
    flow_run_id      uuid,
    attempt          integer,
    lost_claim_count integer,
    flow_id          integer,
    user_id          uuid,
    started_by       text,
    inputs           jsonb,
    settings         jsonb,
    snapshot_hash    text,
    snapshot         text,
    work_ms          bigint,
    stop             jsonb
  )
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select * from private.claim_flow_runs(
    claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.known_snapshots, claim_flow_runs.max_lost_claims
  );
$function$;

REVOKE ALL ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.finish_flow_run (
  flow_run_id uuid,
  attempt     integer,
  status      text,
  output      jsonb,
  errors      text[],
  not_run     uuid[],
  progress    jsonb
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.finish_flow_run(
    finish_flow_run.flow_run_id, finish_flow_run.attempt, finish_flow_run.status,
    finish_flow_run.output, finish_flow_run.errors, finish_flow_run.not_run, finish_flow_run.progress
  );
$function$;

REVOKE ALL ON FUNCTION "public"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.flow_run_history (
  flow_run_id uuid
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.flow_run_history(flow_run_history.flow_run_id);
$function$;

REVOKE ALL ON FUNCTION "public"."flow_run_history"(uuid) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.heartbeat_flow_runs (
  claims        jsonb,
  lease_seconds integer
)
  RETURNS TABLE (
    flow_run_id uuid,
    is_lost     boolean,
    stop        jsonb
  )
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select * from private.heartbeat_flow_runs(heartbeat_flow_runs.claims, heartbeat_flow_runs.lease_seconds);
$function$;

REVOKE ALL ON FUNCTION "public"."heartbeat_flow_runs"(jsonb, integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.kv_create_store (
  claim  jsonb,
  effect jsonb,
  store  text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.kv_create_store(kv_create_store.claim, kv_create_store.effect, kv_create_store.store);
$function$;

REVOKE ALL ON FUNCTION "public"."kv_create_store"(jsonb, jsonb, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.kv_delete_store (
  claim  jsonb,
  effect jsonb,
  store  text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.kv_delete_store(kv_delete_store.claim, kv_delete_store.effect, kv_delete_store.store);
$function$;

REVOKE ALL ON FUNCTION "public"."kv_delete_store"(jsonb, jsonb, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.kv_read_item (
  claim jsonb,
  store text,
  key   text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.kv_read_item(kv_read_item.claim, kv_read_item.store, kv_read_item.key);
$function$;

REVOKE ALL ON FUNCTION "public"."kv_read_item"(jsonb, text, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.kv_write_item (
  claim  jsonb,
  effect jsonb,
  store  text,
  key    text,
  value  jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.kv_write_item(
    kv_write_item.claim, kv_write_item.effect, kv_write_item.store, kv_write_item.key, kv_write_item.value
  );
$function$;

REVOKE ALL ON FUNCTION "public"."kv_write_item"(jsonb, jsonb, text, text, jsonb) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.runner_metrics()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.runner_metrics();
$function$;

REVOKE ALL ON FUNCTION "public"."runner_metrics"() FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.sweep_runner (
  max_age  interval DEFAULT '30 days'::interval,
  max_runs integer  DEFAULT 1000
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.sweep_runner(sweep_runner.max_age, sweep_runner.max_runs);
$function$;

REVOKE ALL ON FUNCTION "public"."sweep_runner"(interval, integer) FROM PUBLIC, "anon", "authenticated";

ALTER TABLE "private"."flow_run_jobs"
  ADD CONSTRAINT "flow_run_jobs_held_while_pending" CHECK (((message_id IS NOT NULL) OR (NOT is_held)));

ALTER TABLE "private"."flow_run_jobs"
  ADD CONSTRAINT "flow_run_jobs_lost_claim_count_natural" CHECK ((lost_claim_count >= 0));

ALTER TABLE "private"."flow_run_jobs"
  ADD CONSTRAINT "flow_run_jobs_work_ms_natural" CHECK ((work_ms >= 0));

ALTER TABLE "private"."kv_usage"
  ADD CONSTRAINT "kv_usage_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."kv_items"
  ADD CONSTRAINT "kv_items_store_fkey" FOREIGN KEY (user_id, store) REFERENCES public.kv_stores(user_id, name) ON DELETE CASCADE;

ALTER TABLE "public"."kv_stores"
  ADD CONSTRAINT "kv_stores_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE UNIQUE INDEX flow_run_jobs_message_id_idx_pending ON private.flow_run_jobs USING btree (message_id)
  WHERE (message_id IS NOT NULL);

CREATE INDEX flow_run_jobs_turn_idx_pending ON private.flow_run_jobs USING btree (turn, message_id)
  WHERE (message_id IS NOT NULL);

CREATE INDEX flow_run_jobs_user_id_idx_pending ON private.flow_run_jobs USING btree (user_id, turn)
  WHERE (message_id IS NOT NULL);

CREATE INDEX flow_run_end_time_idx_root_errors ON public.flow_run USING btree (end_time)
  WHERE ((parent_flow_run_id IS NULL) AND (errors IS NOT NULL));

CREATE INDEX flow_run_end_time_idx_roots ON public.flow_run USING btree (end_time)
  WHERE (parent_flow_run_id IS NULL);

CREATE TRIGGER _500_delete_message
  AFTER DELETE ON private.flow_run_jobs
  FOR EACH ROW
  WHEN ((old.message_id IS NOT NULL))
  EXECUTE FUNCTION private.tg_flow_run_jobs__after_delete();

CREATE TRIGGER _100_count_deleted
  AFTER DELETE ON public.kv_items REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_kv_items__after_delete();

CREATE TRIGGER _100_count_inserted
  AFTER INSERT ON public.kv_items REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_kv_items__after_insert();

CREATE TRIGGER _100_count_updated
  AFTER UPDATE ON public.kv_items REFERENCING OLD TABLE AS former NEW TABLE AS updated
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_kv_items__after_update();

CREATE TRIGGER _200_touch
  BEFORE UPDATE ON public.kv_items
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_any__before_update_touch();

CREATE TRIGGER _100_count_deleted
  AFTER DELETE ON public.kv_stores REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_kv_stores__after_delete();

CREATE TRIGGER _100_count_inserted
  AFTER INSERT ON public.kv_stores REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_kv_stores__after_insert();

CREATE POLICY "kv_items_select_owner" ON "public"."kv_items"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "kv_stores_select_owner" ON "public"."kv_stores"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "private"."flow_run_jobs"."is_held" IS 'A worker claimed the run and has not given it back: when its message is visible all the same, that worker is lost.';

COMMENT ON COLUMN "private"."flow_run_jobs"."lost_claim_count" IS 'Workers lost in a row with this run, since it last got anywhere.';

COMMENT ON COLUMN "private"."flow_run_jobs"."message_id" IS 'Its message in the queue; null once the run has ended.';

COMMENT ON COLUMN "private"."flow_run_jobs"."turn" IS 'Runs are claimed in this order: the start tag of start-time fair queuing, in which each owner''s runs follow one another and owners alternate.';

COMMENT ON COLUMN "private"."flow_run_jobs"."user_id" IS 'The owner of the flow, repeated from flow_run for the order of claims; no foreign key, since the run''s own row carries it.';

COMMENT ON COLUMN "private"."flow_run_jobs"."work_ms" IS 'Milliseconds that claims worked on it, as far as they told.';

COMMENT ON COLUMN "private"."kv_usage"."item_bytes" IS 'The sum of size_bytes of the user''s items.';

COMMENT ON COLUMN "public"."kv_items"."size_bytes" IS 'What the item counts against the user''s limit: the bytes of its key and of its value as text.';

COMMENT ON COLUMN "public"."kv_items"."value" IS 'One value with its tag, such as {"S": "text"}.';

COMMENT ON COLUMN "public"."kv_stores"."name" IS '1 to 120 letters, digits, _ and -, a letter first.';

COMMENT ON FUNCTION "private"."add_kv_usage"(uuid, bigint, bigint) IS 'Adds stores and bytes to what a user has, and refuses what exceeds the limits: 409 kv_stores_limit, 413 kv_size_limit. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."check_runner_schedule"() IS 'What private.schedule_runner needs and has set up, a row each, with what is missing and how to mend it; that the pokes arrive shows in the row "queue". Administrators only.';

COMMENT ON FUNCTION "private"."check_sweep"(interval, integer) IS 'Refuses arguments that a sweep does not take: 400 request_invalid.';

COMMENT ON FUNCTION "private"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) IS 'Does what public.checkpoint_flow_run says. Definer: queue and jobs are private.';

COMMENT ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer) IS 'Does what public.claim_flow_runs says. Definer: queue, jobs and snapshots are private.';

COMMENT ON FUNCTION "private"."end_flow_run"(uuid, text, jsonb, text[], uuid[]) IS 'Ends a root run with its result, and what is left of its children, and takes its message out of the queue. A null not_run is made of the snapshot. Definer: the one place where runs end.';

COMMENT ON FUNCTION "private"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) IS 'Does what public.finish_flow_run says. Definer: nobody else ends runs, and the queue is private.';

COMMENT ON FUNCTION "private"."flow_run_history"(uuid) IS 'Does what public.flow_run_history says. Definer: for the runner, which may read everything of the runs that it claims.';

COMMENT ON FUNCTION "private"."has_queued_run"(interval) IS 'Whether some run has been there to be claimed for at least min_age: a look at the first entry of the queue''s index.';

COMMENT ON FUNCTION "private"."heartbeat_flow_runs"(jsonb, integer) IS 'Does what public.heartbeat_flow_runs says. Definer: queue and jobs are private.';

COMMENT ON FUNCTION "private"."hold_flow_run"(uuid, integer) IS 'Locks a claimed run for what its worker is about to write; 409 claim_lost when the claim is not the newest. Definer: jobs are private.';

COMMENT ON FUNCTION "private"."hold_run_and_owner"(jsonb) IS 'Locks the run of a claim, {flow_run_id, attempt}, for a change of what is its owner''s, and gives the owner; 409 claim_lost when the claim is not the newest. Definer: it locks users.';

COMMENT ON FUNCTION "private"."keep_effect"(jsonb, jsonb) IS 'Stores that a change is made, with what it gave, {"M": {…}}: asked again, lock_effect gives it back. Definer: nobody else writes node runs.';

COMMENT ON FUNCTION "private"."kv_create_store"(jsonb, jsonb, text) IS 'Does what public.kv_create_store says. Definer: only claimed runs write stores.';

COMMENT ON FUNCTION "private"."kv_delete_store"(jsonb, jsonb, text) IS 'Does what public.kv_delete_store says. Definer: only claimed runs write stores.';

COMMENT ON FUNCTION "private"."kv_read_item"(jsonb, text, text) IS 'Does what public.kv_read_item says. Definer, as private.hold_flow_run is.';

COMMENT ON FUNCTION "private"."kv_store_missing"(text) IS 'Raises 404 kv_store_not_found.';

COMMENT ON FUNCTION "private"."kv_write_item"(jsonb, jsonb, text, text, jsonb) IS 'Does what public.kv_write_item says. Definer: only claimed runs write items.';

COMMENT ON FUNCTION "private"."lock_effect"(jsonb, uuid) IS 'Locks the node run that makes a change, {flow_run_id, node_id, times}, and gives the output that the change left when it was made before; null when it is still to be made. Definer: nobody else writes node runs.';

COMMENT ON FUNCTION "private"."next_turn"(uuid) IS 'The turn of an owner''s new run: after the owner''s other pending runs, and not before the queue''s present. Source: P. Goyal, H. M. Vin, H. Cheng, Start-time fair queuing, SIGCOMM 1996. Definer: the jobs are private.';

COMMENT ON FUNCTION "private"."not_begun_nodes"(public.flow_run, uuid) IS 'The nodes of a run''s flow of which no execution is stored, in the flow''s order, for a run of the tree of root_run_id. Definer: jobs and snapshots are private.';

COMMENT ON FUNCTION "private"."pick_flow_runs"(integer) IS 'Locks the runs to claim next, in turn: those whose message is visible. Definer: queue and jobs are private; called under the lock of claim_flow_runs.';

COMMENT ON FUNCTION "private"."poke_runner"() IS 'For pg_cron: when a run is there to be claimed, sends POST functions/v1/runner by pg_net, to the address and with the secret key that Vault holds as project_url and runner_key. Returns what it did, or why it did nothing; the answer to request N is row N of net._http_response.';

COMMENT ON FUNCTION "private"."root_run_id"(uuid) IS 'The run at the root of a run''s tree: itself, unless an interflow node started it. Definer: for callers that were checked before.';

COMMENT ON FUNCTION "private"."runner_jobs"(interval) IS 'The jobs of pg_cron that keep runs going and the tables small, for runs to be kept for max_age.';

COMMENT ON FUNCTION "private"."runner_metrics"() IS 'Does what public.runner_metrics says. Definer: the queue is private.';

COMMENT ON FUNCTION "private"."runner_secret"(text) IS 'A secret of Vault by its name; null where there is none, or no Vault. Administrators only.';

COMMENT ON FUNCTION "private"."schedule_runner"(interval) IS 'Schedules, by pg_cron, pokes of the runner and the sweep that deletes runs max_age after their end (null: never), and returns what private.check_runner_schedule finds. Repeatable: a second call changes the first one''s jobs. 400 request_invalid. Administrators only.';

COMMENT ON FUNCTION "private"."store_child_runs"(public.flow_run, jsonb) IS 'Stores runs that interflow nodes of a run''s tree started; they take owner, starter and network over. Definer: runs are written by functions only.';

COMMENT ON FUNCTION "private"."store_progress"(uuid, integer, jsonb) IS 'Stores what a claimed run has come to, {children, node_runs, logs, work_ms}, replay-safe; 409 claim_lost when the claim is not the newest. Definer: nobody else writes these tables.';

COMMENT ON FUNCTION "private"."sweep_runner"(interval, integer) IS 'Does what public.sweep_runner says. Definer: nobody else deletes runs, and the rest is private.';

COMMENT ON FUNCTION "private"."tg_flow_run_jobs__after_delete"() IS 'Takes the message of a deleted run out of the queue. Definer: whoever deletes flows has no part in the queue.';

COMMENT ON FUNCTION "private"."tg_kv_items__after_delete"() IS 'Counts the bytes of deleted items. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."tg_kv_items__after_insert"() IS 'Counts the bytes of new items, and refuses those that are too many. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."tg_kv_items__after_update"() IS 'Counts what changed items grew or shrank, and refuses those that grew too much. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."tg_kv_stores__after_delete"() IS 'Counts deleted stores. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."tg_kv_stores__after_insert"() IS 'Counts new stores, and refuses one too many. Definer: the usage is private.';

COMMENT ON FUNCTION "public"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) IS 'For the runner: stores what a claimed run has come to, {children, node_runs, logs, work_ms}, and holds the claim for lease_seconds from now, or gives it back to the queue, to be claimed after hand_back_seconds. 409 claim_lost for an older claim.';

COMMENT ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer) IS 'For the runner: claims up to max_runs queued runs, or runs whose claim has run out, for lease_seconds; owners take turns. A snapshot comes as its JSON text, or null when its hash (hex) is in known_snapshots. A run that lost more than max_lost_claims workers in a row fails (null: none does); one that lost two comes alone.';

COMMENT ON FUNCTION "public"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) IS 'For the runner: stores the last of what the run has come to, {children, node_runs, logs, work_ms}, ends the run with its result and removes its message, in one transaction. 409 claim_lost for an older claim.';

COMMENT ON FUNCTION "public"."flow_run_history"(uuid) IS 'For the runner: what earlier claims stored of a root run and its interflow children, {children, node_runs, ended_executions, log_counts}; node_runs without their inputs, and only those of runs that have not ended. A call of its own, so that a run with too much of it fails alone; json, since jsonb ends at 256 MB.';

COMMENT ON FUNCTION "public"."flow_run_result"(uuid) IS 'How a run stands, {status, output, errors, is_overdue}, for its owner, who started it, and the holder of its token. is_overdue: it has not ended, and the runner, having left a run queued for 2 seconds, needs a poke. 401; 404 flow_run_not_found.';

COMMENT ON FUNCTION "public"."heartbeat_flow_runs"(jsonb, integer) IS 'For the runner: holds its claims, [{flow_run_id, attempt}], for another lease, and returns those that are lost or shall stop.';

COMMENT ON FUNCTION "public"."kv_create_store"(jsonb, jsonb, text) IS 'For the runner: creates a store of the run''s owner, once for each effect. 400 kv_store_name_invalid; 409 kv_store_exists, kv_stores_limit, claim_lost.';

COMMENT ON FUNCTION "public"."kv_delete_store"(jsonb, jsonb, text) IS 'For the runner: deletes a store of the run''s owner with its items, once for each effect. 404 kv_store_not_found; 409 claim_lost.';

COMMENT ON FUNCTION "public"."kv_read_item"(jsonb, text, text) IS 'For the runner: the value under a key in a store of the run''s owner, or null. 404 kv_store_not_found; 409 claim_lost.';

COMMENT ON FUNCTION "public"."kv_write_item"(jsonb, jsonb, text, text, jsonb) IS 'For the runner: stores a value under a key in a store of the run''s owner, once for each effect, and gives the value that it replaces, or null. 400 kv_key_invalid, kv_value_invalid; 404 kv_store_not_found; 409 claim_lost; 413 kv_size_limit.';

COMMENT ON FUNCTION "public"."runner_metrics"() IS 'For operators, counts of runs without interflow children: queue_length (there to be claimed, runs whose worker died included), oldest_queued_seconds (how long the first of them has been; null for none), delayed (queued, or given back, for later), running (held by a worker), waiting (for a signature), failed_last_hour.';

COMMENT ON FUNCTION "public"."stop_flow_run"(uuid, text, integer) IS 'Asks a run to stop; the first request counts. No new node starts; what runs is told, and recorded if it ends within timeout_millies. A run that has ended stays as it is; a run that an interflow node started stops with the whole tree that it belongs to. 400 request_invalid; 401; 404 flow_run_not_found.';

COMMENT ON FUNCTION "public"."sweep_runner"(interval, integer) IS 'For operators: deletes runs that ended longer than max_age ago (null: none) with all that is theirs, idempotency keys of more than 24 hours, messages that belong to no run, and snapshots that nothing points at; of each at most max_runs. Returns {runs, idempotency_keys, messages, snapshots, has_more}: how many, and whether to call again. 400 request_invalid.';

COMMENT ON SEQUENCE "private"."flow_run_turn" IS 'The greatest turn claimed so far, the queue''s virtual time. A sequence, since it only moves forward and never with a transaction.';

COMMENT ON TABLE "private"."kv_usage" IS 'What each user''s key-value stores add up to, kept by the triggers of kv_stores and kv_items: limits are checked without adding up 100 MiB. Its row is also what writers of one user wait for each other on.';

COMMENT ON TABLE "public"."kv_items" IS 'What the key-value stores hold: written by the nodes of the owner''s flows, read by the owner. 100 MiB a user at most.';

COMMENT ON TABLE "public"."kv_stores" IS 'The key-value stores of a user, 100 at most: made and deleted by the nodes of that user''s flows, read by the user.';

REVOKE ALL ON FUNCTION "private"."add_kv_usage"(uuid, bigint, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."add_kv_usage"(uuid, bigint, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_kv_usage"(uuid, bigint, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_runner_schedule"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_runner_schedule"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_runner_schedule"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_sweep"(interval, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_sweep"(interval, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_sweep"(interval, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."end_flow_run"(uuid, text, jsonb, text[], uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_flow_run"(uuid, text, jsonb, text[], uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_flow_run"(uuid, text, jsonb, text[], uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."flow_run_history"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_run_history"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_history"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_history"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."has_queued_run"(interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_queued_run"(interval) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_queued_run"(interval) TO "postgres";

REVOKE ALL ON FUNCTION "private"."heartbeat_flow_runs"(jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."heartbeat_flow_runs"(jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."heartbeat_flow_runs"(jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."heartbeat_flow_runs"(jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."hold_flow_run"(uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hold_flow_run"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hold_flow_run"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."hold_run_and_owner"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hold_run_and_owner"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hold_run_and_owner"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."keep_effect"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_effect"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."keep_effect"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."kv_create_store"(jsonb, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."kv_create_store"(jsonb, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_create_store"(jsonb, jsonb, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_create_store"(jsonb, jsonb, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."kv_delete_store"(jsonb, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."kv_delete_store"(jsonb, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_delete_store"(jsonb, jsonb, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_delete_store"(jsonb, jsonb, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."kv_read_item"(jsonb, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."kv_read_item"(jsonb, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_read_item"(jsonb, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_read_item"(jsonb, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."kv_store_missing"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."kv_store_missing"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_store_missing"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."kv_write_item"(jsonb, jsonb, text, text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."kv_write_item"(jsonb, jsonb, text, text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_write_item"(jsonb, jsonb, text, text, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."kv_write_item"(jsonb, jsonb, text, text, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lock_effect"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_effect"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_effect"(jsonb, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."next_turn"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."next_turn"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."next_turn"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."not_begun_nodes"(public.flow_run, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."not_begun_nodes"(public.flow_run, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."not_begun_nodes"(public.flow_run, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pick_flow_runs"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pick_flow_runs"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."pick_flow_runs"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."poke_runner"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."poke_runner"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."poke_runner"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."root_run_id"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."root_run_id"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."root_run_id"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."runner_jobs"(interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."runner_jobs"(interval) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."runner_jobs"(interval) TO "postgres";

REVOKE ALL ON FUNCTION "private"."runner_metrics"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."runner_metrics"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."runner_metrics"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."runner_metrics"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."runner_secret"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."runner_secret"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."runner_secret"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."schedule_runner"(interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."schedule_runner"(interval) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."schedule_runner"(interval) TO "postgres";

REVOKE ALL ON FUNCTION "private"."store_child_runs"(public.flow_run, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_child_runs"(public.flow_run, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_child_runs"(public.flow_run, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."store_progress"(uuid, integer, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_progress"(uuid, integer, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_progress"(uuid, integer, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sweep_runner"(interval, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."sweep_runner"(interval, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."sweep_runner"(interval, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."sweep_runner"(interval, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."tg_flow_run_jobs__after_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_run_jobs__after_delete"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_run_jobs__after_delete"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_delete"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_kv_items__after_delete"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_insert"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_kv_items__after_insert"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_kv_items__after_update"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_kv_items__after_update"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_kv_stores__after_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_kv_stores__after_delete"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_kv_stores__after_delete"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_kv_stores__after_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_kv_stores__after_insert"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_kv_stores__after_insert"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "public"."flow_run_history"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_history"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_history"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."heartbeat_flow_runs"(jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."heartbeat_flow_runs"(jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."heartbeat_flow_runs"(jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."kv_create_store"(jsonb, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_create_store"(jsonb, jsonb, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_create_store"(jsonb, jsonb, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."kv_delete_store"(jsonb, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_delete_store"(jsonb, jsonb, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_delete_store"(jsonb, jsonb, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."kv_read_item"(jsonb, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_read_item"(jsonb, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_read_item"(jsonb, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."kv_write_item"(jsonb, jsonb, text, text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_write_item"(jsonb, jsonb, text, text, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."kv_write_item"(jsonb, jsonb, text, text, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "public"."runner_metrics"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."runner_metrics"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."runner_metrics"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."sweep_runner"(interval, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."sweep_runner"(interval, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."sweep_runner"(interval, integer) TO "service_role";

REVOKE ALL ON TABLE "public"."kv_items" FROM "authenticated";

GRANT SELECT ON TABLE "public"."kv_items" TO "authenticated";

REVOKE ALL ON TABLE "public"."kv_items" FROM "service_role";

GRANT SELECT ON TABLE "public"."kv_items" TO "service_role";

REVOKE ALL ON TABLE "public"."kv_stores" FROM "authenticated";

GRANT SELECT ON TABLE "public"."kv_stores" TO "authenticated";

REVOKE ALL ON TABLE "public"."kv_stores" FROM "service_role";

GRANT SELECT ON TABLE "public"."kv_stores" TO "service_role";
