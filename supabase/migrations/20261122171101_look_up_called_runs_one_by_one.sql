SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.end_called_runs (
  root_flow_run_id uuid,
  status           text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
begin
  -- Each run's children by a look of its own (`offset 0`): the planner takes the average of all that call others for every level, and
  -- would rather read all called runs there are than look for so many.
  with recursive descendant as (
    select child.id, child.end_time from public.flow_run as child where child.parent_flow_run_id = end_called_runs.root_flow_run_id
    union all
    select child.id, child.end_time
    from descendant
    cross join lateral (
      select c.id, c.end_time from public.flow_run as c where c.parent_flow_run_id = descendant.id offset 0
    ) as child
  )
  update public.flow_run as r
  set
    status = case end_called_runs.status when 'stopped' then 'stopped' else 'failed' end,
    errors = case end_called_runs.status when 'stopped' then null else array['the run that called this flow has ended'] end,
    output = '{"M": {}}', not_run = private.not_begun_nodes(r, end_called_runs.root_flow_run_id), end_time = clock_timestamp()
  where r.id = any (array(select descendant.id from descendant where descendant.end_time is null));
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_flow_run (
  flow_run_id uuid,
  status      text,
  output      jsonb,
  errors      text[],
  not_run     uuid[],
  work_ms     bigint DEFAULT 0
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_message_id bigint := (select j.message_id from private.flow_run_jobs as j where j.flow_run_id = end_flow_run.flow_run_id);
begin
  update public.flow_run as r
  set
    status = end_flow_run.status, output = coalesce(end_flow_run.output, '{"M": {}}'), errors = end_flow_run.errors,
    not_run = coalesce(end_flow_run.not_run, private.not_begun_nodes(r, r.id)),
    end_time = clock_timestamp()
  where r.id = end_flow_run.flow_run_id and r.end_time is null;

  -- Children end with the run at the latest; they are left over when it ends before it was taken up again.
  if exists (select from public.flow_run as r where r.parent_flow_run_id = end_flow_run.flow_run_id) then
    perform private.end_called_runs(end_flow_run.flow_run_id, end_flow_run.status);
  end if;

  -- Whoever reads them sees that nobody waits for an answer any more.
  update public.signature_requests as s set expires_at = clock_timestamp()
  where s.root_flow_run_id = end_flow_run.flow_run_id and s.signature is null and s.expires_at > clock_timestamp();

  -- The job before its message, as heartbeats lock them.
  update private.flow_run_jobs as j
  set
    message_id = null, is_held = false, work_ms = greatest(j.work_ms, end_flow_run.work_ms),
    failed_at = case end_flow_run.status when 'failed' then clock_timestamp() end
  where j.flow_run_id = end_flow_run.flow_run_id;
  delete from pgmq.q_flow_runs as m where m.msg_id = v_message_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_run (
  user_id               uuid,
  flow_id               integer,
  inputs                jsonb,
  chain_network         jsonb,
  snapshot_hash         bytea,
  started_by            uuid,
  started_by_public_key text    DEFAULT NULL::text,
  deployment_id         uuid    DEFAULT NULL::uuid,
  output_instructions   boolean DEFAULT false,
  action_identity       text    DEFAULT NULL::text,
  action_signer         text    DEFAULT NULL::text,
  fees                  jsonb   DEFAULT '[]'::jsonb,
  max_starts_per_minute integer DEFAULT NULL::integer,
  max_runs_in_flight    integer DEFAULT NULL::integer,
  idempotency_key       text    DEFAULT NULL::text,
  request               jsonb   DEFAULT NULL::jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
-- Every start goes through here, and each function and statement costs it as much as a write or two: id and token are made as
-- private.uuid_v7 and private.run_token make them, without calling those.
declare
  v_now timestamptz := clock_timestamp();
  v_microseconds bigint := date_part('epoch', v_now) * 1000000;
  v_run_id uuid := encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing int8send(v_microseconds * 512 / 125 + v_microseconds / 1000 * 61440 + 28672) from 1 for 8
    ),
    'hex'
  )::uuid;
  v_earlier_id uuid;
  v_message_id bigint;
  v_started jsonb;
begin
  -- What nearly all starts bring, a few short strings with one tag each and nothing else, is good by one look at its text, as jsonb
  -- writes it.
  if (pg_column_size(enqueue_run.inputs) < 1024
    and enqueue_run.inputs::text ~ '^\{("([^"\\]|\\.)*": \{"([SFD]|[UI]1?|B[36Y])": "([^"\\]|\\.)*"\}(, )?)*\}$'
    and enqueue_run.action_signer is null and enqueue_run.idempotency_key is null) is not true then
    perform private.check_inputs(enqueue_run.inputs);
    if not private.is_public_key(enqueue_run.action_signer) then
      perform private.fail(400, 'action_signer_invalid', 'action_signer: takes a public key, base58 of 32 bytes.');
    end if;
    if enqueue_run.idempotency_key is not null then
      v_earlier_id := private.claim_idempotency_key(
        coalesce('user:' || enqueue_run.started_by, 'key:' || enqueue_run.started_by_public_key), enqueue_run.idempotency_key,
        enqueue_run.request, v_run_id
      );
      if v_earlier_id is not null then
        return jsonb_build_object('flow_run_id', v_earlier_id, 'token', private.run_token(v_earlier_id));
      end if;
    end if;
  end if;
  v_message_id := nextval('pgmq.q_flow_runs_msg_id_seq');
  if enqueue_run.max_starts_per_minute is not null then
    -- What the backend's slot has reserved, while the queue need not be counted.
    update private.deployment_usage as u
    set reserved = u.reserved - 1
    where u.deployment_id = enqueue_run.deployment_id and u.slot = pg_backend_pid() % 32 and u.reserved > 0
      and u.minute = date_bin('1 minute', v_now, 'epoch')
      and u.max_starts_per_minute = enqueue_run.max_starts_per_minute and u.max_runs_in_flight = enqueue_run.max_runs_in_flight
      and v_message_id < pg_sequence_last_value('private.queue_check_message');
    if not found then
      perform private.count_start(enqueue_run.deployment_id, enqueue_run.max_starts_per_minute, enqueue_run.max_runs_in_flight);
    end if;
  end if;
  insert into public.flow_run (
    id, created_at, user_id, flow_id, deployment_id, started_by, started_by_public_key, inputs,
    output_instructions, action_identity, action_signer, fees, chain_network
  ) values (
    v_run_id, v_now, enqueue_run.user_id, enqueue_run.flow_id, enqueue_run.deployment_id, enqueue_run.started_by,
    enqueue_run.started_by_public_key, jsonb_build_object('M', enqueue_run.inputs), enqueue_run.output_instructions,
    enqueue_run.action_identity, enqueue_run.action_signer, enqueue_run.fees,
    jsonb_build_object('cluster', enqueue_run.chain_network -> 'cluster')
  );
  -- As pgmq.send does, by a statement that it writes and plans at each call: five times the cost of the insert.
  insert into pgmq.q_flow_runs (msg_id, vt, message) overriding system value
  values (v_message_id, v_now, jsonb_build_object('flow_run_id', v_run_id));
  insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, chain_url, message_id, counted_deployment_id, turn)
  values (
    v_run_id, enqueue_run.user_id, enqueue_run.snapshot_hash, enqueue_run.chain_network ->> 'url', v_message_id,
    case when enqueue_run.max_starts_per_minute is not null then enqueue_run.deployment_id end,
    v_message_id
  )
  returning jsonb_build_object('flow_run_id', v_run_id, 'token', coalesce(
    (
      select 'fr_' || translate(
        encode(uuid_send(v_run_id) || extensions.hmac(uuid_send(v_run_id), s.secret, 'sha256'), 'base64'), '+/', '-_'
      )
      from private.run_token_secrets as s
    ),
    -- The function makes the first secret.
    private.run_token(v_run_id)
  )) into v_started;
  return v_started;
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
    -- Everything of the tree by a look for each of its runs (`offset 0`): the planner takes the tree for far larger than it is, as large
    -- as the average of all that call others makes it, and would rather read whole tables.
    select r.id, r.parent_flow_run_id, r.end_time
    from tree
    cross join lateral (
      select c.id, c.parent_flow_run_id, c.end_time from public.flow_run as c where c.parent_flow_run_id = tree.id offset 0
    ) as r
  )
  select json_build_object(
    'children', (
      select coalesce(json_agg(json_build_object(
        'id', r.id, 'flow_id', r.flow_id, 'parent_flow_run_id', r.parent_flow_run_id, 'parent_node_id', r.parent_node_id,
        'parent_times', r.parent_times, 'status', r.status, 'start_time', r.start_time, 'end_time', r.end_time,
        'inputs', r.inputs, 'output', r.output, 'errors', r.errors, 'not_run', r.not_run
      )), '[]')
      from tree cross join lateral (select c.* from public.flow_run as c where c.id = tree.id offset 0) as r
      where tree.parent_flow_run_id is not null
    ),
    'node_runs', (
      -- Of a child that has ended its result is enough.
      select coalesce(json_agg(to_jsonb(n) - '{user_id,input}'::text[]), '[]')
      from tree cross join lateral (select e.* from public.node_run as e where e.flow_run_id = tree.id offset 0) as n
      where tree.end_time is null
    ),
    'transactions', (
      select coalesce(json_agg(json_build_object(
        'flow_run_id', t.flow_run_id, 'node_id', t.node_id, 'times', t.times, 'members', t.members, 'message', t.message,
        'wire', t.wire, 'memo', t.memo, 'has_fees', t.has_fees,
        -- As text: no number of 64 bits passes through a JavaScript float.
        'slot', t.slot::text, 'last_valid_block_height', t.last_valid_block_height::text,
        'outcome', t.outcome, 'signature', t.signature,
        'requests', private.transaction_requests(t.flow_run_id, t.node_id, t.times)
      ) order by t.created_at), '[]')
      from private.flow_run_transactions as t
      where t.root_flow_run_id = flow_run_history.flow_run_id
    ),
    'ended_executions', (
      -- They count against the limit of the tree, though nobody goes through them again.
      select count(*)
      from tree cross join lateral (select from public.node_run as e where e.flow_run_id = tree.id offset 0) as n
      where tree.end_time is not null
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

CREATE OR REPLACE FUNCTION private.uuid_v7 (
  at timestamp with time zone DEFAULT clock_timestamp()
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- A double holds the microseconds of our time, to which it is rounded; the numeric of extract would cost more than all the rest.
  v_microseconds bigint := date_part('epoch', uuid_v7.at) * 1000000;
begin
  -- 48 bits of milliseconds, version 7 with 12 bits of the millisecond's fraction, before 64 bits of a random UUID's second half,
  -- which already starts with the variant bits. The milliseconds stand 16 bits up: 2^12 times of them are in the fraction's sum.
  return encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing int8send(v_microseconds * 512 / 125 + v_microseconds / 1000 * 61440 + 28672) from 1 for 8
    ),
    'hex'
  )::uuid;
end;
$function$;

COMMENT ON FUNCTION "private"."end_called_runs"(uuid, text) IS 'Ends what has not ended of the runs that a root run''s tree called: stopped if the root was, else failed. Definer: runs are written by functions only.';

REVOKE ALL ON FUNCTION "private"."end_called_runs"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_called_runs"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_called_runs"(uuid, text) TO "postgres";
