SET local check_function_bodies = off;

DROP POLICY "flow_run_select_owner_starter_token" ON "public"."flow_run";

DROP POLICY "flow_run_select_token" ON "public"."flow_run";

DROP INDEX "private"."flow_run_jobs_user_id_idx_pending";

-- By hand: what slots had reserved is given back, and what was counted before counts for all callers.
UPDATE private.deployment_usage SET starts = starts - reserved, in_flight = in_flight - reserved WHERE reserved <> 0;

ALTER TABLE "private"."deployment_usage"
  DROP CONSTRAINT "deployment_usage_pkey";

ALTER TABLE "public"."nodes"
  DROP CONSTRAINT "nodes_forms_together";

DROP FUNCTION "private"."check_usage"(uuid, integer, integer, timestamp WITH time zone, integer);

DROP FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer);

DROP FUNCTION "private"."count_start"(uuid, integer, integer);

DROP FUNCTION "private"."deploy_flow"(integer);

DROP FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text, uuid, boolean, text, text, jsonb, integer, integer, text, jsonb);

DROP FUNCTION "private"."flow_run_history"(uuid);

DROP FUNCTION "private"."json_faults"(jsonb);

DROP FUNCTION "private"."owners_in_turn"(uuid, integer);

DROP FUNCTION "private"."pick_flow_runs"(integer);

DROP FUNCTION "private"."refuse_start"(text, integer, integer);

DROP FUNCTION "private"."reserve_starts"(uuid, integer, integer);

DROP FUNCTION "private"."start_flow"(integer, jsonb, text, text);

DROP FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer);

DROP FUNCTION "public"."deploy_flow"(integer);

DROP FUNCTION "public"."flow_run_history"(uuid);

DROP FUNCTION "public"."start_flow"(integer, jsonb, text, text);

ALTER TABLE "public"."flow_deployments_tags"
  ALTER COLUMN "description" DROP DEFAULT;

ALTER TABLE "private"."deployment_usage"
  DROP COLUMN "max_runs_in_flight";

ALTER TABLE "private"."deployment_usage"
  DROP COLUMN "max_starts_per_minute";

ALTER TABLE "private"."deployment_usage"
  DROP COLUMN "reserved";

CREATE TABLE "private"."flow_snapshot_warnings" (
  "snapshot_hash" bytea  NOT NULL,
  "nodes_version" bigint NOT NULL,
  "warnings"      jsonb  NOT NULL,
  CONSTRAINT "flow_snapshot_warnings_pkey" PRIMARY KEY (snapshot_hash)
);

CREATE TABLE "private"."native_nodes" (
  "id"      boolean NOT NULL DEFAULT true,
  "version" bigint  NOT NULL DEFAULT 0,
  CONSTRAINT "native_nodes_pkey" PRIMARY KEY (id),
  CONSTRAINT "native_nodes_single" CHECK (id)
);

CREATE TABLE "private"."quotas" (
  "name"  text   NOT NULL,
  "value" bigint NOT NULL,
  CONSTRAINT "quotas_pkey" PRIMARY KEY (name),
  CONSTRAINT "quotas_value_natural" CHECK ((value >= 0))
);

ALTER TABLE "private"."deployment_usage"
  ADD COLUMN "share" text COLLATE pg_catalog."C" NOT NULL DEFAULT 'all';

ALTER TABLE "private"."deployment_usage"
  ALTER COLUMN "share" DROP DEFAULT;

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "counted_shares" text[];

UPDATE private.flow_run_jobs SET counted_shares = '{all}' WHERE counted_deployment_id IS NOT NULL AND message_id IS NOT NULL;

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "output_bytes" bigint NOT NULL DEFAULT 0;

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "sleeps_until" timestamp WITH time zone;

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "input_names" text[] NOT NULL DEFAULT '{}'::text[];

ALTER TABLE "public"."flow_deployments_tags"
  ALTER COLUMN "description" DROP NOT NULL;

CREATE OR REPLACE FUNCTION private.answer_signature_request (
  id        uuid,
  signature text,
  new_msg   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_id uuid := (select s.root_flow_run_id from public.signature_requests as s where s.id = answer_signature_request.id);
  v_request public.signature_requests;
begin
  -- The lock that claims, stops and suspensions take too, and first: of two answers one finds the other, and a run that is being
  -- suspended either sees the answer or is woken by it.
  perform from public.flow_run as r where r.id = v_run_id for no key update;
  select s.* into v_request from public.signature_requests as s where s.id = answer_signature_request.id;
  if not found then
    perform private.fail(404, 'signature_request_not_found', 'There is no such signature request.');
  end if;
  perform private.check_answer(v_request, answer_signature_request.new_msg);

  update public.signature_requests as s
  set signature = answer_signature_request.signature, new_msg = nullif(answer_signature_request.new_msg, s.msg)
  where s.id = v_request.id;
  if not exists (select from private.open_signature_requests(v_run_id)) then
    perform private.wake_flow_run(v_run_id);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.bad_value (
  value jsonb,
  depth integer
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_tag text;
  v_payload jsonb;
  v_type text;
  v_member record;
  v_bad text;
begin
  if bad_value.depth <= 0 then
    return ': nested too deeply';
  end if;
  if jsonb_typeof(bad_value.value) = 'object' then
    v_tag := case
      when bad_value.value ? 'A' then 'A'
      when bad_value.value ? 'M' then 'M'
      when bad_value.value ? 'S' then 'S'
      when bad_value.value ? 'N' then 'N'
      -- Copies all that is in the value, so no level of arrays or maps may come here.
      else jsonb_path_query_first(bad_value.value, '$.keyvalue().key') #>> '{}'
    end;
  end if;
  if v_tag is null or bad_value.value - v_tag <> '{}' then
    return ': a value is an object with exactly one tag, such as {"S": "text"}';
  end if;
  v_payload := bad_value.value -> v_tag;
  v_type := jsonb_typeof(v_payload);

  case
    when v_tag in ('S', 'U', 'I', 'U1', 'I1', 'F', 'D', 'B3', 'B6', 'BY') then
      return case when v_type <> 'string' then '.' || v_tag || ': takes a string' end;
    when v_tag = 'B' then
      return case when v_type <> 'boolean' then '.B: takes true or false' end;
    when v_tag = 'N' then
      return case when v_payload <> '0' then '.N: takes 0' end;
    when v_tag = 'A' then
      if v_type <> 'array' then
        return '.A: takes an array';
      end if;
      for v_index in 0..jsonb_array_length(v_payload) - 1 loop
        v_bad := private.bad_value(v_payload -> v_index, bad_value.depth - 1);
        if v_bad is not null then
          return format('.A[%s]%s', v_index, v_bad);
        end if;
      end loop;
      return null;
    when v_tag = 'M' then
      if v_type <> 'object' then
        return '.M: takes an object';
      end if;
      for v_member in select m.key, m.value from jsonb_each(v_payload) as m loop
        v_bad := private.bad_value(v_member.value, bad_value.depth - 1);
        if v_bad is not null then
          return format('.M.%s%s', private.shorten(v_member.key), v_bad);
        end if;
      end loop;
      return null;
    else
      return format(': there is no tag %s', to_jsonb(private.shorten(v_tag)));
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.called_flow_runs (
  flow_run_id uuid,
  after       uuid
)
  RETURNS TABLE (
    id                 uuid,
    status             text,
    created_at         timestamp with time zone,
    start_time         timestamp with time zone,
    end_time           timestamp with time zone,
    parent_flow_run_id uuid,
    parent_node_id     uuid,
    parent_times       integer
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
begin
  perform private.root_run_for_caller(called_flow_runs.flow_run_id);
  return query
  select c.id, c.status, c.created_at, c.start_time, c.end_time, c.parent_flow_run_id, c.parent_node_id, c.parent_times
  from (
    select r.* from public.flow_run as r where r.parent_flow_run_id = called_flow_runs.flow_run_id
    -- Keeps the planner from reading all runs in the order of their ids.
    offset 0
  ) as c
  where c.id > coalesce(called_flow_runs.after, '00000000-0000-0000-0000-000000000000')
  order by c.id
  limit 1000;
end;
$function$;

CREATE OR REPLACE FUNCTION private.chain_network_faults (
  chain_network jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if jsonb_typeof(chain_network_faults.chain_network) is distinct from 'object' then
    return '[{"path": "chain_network", "message": "takes an object {url, cluster}"}]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('path', 'chain_network.' || fault.member, 'message', fault.message)), '[]')
    from (
      select 'url', 'takes an http or https address of at most 2048 characters'
      where not private.is_chain_network(chain_network_faults.chain_network || '{"cluster": "devnet"}')
      union all
      select 'cluster', 'takes devnet, testnet or mainnet-beta'
      where not private.is_chain_network(chain_network_faults.chain_network || '{"url": "https://rpc.example.com"}')
      union all
      (
        select private.shorten(m.name), 'there is no such member; there are: url, cluster'
        from jsonb_object_keys(chain_network_faults.chain_network) as m (name)
        where m.name not in ('url', 'cluster') limit 20
      )
    ) as fault (member, message)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_input_names (
  inputs      jsonb,
  input_names text[]
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  -- Names that are told, and characters of each.
  v_most constant integer := 20;
  v_longest constant integer := 100;
  v_unknown text[];
begin
  -- By a set operation, which hashes or sorts both sides: each name compared with each would take minutes for the largest inputs.
  v_unknown := array(
    select left(given.name, v_longest)
    from (
      select g.name from jsonb_object_keys(check_input_names.inputs) as g (name)
      except
      select k.name from unnest(check_input_names.input_names) as k (name)
    ) as given
    order by given.name limit v_most
  );
  if cardinality(v_unknown) = 0 then
    return;
  end if;
  perform private.fail(
    400, 'inputs_invalid',
    format('inputs: the flow has no input %s; it has %s.',
      (select string_agg(to_jsonb(u.name)::text, ', ') from unnest(v_unknown) as u (name)),
      coalesce((
        select string_agg(to_jsonb(left(k.name, v_longest))::text, ', ' order by k.position)
        from unnest(check_input_names.input_names[:v_most]) with ordinality as k (name, position)
      ) || case when cardinality(check_input_names.input_names) > v_most then ' and others' else '' end, 'none')),
    (
      select jsonb_agg(jsonb_build_object('path', 'inputs.' || u.name, 'message', 'the flow has no such input'))
      from unnest(v_unknown) as u (name)
    )
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_inputs (
  inputs jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_pairs jsonb;
  v_bad text;
begin
  if jsonb_typeof(check_inputs.inputs) <> 'object' then
    perform private.fail(400, 'inputs_invalid', 'inputs: takes an object of values, such as {"a": {"S": "text"}}');
  end if;
  if octet_length(check_inputs.inputs::text) > 1048576 then
    perform private.fail(413, 'inputs_too_large', 'inputs: larger than 1 MiB');
  end if;
  -- No number and no key needs as many digits, and reading them takes quadratic time. In JSON text only a member's name stands so
  -- before a string, and only a tag may stand before one.
  if octet_length(check_inputs.inputs::text) > 1000 and exists (
    select
    from (
      select part.text, right(lag(part.text) over (order by part.place), 4) as before
      from string_to_table(check_inputs.inputs::text, '": "') with ordinality as part (text, place)
    ) as strings
    where strpos(strings.text, '"') > 1001 and strings.before ~ '"([FD]|[UI]1?|B[36])$'
  ) then
    perform private.fail(400, 'inputs_invalid', 'inputs: the text of a number or a key has at most 1000 characters');
  end if;
  -- One look at all levels, which copies nothing: what is good by it is good. Only a lax path counts members ((…) is unknown unless
  -- there is exactly one), and as it looks into arrays where an object belongs, no value may be an array.
  if not jsonb_path_exists(check_inputs.inputs, (
    'lax $ ? (@.*.type() == "array" || exists (@.* ? ('
    || repeat(
      '@.type() != "object" || (@.*.size() * 0 == 0) is unknown || !('
      '@.*.type() == "string" && (exists (@.S) || exists (@.U) || exists (@.D) || exists (@.B3) || exists (@.I) || exists (@.F)'
      ' || exists (@.BY) || exists (@.B6) || exists (@.U1) || exists (@.I1))'
      ' || @.M.type() == "object" || @.A.type() == "array" || @.B.type() == "boolean" || @.N.type() == "number" && @.N == 0'
      ') || @.*.**{1}.type() == "array" || exists (@.*.**{1} ? (', 64
    )
    -- The 65th level.
    || '1 == 1' || repeat('))', 65) || ')'
  )::jsonpath) then
    return;
  end if;
  -- Otherwise what is wrong is looked for, level by level.
  v_pairs := jsonb_path_query_array(check_inputs.inputs, '$.keyvalue()');
  for v_index in 0..jsonb_array_length(v_pairs) - 1 loop
    v_bad := private.bad_value(v_pairs -> v_index -> 'value', 64);
    if v_bad is not null then
      perform private.fail(400, 'inputs_invalid', 'inputs.' || private.shorten(v_pairs -> v_index ->> 'key') || v_bad);
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_node_definition (
  definition jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_faults jsonb := private.node_definition_faults(check_node_definition.definition);
begin
  if v_faults <> '[]' then
    perform private.fail(400, 'node_definition_invalid',
      format('%s: %s.', coalesce(nullif(v_faults #>> '{0,path}', ''), 'the definition'), v_faults #>> '{0,message}'),
      -- The first ones tell enough.
      details => jsonb_path_query_array(v_faults, '$[0 to 19]'),
      hint => format('This is the definition of node %s.', to_jsonb(private.shorten(check_node_definition.definition #>> '{data,node_id}', 200))));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_quota (
  name    text,
  user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_limit bigint := private.quota(check_quota.name);
begin
  -- Until the transaction ends. One of the user's transactions at a time, so that each counts what the one before has stored. Nobody
  -- else takes this lock, and who has it needs no row that another one of the user's has locked.
  perform pg_advisory_xact_lock(hashtextextended(format('private.check_quota %s %s', check_quota.name, check_quota.user_id), 0));
  if private.quota_use(check_quota.name, check_quota.user_id) > v_limit then
    perform private.fail(409, 'quota_exceeded',
      format('You have reached the quota of %s: a user may have %s at most.',
        (select k.noun from private.known_quotas() as k where k.name = check_quota.name), v_limit),
      jsonb_build_object('limit', v_limit, 'of', check_quota.name),
      'Delete what you no longer need, or ask the operator of this project for more.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_share (
  deployment_id         uuid,
  share                 text,
  minute                timestamp with time zone,
  max_starts_per_minute integer,
  max_runs_in_flight    integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_max_starts bigint := private.share_of_limit(check_share.share, check_share.max_starts_per_minute);
  v_max_runs bigint := private.share_of_limit(check_share.share, check_share.max_runs_in_flight);
  v_starts bigint;
  v_runs bigint;
begin
  select sum(u.starts) filter (where u.minute = check_share.minute), sum(u.in_flight) into v_starts, v_runs
  from private.deployment_usage as u
  where u.deployment_id = check_share.deployment_id and u.share = check_share.share;

  if v_starts > v_max_starts then
    perform private.refuse_start('max_starts_per_minute', check_share.share, v_max_starts,
      greatest(ceil(extract(epoch from check_share.minute + interval '1 minute' - clock_timestamp())), 1)::integer);
  end if;
  if v_runs > v_max_runs then
    perform private.refuse_start('max_runs_in_flight', check_share.share, v_max_runs, 5);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_flow_runs (
  max_runs        integer,
  lease_seconds   integer,
  known_snapshots text[],
  max_lost_claims integer,
  wait_millies    integer,
  passed_over     uuid[]  DEFAULT NULL::uuid[]
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
    stop             jsonb,
    output_bytes     bigint
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  v_began timestamptz := clock_timestamp();
  v_waited double precision;
  v_picked record;
  v_run_ids uuid[];
  v_lost_id uuid;
  v_lost_claim_count integer;
  v_message_ids bigint[];
begin
  -- Idle workers neither wait for each other nor look at runs that are due later.
  while not private.has_queued_run() loop
    v_waited := date_part('epoch', clock_timestamp() - v_began);
    if (v_waited * 1000 < claim_flow_runs.wait_millies) is not true
      -- Each that waits keeps a connection from those who start runs: one at a time.
      or not pg_try_advisory_xact_lock(hashtext('private.claim_flow_runs'), 1)
    then
      return;
    end if;
    perform pg_sleep(greatest(v_waited / 20, 0.001));
  end loop;
  -- One claim at a time: each sees what the others left, and none comes back empty-handed while there is work.
  perform pg_advisory_xact_lock(hashtext('private.claim_flow_runs'));
  perform private.wake_due_flow_runs();
  loop
    v_picked := private.pick_flow_runs(claim_flow_runs.max_runs, claim_flow_runs.passed_over);
    select p.id, p.lost_claim_count into v_lost_id, v_lost_claim_count
    from unnest(v_picked.run_ids, v_picked.lost_claim_counts) as p (id, lost_claim_count)
    where p.lost_claim_count > claim_flow_runs.max_lost_claims
    limit 1;
    exit when not found;
    perform private.end_flow_run(v_lost_id, 'failed', null, array[format(
      'worker_lost: %s workers in a row were lost while they executed this run', v_lost_claim_count
    )], null);
  end loop;
  v_run_ids := v_picked.run_ids;
  if v_run_ids is null then
    return;
  end if;

  insert into private.last_claim as l (user_id, suspect_id) values (v_picked.last_user_id, v_picked.suspect_id)
  on conflict (id) do update set user_id = excluded.user_id, suspect_id = excluded.suspect_id
  where (l.user_id, l.suspect_id) is distinct from (excluded.user_id, excluded.suspect_id);
  update public.flow_run as r
  set status = 'running', start_time = coalesce(r.start_time, clock_timestamp())
  where r.id = any (v_run_ids) and r.status <> 'running';
  with claimed as (
    update private.flow_run_jobs as j
    set attempt = j.attempt + 1, lost_claim_count = j.lost_claim_count + j.is_held::integer, is_held = true
    where j.flow_run_id = any (v_run_ids)
    returning j.message_id
  )
  select array_agg(claimed.message_id) into v_message_ids from claimed;
  perform private.hide_messages(v_message_ids, claim_flow_runs.lease_seconds);

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
    end,
    j.output_bytes
  from private.flow_run_jobs as j
  join public.flow_run as r on r.id = j.flow_run_id
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  where j.flow_run_id = any (v_run_ids)
  order by array_position(v_run_ids, r.id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_progress (
  flow_run_id uuid,
  progress    jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update private.flow_run_jobs as j
  set
    work_ms = greatest(j.work_ms, (count_progress.progress ->> 'work_ms')::bigint),
    output_bytes = greatest(j.output_bytes, (count_progress.progress ->> 'output_bytes')::bigint),
    -- It gets somewhere: whatever ended the workers before, it is not what they were doing.
    lost_claim_count = case
      when jsonb_path_exists(count_progress.progress, '$.node_runs[*].end_time ? (@ != null)') then 0 else j.lost_claim_count
    end
  where j.flow_run_id = count_progress.flow_run_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_start (
  deployment_id         uuid,
  shares                text[],
  max_starts_per_minute integer,
  max_runs_in_flight    integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_minute timestamptz := date_bin('1 minute', clock_timestamp(), 'epoch');
  v_share text;
  v_starts bigint;
  v_runs bigint;
begin
  if (pg_sequence_last_value('pgmq.q_flow_runs_msg_id_seq') < pg_sequence_last_value('private.queue_check_message')) is not true then
    perform private.check_queue_length();
  end if;
  -- 'all' is the first share of every start: who waits for a slot of another share has it, so that nobody waits in a circle.
  insert into private.deployment_usage as u (deployment_id, share, slot, minute, starts, in_flight)
  select count_start.deployment_id, s.share, pg_backend_pid() % 32, v_minute, 1, 1
  from unnest(count_start.shares) as s (share)
  on conflict on constraint deployment_usage_pkey do update
  set
    minute = greatest(u.minute, excluded.minute), starts = case when u.minute >= excluded.minute then u.starts else 0 end + 1,
    in_flight = u.in_flight + 1;

  -- While all together use no more than one caller may, nobody has used up a share. This is all that nearly every start pays for.
  select coalesce(sum(u.starts) filter (where u.minute = v_minute), 0), sum(u.in_flight) into v_starts, v_runs
  from private.deployment_usage as u
  where u.deployment_id = count_start.deployment_id and u.share = 'all';
  if v_starts > count_start.max_starts_per_minute / 10 or v_runs > count_start.max_runs_in_flight / 10 then
    foreach v_share in array count_start.shares loop
      perform private.check_share(
        count_start.deployment_id, v_share, v_minute, count_start.max_starts_per_minute, count_start.max_runs_in_flight
      );
    end loop;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.deploy_flow (
  flow_id integer,
  strict  boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
  v_snapshot_hash bytea;
  v_warnings jsonb;
  v_deployment_id uuid;
begin
  select * into v_flow from public.flows as f
  where f.id = deploy_flow.flow_id and f.user_id = v_user_id
  for no key update;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;

  v_snapshot_hash := private.take_snapshot(v_flow);
  v_warnings := private.snapshot_warnings(v_snapshot_hash, v_flow.id, deploy_flow.strict);
  insert into public.flow_deployments (user_id, entrypoint, snapshot_hash, start_permission, chain_network)
  values (
    v_user_id, v_flow.id, v_snapshot_hash,
    case
      when v_flow.is_public and v_flow.start_shared and v_flow.start_unverified then 'Anonymous'
      when v_flow.is_public and v_flow.start_shared then 'Authenticated'
      else 'Owner'
    end,
    v_flow.chain_network
  )
  returning id into v_deployment_id;
  return jsonb_build_object('deployment_id', v_deployment_id, 'warnings', v_warnings);
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
    message_id = null, is_held = false, sleeps_until = null, work_ms = greatest(j.work_ms, end_flow_run.work_ms),
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
  input_names           text[],
  started_by_public_key text    DEFAULT NULL::text,
  deployment_id         uuid    DEFAULT NULL::uuid,
  output_instructions   boolean DEFAULT false,
  action_identity       text    DEFAULT NULL::text,
  action_signer         text    DEFAULT NULL::text,
  fees                  jsonb   DEFAULT '[]'::jsonb,
  counted_shares        text[]  DEFAULT NULL::text[],
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
  -- What nearly all starts bring, a few short strings with one tag each for inputs that there are and nothing else, is good by one look at its text, as jsonb
  -- writes it.
  if (pg_column_size(enqueue_run.inputs) < 1024
    and enqueue_run.inputs::text ~ '^\{("([^"\\]|\\.)*": \{"([SFD]|[UI]1?|B[36Y])": "([^"\\]|\\.)*"\}(, )?)*\}$'
    and enqueue_run.action_signer is null and enqueue_run.idempotency_key is null
    -- Each input is compared with each name.
    and cardinality(enqueue_run.input_names) <= 100 and enqueue_run.inputs - enqueue_run.input_names = '{}') is not true then
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
    -- After the key: a start that is repeated gives its run, whatever a flow that was edited meanwhile takes.
    perform private.check_input_names(enqueue_run.inputs, enqueue_run.input_names);
  end if;
  v_message_id := nextval('pgmq.q_flow_runs_msg_id_seq');
  if enqueue_run.counted_shares is not null then
    perform private.count_start(
      enqueue_run.deployment_id, enqueue_run.counted_shares, enqueue_run.max_starts_per_minute, enqueue_run.max_runs_in_flight
    );
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
  insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, chain_url, message_id, counted_deployment_id, counted_shares, turn)
  values (
    v_run_id, enqueue_run.user_id, enqueue_run.snapshot_hash, enqueue_run.chain_network ->> 'url', v_message_id,
    case when enqueue_run.counted_shares is not null then enqueue_run.deployment_id end, enqueue_run.counted_shares, v_message_id
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

CREATE OR REPLACE FUNCTION private.fail (
  status  integer,
  code    text,
  message text,
  details jsonb   DEFAULT NULL::jsonb,
  hint    text    DEFAULT NULL::text,
  headers jsonb   DEFAULT '{}'::jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- PostgREST carries details as text only; the Edge Functions give the JSON in it back.
  raise sqlstate 'PGRST' using
    message = json_build_object(
      'code', fail.code, 'message', private.shorten(fail.message, 2000), 'details', fail.details::text,
      'hint', private.shorten(fail.hint, 2000)
    )::text,
    detail = json_build_object('status', fail.status, 'headers', fail.headers)::text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_cycle (
  nodes   text[],
  sources text[],
  targets text[]
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_count integer := coalesce(cardinality(flow_cycle.nodes), 0);
  v_from integer[];
  v_to integer[];
  v_first integer[];
  v_waiting integer[];
  v_ready integer[];
  v_done integer := 0;
  v_node integer;
  v_edge integer;
  v_next integer;
  v_before integer[];
  v_step integer[];
  v_path integer[] := '{}';
begin
  -- Kahn's algorithm on node numbers, its edges sorted by source: one pass over nodes and edges.
  select array_agg(s.number order by s.number, t.number), array_agg(t.number order by s.number, t.number)
  into v_from, v_to
  from unnest(flow_cycle.sources, flow_cycle.targets) as e (source, target)
  join unnest(flow_cycle.nodes) with ordinality as s (id, number) on s.id = e.source
  join unnest(flow_cycle.nodes) with ordinality as t (id, number) on t.id = e.target;
  if v_from is null then
    return null;
  end if;

  -- As many flows are drawn: what comes later in the array never leads back.
  if (select bool_and(e.source < e.target) from unnest(v_from, v_to) as e (source, target)) then
    return null;
  end if;
  v_first := array_fill(0, array[v_count + 1]);
  v_waiting := array_fill(0, array[v_count]);
  for v_edge in reverse cardinality(v_from)..1 loop
    v_first[v_from[v_edge]] := v_edge;
    v_waiting[v_to[v_edge]] := v_waiting[v_to[v_edge]] + 1;
  end loop;
  select coalesce(array_agg(number), '{}') into v_ready
  from unnest(v_waiting) with ordinality as w (waiting, number)
  where waiting = 0;

  while v_done < cardinality(v_ready) loop
    v_done := v_done + 1;
    v_edge := v_first[v_ready[v_done]];
    while v_edge > 0 and v_edge <= cardinality(v_from) and v_from[v_edge] = v_ready[v_done] loop
      v_next := v_to[v_edge];
      v_waiting[v_next] := v_waiting[v_next] - 1;
      if v_waiting[v_next] = 0 then
        v_ready := v_ready || v_next;
      end if;
      v_edge := v_edge + 1;
    end loop;
  end loop;
  if v_done = v_count then
    return null;
  end if;

  -- Every node left waits for another one that is left: walking backwards from any of them ends up going round a cycle.
  v_before := array_fill(null::integer, array[v_count]);
  for v_edge in 1..cardinality(v_from) loop
    if v_waiting[v_from[v_edge]] > 0 then
      v_before[v_to[v_edge]] := v_from[v_edge];
    end if;
  end loop;
  v_step := array_fill(null::integer, array[v_count]);
  v_node := (select w.number from unnest(v_waiting) with ordinality as w (waiting, number) where w.waiting > 0 limit 1);
  while v_step[v_node] is null loop
    v_path := v_path || v_node;
    v_step[v_node] := cardinality(v_path);
    v_node := v_before[v_node];
  end loop;
  return (
    select array_agg(flow_cycle.nodes[p.number] order by p.position desc)
    from unnest(v_path) with ordinality as p (number, position)
    where p.position >= v_step[v_node]
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_edges (
  nodes jsonb,
  edges jsonb
)
  RETURNS TABLE (
    edge_index  integer,
    source      text,
    target      text,
    target_port text
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Handle ids name ports flow-wide: an edge's handle may belong to any node, only its node ids say what it joins.
  return query
  -- Not by jsonb_path_query, which takes what it gives from the beginning of a list, and moves all the rest.
  with target_handle as materialized (
    select t.port ->> 'id' as id, max(t.port ->> 'name') as name
    from jsonb_array_elements(flow_edges.nodes) as n (node)
    cross join lateral jsonb_array_elements(n.node #> '{data,targets}') as t (port)
    where n.node #>> '{data,type}' <> 'mock'
    group by t.port ->> 'id'
  )
  select (e.position - 1)::integer, e.edge ->> 'source', e.edge ->> 'target', target_handle.name
  from jsonb_array_elements(flow_edges.edges) with ordinality as e (edge, position)
  join target_handle on target_handle.id = e.edge ->> 'targetHandle'
  where e.edge ->> 'sourceHandle' in (
    select s.port ->> 'id'
    from jsonb_array_elements(flow_edges.nodes) as n (node)
    cross join lateral jsonb_array_elements(n.node #> '{data,sources}') as s (port)
    where n.node #>> '{data,type}' <> 'mock'
    union all
    select 'passthrough-' || target_handle.id from target_handle
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_findings (
  nodes jsonb,
  edges jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_findings jsonb;
  v_nodes text[];
  v_sources text[];
  v_targets text[];
  v_cycle text[];
begin
  -- Whoever looks at it must know how much there is to look at.
  v_findings := private.flow_size_findings(flow_findings.nodes, flow_findings.edges);
  if v_findings <> '[]' then
    return v_findings;
  end if;
  select jsonb_agg(jsonb_build_object('code', 'node_malformed', 'path', format('nodes[%s]', f.node_index), 'message', f.fault) order by f.node_index)
  into v_findings
  from private.node_faults(flow_findings.nodes) as f;
  if v_findings is not null then
    -- Nothing more can be said of a graph whose nodes can't be read.
    return v_findings;
  end if;

  with node as materialized (
    select
      n.position - 1 as index, n.node ->> 'id' as id, n.node #>> '{data,type}' as type, n.node #>> '{data,node_id}' as node_id,
      n.node #>> '{data,targets_form,form_data,label}' as label
    from jsonb_array_elements(flow_findings.nodes) with ordinality as n (node, position)
  ),
  edge as materialized (
    select e.position - 1 as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target
    from jsonb_array_elements(flow_findings.edges) with ordinality as e (edge, position)
  ),
  kept as materialized (
    select k.edge_index, k.source, k.target, k.target_port
    from private.flow_edges(flow_findings.nodes, flow_findings.edges) as k
  ),
  finding as (
    select 'node_id_duplicate' as code, format('nodes[%s].id', max(node.index)) as path,
      format('two nodes have the id %s', node.id) as message
    from node group by node.id having count(*) > 1
    union all
    select 'edge_source_unknown', format('edges[%s].source', edge.index), format('there is no node %s', coalesce(private.shorten(edge.source), 'null'))
    from edge
    where not exists (select from node where node.id = edge.source and node.type <> 'mock')
      and not exists (select from node where node.id = edge.target and node.type = 'mock')
    union all
    select 'edge_target_unknown', format('edges[%s].target', edge.index), format('there is no node %s', coalesce(private.shorten(edge.target), 'null'))
    from edge where not exists (select from node where node.id = edge.target)
    union all
    select 'input_connected_twice', format('edges[%s].targetHandle', max(kept.edge_index)),
      format('two edges lead into the input %s of node %s', to_jsonb(private.shorten(kept.target_port)), kept.target)
    from kept
    where exists (select from node where node.id = kept.target and node.type <> 'mock')
    group by kept.target, kept.target_port having count(*) > 1
    union all
    -- More than it may have inputs: handles may be those of other nodes.
    select 'node_edges_too_many', format('nodes[%s]', min(node.index)), 'at most 1,000 edges lead into one node'
    from (select k.target from kept as k group by k.target having count(*) > 1000) as crowded
    join node on node.id = crowded.target
    group by node.id
    union all
    select 'output_label_duplicate', format('nodes[%s].data.targets_form.form_data.label', max(node.index)),
      format('two flow outputs have the label %s', coalesce(to_jsonb(private.shorten(node.label))::text, 'null'))
    from node where node.type = 'native' and node.node_id = 'flow_output'
    group by node.label having count(*) > 1
  )
  select
    (
      select jsonb_agg(to_jsonb(first) order by first.path, first.code)
      from (select finding.* from finding order by finding.path, finding.code limit 1001) as first
    ),
    -- Each id once: edges of a node that is there a thousand times are not looked at a thousand times.
    (
      select array_agg(u.id order by u.index)
      from (select node.id, min(node.index) as index from node where node.type <> 'mock' group by node.id) as u
    ),
    (select array_agg(kept.source) from kept),
    (select array_agg(kept.target) from kept)
  into v_findings, v_nodes, v_sources, v_targets;

  v_cycle := private.flow_cycle(v_nodes, v_sources, v_targets);
  if v_cycle is not null then
    v_findings := coalesce(v_findings, '[]') || jsonb_build_object(
      'code', 'graph_has_cycle', 'path', 'edges',
      'message', 'these nodes wait for each other in a circle: ' || array_to_string(v_cycle[:20], ' → ')
        || case when cardinality(v_cycle) > 20 then ' → …' else '' end
    );
  end if;
  return coalesce(v_findings, '[]');
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_run_history (
  flow_run_id uuid,
  max_bytes   integer DEFAULT NULL::integer
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
  ),
  page as materialized (
    select private.flow_run_history_page(flow_run_history.flow_run_id, null, flow_run_history.max_bytes) as content
    where flow_run_history.max_bytes is not null
  )
  select json_build_object(
    'children', (
      select coalesce(json_agg(json_build_object(
        'id', r.id, 'flow_id', r.flow_id, 'parent_flow_run_id', r.parent_flow_run_id, 'parent_node_id', r.parent_node_id,
        'parent_times', r.parent_times, 'status', r.status, 'start_time', r.start_time, 'end_time', r.end_time,
        -- Its caller gives them anew.
        'inputs', case when flow_run_history.max_bytes is null then r.inputs else '{"M": {}}' end,
        'output', r.output, 'errors', r.errors, 'not_run', r.not_run
      )), '[]')
      from tree cross join lateral (select c.* from public.flow_run as c where c.id = tree.id offset 0) as r
      where tree.parent_flow_run_id is not null
        -- Of one that has ended, whose caller has ended too, nobody reads the result any more.
        and (r.end_time is null or not exists (
          select from public.node_run as e
          where e.flow_run_id = r.parent_flow_run_id and e.node_id = r.parent_node_id and e.times = r.parent_times and e.end_time is not null
        ))
    ),
    'node_runs', case when flow_run_history.max_bytes is not null then (select page.content -> 'node_runs' from page) else (
      -- Of a child that has ended its result is enough.
      select coalesce(json_agg(to_jsonb(n) - '{user_id,input}'::text[]), '[]')
      from tree cross join lateral (select e.* from public.node_run as e where e.flow_run_id = tree.id offset 0) as n
      where tree.end_time is null
    ) end,
    'next', (select page.content -> 'next' from page),
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

CREATE OR REPLACE FUNCTION private.flow_run_history_page (
  flow_run_id uuid,
  after       jsonb,
  max_bytes   integer
)
  RETURNS json
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_id uuid;
  v_last_run_id uuid := flow_run_history_page.after ->> 'flow_run_id';
  v_node_id uuid := flow_run_history_page.after ->> 'node_id';
  v_times integer := flow_run_history_page.after ->> 'times';
  v_row record;
  v_text text;
  v_rows text[] := '{}';
  v_bytes bigint := 0;
  v_next json;
begin
  <<pages>>
  for v_run_id in
    with recursive tree as (
      select r.id from public.flow_run as r where r.id = flow_run_history_page.flow_run_id and r.end_time is null
      union all
      select c.id
      from tree
      cross join lateral (
        select r.id from public.flow_run as r where r.parent_flow_run_id = tree.id and r.end_time is null offset 0
      ) as c
    )
    select tree.id from tree where v_last_run_id is null or tree.id >= v_last_run_id order by tree.id
  loop
    if v_run_id is distinct from v_last_run_id then
      v_node_id := '00000000-0000-0000-0000-000000000000';
      v_times := -1;
    end if;
    -- The values stay where they are stored until their row is written: only those of this page are ever in memory.
    for v_row in
      select n.node_id, n.times, n.start_time, n.end_time, n.output, n.errors from public.node_run as n
      where n.flow_run_id = v_run_id and (n.node_id, n.times) > (v_node_id, v_times)
      order by n.node_id, n.times
    loop
      v_text := json_build_object(
        'flow_run_id', v_run_id, 'node_id', v_row.node_id, 'times', v_row.times, 'start_time', v_row.start_time,
        'end_time', v_row.end_time, 'output', v_row.output, 'errors', v_row.errors
      )::text;
      v_rows := array_append(v_rows, v_text);
      v_bytes := v_bytes + octet_length(v_text);
      if v_bytes >= flow_run_history_page.max_bytes then
        v_next := json_build_object('flow_run_id', v_run_id, 'node_id', v_row.node_id, 'times', v_row.times);
        exit pages;
      end if;
    end loop;
  end loop;
  return format('{"node_runs": [%s], "next": %s}', array_to_string(v_rows, ','), coalesce(v_next::text, 'null'))::json;
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_size_findings (
  nodes jsonb,
  edges jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'code', 'flow_too_large', 'path', part.name, 'message', format('a flow takes at most %s %s, and these are %s', part.most, part.name, part.size)
  )), '[]')
  from (values
    ('nodes', 10000, jsonb_array_length(flow_size_findings.nodes)), ('edges', 50000, jsonb_array_length(flow_size_findings.edges))
  ) as part (name, most, size)
  where part.size > part.most;
$function$;

CREATE OR REPLACE FUNCTION private.flow_warnings (
  nodes jsonb,
  edges jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_nestloop TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
declare
  v_nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  -- Without definitions nothing is known of what runs here.
  v_knows_nodes constant boolean := exists (select from public.nodes as n where n.owner_key = v_nobody and n.type = 'native');
begin
  return (
    with node as materialized (
      select
        (n.position - 1)::integer as index, n.node ->> 'id' as id, d.data ->> 'type' as type, d.data ->> 'node_id' as node_id,
        -- Of which the JSON tells the ports, of both sides or the inputs alone.
        not v_knows_nodes or d.data ->> 'node_id' in ('interflow', 'interflow_instructions')
          or d.data ->> 'node_id' like 'rhai\_script\_%' as are_inputs_drawn,
        not v_knows_nodes or d.data ->> 'node_id' = 'interflow' or d.data ->> 'node_id' like 'rhai\_script\_%' as are_outputs_drawn,
        d.data -> 'sources' as sources, d.data -> 'targets' as targets, d.data #> '{targets_form,form_data}' as form_data,
        -- A labelled node has one port, whatever the JSON calls it.
        case when d.data ->> 'type' = 'native' and d.data ->> 'node_id' in ('flow_input', 'flow_output') then coalesce(
          case jsonb_typeof(d.data #> '{targets_form,form_data,label}')
            when 'string' then d.data #>> '{targets_form,form_data,label}'
          end,
          d.data -> case d.data ->> 'node_id' when 'flow_input' then 'sources' else 'targets' end -> 0 ->> 'name',
          ''
        ) end as label
      from jsonb_array_elements(flow_warnings.nodes) with ordinality as n (node, position)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
      where d.data ->> 'type' <> 'mock'
    ),
    definition as materialized (
      select distinct on (d.node_id) d.node_id, d.sources, d.targets
      from public.nodes as d
      where d.owner_key = v_nobody and d.type = 'native'
        and d.node_id = any (array(select distinct n.node_id from node as n where n.type = 'native'))
      order by d.node_id, d.created_at desc, d.version desc
    ),
    defined_port as materialized (
      select d.node_id, 'source' as side, s.port ->> 'name' as name, false as is_required, false as is_handed_on
      from definition as d cross join lateral jsonb_array_elements(d.sources) as s (port)
      union all
      select d.node_id, 'target', t.port ->> 'name', coalesce((t.port ->> 'required')::boolean, false),
        coalesce((t.port ->> 'passthrough')::boolean, false)
      from definition as d cross join lateral jsonb_array_elements(d.targets) as t (port)
    ),
    drawn as materialized (
      select n.index, 'source' as side, s.port ->> 'id' as handle, s.port ->> 'name' as name, false as is_required, false as is_handed_on
      from node as n cross join lateral jsonb_array_elements(n.sources) as s (port)
      union all
      select n.index, 'target', t.port ->> 'id', t.port ->> 'name', (t.port ->> 'required')::boolean, (t.port ->> 'passthrough')::boolean
      from node as n cross join lateral jsonb_array_elements(n.targets) as t (port)
    ),
    -- Handles name ports flow-wide; copies of a node may share them.
    handle as materialized (
      select d.side, d.handle, max(d.name) as name, min(d.index) as first_index, max(d.index) as last_index
      from drawn as d group by d.side, d.handle
    ),
    edge as materialized (
      select (e.position - 1)::integer as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target,
        e.edge ->> 'targetHandle' as target_handle,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then 'target' else 'source' end as side,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then substr(e.edge ->> 'sourceHandle', 13)
          else e.edge ->> 'sourceHandle' end as source_handle
      from jsonb_array_elements(flow_warnings.edges) with ordinality as e (edge, position)
    ),
    wired as materialized (
      select e.index, e.side, s.index as source_index, t.index as target_index, s.node_id as source_id, t.node_id as target_id,
        case when sh.name is not null and e.side = 'source' and s.node_id = 'flow_input' then coalesce(s.label, sh.name) else sh.name end
          as source_name,
        case when th.name is not null and t.node_id = 'flow_output' then coalesce(t.label, th.name) else th.name end as target_name,
        s.type = 'native' and (not v_knows_nodes or s.node_id in (select d.node_id from definition as d)) as is_source_known,
        t.type = 'native' and (not v_knows_nodes or t.node_id in (select d.node_id from definition as d)) as is_target_known,
        case e.side when 'source' then s.are_outputs_drawn else s.are_inputs_drawn end as is_source_drawn,
        t.are_inputs_drawn as is_target_drawn,
        case when sh.first_index = sh.last_index then sh.first_index = s.index
          else (s.index, e.side, e.source_handle) in (select d.index, d.side, d.handle from drawn as d) end as is_own_source,
        case when th.first_index = th.last_index then th.first_index = t.index
          else (t.index, 'target', e.target_handle) in (select d.index, d.side, d.handle from drawn as d) end as is_own_target
      from edge as e
      join node as s on s.id = e.source
      join node as t on t.id = e.target
      left join handle as sh on sh.side = e.side and sh.handle = e.source_handle
      left join handle as th on th.side = 'target' and th.handle = e.target_handle
    ),
    required as (
      select n.index, n.form_data, case n.node_id when 'flow_output' then n.label else p.name end as name
      from defined_port as p join node as n on n.node_id = p.node_id
      where p.side = 'target' and p.is_required and n.type = 'native' and not n.are_inputs_drawn
      union all
      select n.index, n.form_data, d.name
      from drawn as d join node as n on n.index = d.index
      where d.side = 'target' and d.is_required and n.type = 'native' and n.are_inputs_drawn
        and (not v_knows_nodes or n.node_id in (select f.node_id from definition as f))
    ),
    warning (place, index, code, member, message) as (
      select 1, n.index, 'node_not_implemented', '.data.node_id', case
        when n.type = 'native' then format('there is no node %s here, so the run fails at it', to_jsonb(private.shorten(n.node_id)))
        else format('nodes of type %s are not executed, so the run fails at it', n.type)
      end
      from node as n
      where n.type <> 'native' or v_knows_nodes and n.node_id not in (select d.node_id from definition as d)
      union all
      select 1, max(n.index), 'input_label_duplicate', '.data.targets_form.form_data.label',
        format('two flow inputs have the label %s, and get the same value', to_jsonb(private.shorten(n.label)))
      from node as n where n.node_id = 'flow_input' and n.label is not null
      group by n.label having count(*) > 1
      union all
      select distinct 1, r.index, 'input_missing', '', format(
        'the input %s is required, and has neither an edge nor a value, so the run fails at the node', to_jsonb(private.shorten(r.name))
      )
      from required as r
      where case jsonb_typeof(r.form_data) when 'object' then not r.form_data ? r.name else true end
        and (r.index, r.name) not in (
          select w.target_index, w.target_name from wired as w where w.source_name is not null and w.target_name is not null
        )
      union all
      select 2, w.index, 'edge_source_handle_unknown', '.sourceHandle', case
        when w.source_name is null then 'no port has this id, so the edge is left out'
        else format('this is the id of another node''s port: of the source the one of its name is taken, %s', to_jsonb(private.shorten(w.source_name)))
      end
      from wired as w where w.is_own_source is not true
      union all
      select 2, w.index, 'edge_target_handle_unknown', '.targetHandle', case
        when w.target_name is null then 'no port has this id, so the edge is left out'
        else format('this is the id of another node''s port: of the target the one of its name is taken, %s', to_jsonb(private.shorten(w.target_name)))
      end
      from wired as w where w.is_own_target is not true
      union all
      select 2, w.index, 'edge_source_port_unknown', '.sourceHandle', format(
        case w.side when 'source' then 'the node has no output %s, so the run fails at it'
          else 'the node does not hand its input %s on, so the run fails at it' end,
        to_jsonb(private.shorten(w.source_name))
      )
      from wired as w
      where w.source_name is not null and w.target_name is not null and w.is_source_known
        and not (w.side = 'source' and (w.source_id = 'flow_input' or w.is_source_drawn and w.is_own_source is true))
        and case when w.is_source_drawn
          then (w.source_index, w.side, w.source_name) not in (
            select d.index, d.side, d.name from drawn as d where d.side = 'source' or d.is_handed_on
          )
          else (w.source_id, w.side, w.source_name) not in (
            select p.node_id, p.side, p.name from defined_port as p where p.side = 'source' or p.is_handed_on
          )
        end
      union all
      select 2, w.index, 'edge_target_port_unknown', '.targetHandle',
        format('the node has no input %s, so the run fails at it', to_jsonb(private.shorten(w.target_name)))
      from wired as w
      where w.source_name is not null and w.target_name is not null and w.is_target_known and w.target_id <> 'flow_output'
        and not (w.is_target_drawn and w.is_own_target is true)
        and case when w.is_target_drawn
          then (w.target_index, w.target_name) not in (select d.index, d.name from drawn as d where d.side = 'target')
          else (w.target_id, w.target_name) not in (select p.node_id, p.name from defined_port as p where p.side = 'target')
        end
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'code', first.code, 'path', format('%s[%s]%s', case first.place when 1 then 'nodes' else 'edges' end, first.index, first.member),
      'message', first.message
    ) order by first.place, first.index, first.code, first.message), '[]')
    from (select w.* from warning as w order by w.place, w.index, w.code, w.message limit 100) as first
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.give_back_flow_run (
  flow_run_id   uuid,
  delay_seconds integer
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_message_id bigint;
  v_is_stopping boolean;
begin
  -- What was given back stays so, whatever of the claim arrives late.
  update private.flow_run_jobs as j
  set
    is_held = false,
    -- A stop that came while it was held found nobody to wake, and waits for no time.
    sleeps_until = case
      when give_back_flow_run.delay_seconds > 0 and j.stop_requested_at is null
        then clock_timestamp() + make_interval(secs => give_back_flow_run.delay_seconds)
    end,
    -- Its worker lives: the next loss is the first in a row. Else runs that were there when others ended their workers would be
    -- suspects for as long as they wait, each executed alone while all others are given back.
    lost_claim_count = 0,
    -- Whoever came meanwhile goes first, of the same owner too: many runs in slices take turns, as new ones do.
    turn = nextval('pgmq.q_flow_runs_msg_id_seq')
  where j.flow_run_id = give_back_flow_run.flow_run_id and j.is_held
  returning j.message_id, j.stop_requested_at is not null into v_message_id, v_is_stopping;
  perform private.hide_messages(array[v_message_id], case when v_is_stopping then 0 else give_back_flow_run.delay_seconds end);
  return v_message_id is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.input_names (
  nodes jsonb
)
  RETURNS text[]
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(array_agg(named.name order by named.position), '{}')
  from (
    select label.name, min(n.position) as position
    from jsonb_array_elements(input_names.nodes) with ordinality as n (node, position)
    cross join lateral (
      select case jsonb_typeof(n.node #> '{data,targets_form,form_data,label}')
        when 'string' then n.node #>> '{data,targets_form,form_data,label}'
        else coalesce(n.node #>> '{data,sources,0,name}', '')
      end as name
    ) as label
    where n.node #>> '{data,type}' = 'native' and n.node #>> '{data,node_id}' = 'flow_input'
    group by label.name
  ) as named;
$function$;

-- By hand: deployments of before take the inputs that their snapshots name. Before their triggers keep the column as it is.
WITH named AS MATERIALIZED (
  SELECT s.hash, private.input_names(s.data #> '{entry,nodes}') AS input_names FROM private.flow_snapshots AS s
)
UPDATE public.flow_deployments AS d
SET input_names = named.input_names
FROM named
WHERE named.hash = d.snapshot_hash AND named.input_names <> '{}';

-- What nobody wrote, by the default of before.
UPDATE public.flow_deployments_tags AS t SET description = NULL WHERE t.tag = 'latest' AND t.description = '';

CREATE OR REPLACE FUNCTION private.is_chain_network (
  value jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return coalesce(
    jsonb_typeof(is_chain_network.value) = 'object'
      and is_chain_network.value ->> 'cluster' in ('devnet', 'testnet', 'mainnet-beta')
      and jsonb_typeof(is_chain_network.value -> 'url') = 'string'
      and is_chain_network.value ->> 'url' ~ '^https?://[^[:space:]/?#]+([/?#][^[:space:]]*)?$'
      and length(is_chain_network.value ->> 'url') <= 2048,
    false
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.json_faults (
  value jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  -- Half-way between the greatest double and 2^1024: from here on a double is infinite.
  v_infinite constant numeric := 179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792;
  v_size bigint;
  v_is_faulty boolean;
begin
  -- Without the values that hold others, of which every level copies what is in it. (What jsonb_path_query gives it takes from the
  -- beginning of a list, which moves all the rest.)
  select coalesce(sum(8 + case jsonb_typeof(leaf.value) when 'string' then octet_length(leaf.value #>> '{}') else 0 end), 0) into v_size
  from jsonb_array_elements(
    jsonb_path_query_array(json_faults.value, 'strict $.** ? (@.type() != "object" && @.type() != "array")')
  ) as leaf (value);
  if v_size <= 262144 then
    with recursive part as (
      select json_faults.value as value, 0 as depth, '' as name
      union all
      select inside.value, part.depth + 1, inside.name
      from part
      cross join lateral (
        select m.value, m.key as name
        from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
        union all
        select e.value, ''
        from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end) as e (value)
      ) as inside
      where part.depth <= 64
    )
    select
      -- The UTF-8 bytes of strings and member names, and 8 for each value: a size that TypeScript counts alike.
      sum(8 + octet_length(part.name) + case jsonb_typeof(part.value) when 'string' then octet_length(part.value #>> '{}') else 0 end),
      bool_or(
        part.depth > 64 or length(part.name) > 256
        or case jsonb_typeof(part.value) when 'number' then abs(part.value::numeric) >= v_infinite else false end
      )
    into v_size, v_is_faulty
    from part;
  end if;
  if v_size > 262144 then
    return '[{"path": "", "message": "holds more than 256 KiB"}]';
  end if;
  if not v_is_faulty then
    return '[]';
  end if;

  -- Where a path is told it is built, of bounded pieces: a long name would be copied to all that is below it.
  return (
    with recursive part as (
      select json_faults.value as value, '' as path, 0 as depth, false as is_named_too_long
      union all
      select inside.value, private.shorten(part.path || inside.step, 200), part.depth + 1, inside.is_named_too_long
      from part
      cross join lateral (
        select m.value, '.' || private.shorten(m.key) as step, length(m.key) > 256 as is_named_too_long
        from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
        union all
        select e.value, format('[%s]', e.position - 1), false
        from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end)
          with ordinality as e (value, position)
      ) as inside
      where part.depth <= 64
    ),
    fault as (
      select ltrim(part.path, '.') as path,
        case
          when part.depth > 64 then 'is nested deeper than 64 levels'
          when part.is_named_too_long then 'has a name of more than 256 characters'
          when jsonb_typeof(part.value) = 'number' then case
            when abs(part.value::numeric) >= v_infinite then 'takes a number that a double can hold'
          end
        end as message
      from part
    )
    select coalesce(jsonb_agg(jsonb_build_object('path', first.path, 'message', first.message) order by first.path collate "C"), '[]')
    from (select f.path, f.message from fault as f where f.message is not null order by f.path collate "C" limit 100) as first
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.known_quotas()
  RETURNS TABLE (
    name          text,
    default_value bigint,
    noun          text
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return query values
    ('flows', 1000::bigint, 'flows'),
    ('flow_bytes', 1073741824, 'bytes of nodes, edges and environments in flows'),
    ('deployments', 10000, 'deployments'),
    ('deployment_bytes', 4294967296, 'bytes of frozen flows in deployments'),
    ('tags', 10000, 'tags beside latest'),
    ('api_keys', 100, 'API keys'),
    ('wallets', 1000, 'wallets'),
    ('nodes', 1000, 'private node definitions');
end;
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
    perform private.fail(409, 'kv_store_exists', format('There is a store %s already.', to_jsonb(private.shorten(kv_create_store.store, 120))));
  end if;
  perform private.keep_effect(kv_create_store.effect, '{"M": {}}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.kv_store_missing (
  store text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.fail(404, 'kv_store_not_found', format('There is no store %s.', to_jsonb(private.shorten(kv_store_missing.store, 120))));
$function$;

CREATE OR REPLACE FUNCTION private.node_definition_faults (
  definition jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_definition jsonb := node_definition_faults.definition;
  v_faults jsonb;
begin
  -- What is within the limit takes less than this: what costs much isn't even looked at.
  if pg_column_size(v_definition) > 1048576 then
    return '[{"path": "", "message": "holds more than 256 KiB"}]';
  end if;
  -- A row has null for the columns that its definition leaves out: the size must not depend on it.
  if jsonb_typeof(v_definition) = 'object' then
    v_definition := v_definition - array(select m.key from jsonb_each(v_definition) as m where m.value = 'null');
  end if;
  v_faults := private.json_faults(v_definition);
  if v_faults = '[]' then
    v_faults := private.shape_faults(v_definition, private.node_definition_shape());
  end if;
  if v_faults <> '[]' then
    return v_faults;
  end if;
  with fault (path, message) as (
    select private.shorten(m.name), 'there is no such member; there are: ' || (
      select string_agg(rtrim(s.name, '!'), ', ' order by rtrim(s.name, '!') collate "C")
      from jsonb_object_keys(private.node_definition_shape()) as s (name)
    )
    from jsonb_object_keys(node_definition_faults.definition) as m (name)
    where m.name <> all (array(select rtrim(s.name, '!') from jsonb_object_keys(private.node_definition_shape()) as s (name)))
    union all
    -- Numbers and booleans that PostgREST writes into the text column arrive as their text.
    select 'type', 'takes a name: a letter, then letters, digits, _ and -, 64 at most, but neither true nor false'
    where v_definition ->> 'type' !~ '^(?!(true|false)$)[A-Za-z][A-Za-z0-9_-]{0,63}$'
    union all
    select 'data.' || l.name, format('takes 1 to %s characters', l.longest)
    from (values ('node_id', 200), ('version', 100)) as l (name, longest)
    where char_length(v_definition -> 'data' ->> l.name) not between 1 and l.longest
    union all
    -- A ui_schema alone defines no form; real records have one.
    select 'targets_form.ui_schema', 'is missing: targets_form.json_schema needs it'
    where v_definition ->> 'targets_form.ui_schema' is null and v_definition ->> 'targets_form.json_schema' is not null
    union all
    select format('%s[%s].name', p.side, p.position - 1), format('there is another one of the name %s', to_jsonb(private.shorten(p.port ->> 'name')))
    from (
      select s.side, e.port, e.position,
        row_number() over (partition by s.side, e.port ->> 'name' order by e.position) as occurrence
      from (values ('sources'), ('targets')) as s (side)
      cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    ) as p
    where p.occurrence > 1
    union all
    select format('%s[%s].name', s.side, e.position - 1), 'takes at most 256 characters'
    from (values ('sources'), ('targets')) as s (side)
    cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    where length(e.port ->> 'name') > 256
  )
  select coalesce(jsonb_agg(to_jsonb(first) order by first.path collate "C"), '[]') into v_faults
  from (select fault.* from fault order by fault.path collate "C" limit 100) as first;
  return v_faults;
end;
$function$;

CREATE OR REPLACE FUNCTION private.node_faults (
  nodes jsonb
)
  RETURNS TABLE (
    node_index integer,
    fault      text
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  -- Asked of all at once: only where a port is wrong, it is looked for node by node.
  v_has_bad_ports constant boolean := coalesce((
    select bool_or(
      jsonb_typeof(port -> 'id') is distinct from 'string' or jsonb_typeof(port -> 'name') is distinct from 'string'
      or greatest(length(port ->> 'id'), length(port ->> 'name')) > 256
    )
    from jsonb_array_elements(node_faults.nodes) as node
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(node -> 'data' -> 'sources') when 'array' then node -> 'data' -> 'sources' end
    ) as port
  ), false) or coalesce((
    select bool_or(
      jsonb_typeof(port -> 'id') is distinct from 'string' or jsonb_typeof(port -> 'name') is distinct from 'string'
      or greatest(length(port ->> 'id'), length(port ->> 'name')) > 256
      or jsonb_typeof(port -> 'type_bounds') is distinct from 'array'
      or jsonb_typeof(port -> 'required') is distinct from 'boolean' or jsonb_typeof(port -> 'passthrough') is distinct from 'boolean'
    )
    from jsonb_array_elements(node_faults.nodes) as node
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(node -> 'data' -> 'targets') when 'array' then node -> 'data' -> 'targets' end
    ) as port
  ), false);
begin
  return query
  select (n.position - 1)::integer, f.fault
  from jsonb_array_elements(node_faults.nodes) with ordinality as n (node, position)
  -- Taken out once, not by each condition.
  cross join lateral (select n.node -> 'data' as data offset 0) as d
  cross join lateral (select case
    when jsonb_typeof(n.node) <> 'object' then 'a node is an object'
    -- Postgres writes a UUID like that; a pattern takes four times as long.
    when not pg_input_is_valid(coalesce(n.node ->> 'id', ''), 'uuid') or (n.node ->> 'id')::uuid::text <> n.node ->> 'id'
      then 'id: takes a UUID in lower case with hyphens'
    when jsonb_typeof(d.data) is distinct from 'object' then 'data: takes an object'
    when coalesce(d.data ->> 'type', '') not in ('native', 'deno', 'WASM', 'mock')
      then 'data.type: takes native, deno, WASM or mock'
    when jsonb_typeof(d.data -> 'node_id') is distinct from 'string' then 'data.node_id: takes a string'
    when length(d.data ->> 'node_id') > 200 then 'data.node_id: takes at most 200 characters'
    when jsonb_typeof(d.data -> 'sources') is distinct from 'array' then 'data.sources: takes an array'
    when jsonb_typeof(d.data -> 'targets') is distinct from 'array' then 'data.targets: takes an array'
    when jsonb_array_length(d.data -> 'sources') > 1000 then 'data.sources: takes at most 1,000 sources'
    when jsonb_array_length(d.data -> 'targets') > 1000 then 'data.targets: takes at most 1,000 targets'
    when v_has_bad_ports and private.port_fault(d.data) is not null then private.port_fault(d.data)
    when d.data #> '{targets_form,form_data}' is null then 'data.targets_form.form_data: is missing'
    when d.data ->> 'node_id' in ('flow_input', 'flow_output')
        and length(d.data #>> '{targets_form,form_data,label}') > 256
      then 'data.targets_form.form_data.label: takes at most 256 characters'
  end) as f (fault)
  where f.fault is not null
  order by n.position limit 1001;
end;
$function$;

CREATE OR REPLACE FUNCTION private.owners_in_turn (
  last_id     uuid,
  max_owners  integer,
  passed_over uuid[]
)
  RETURNS TABLE (
    user_id    uuid,
    turn       bigint,
    suspect_id uuid
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  c_first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  c_last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  c_last_turn constant bigint := 9223372036854775807;
  v_after_id uuid := coalesce(owners_in_turn.last_id, c_first_id);
  v_after_turn bigint := case when owners_in_turn.last_id is null then 0 else c_last_turn end;
  v_until_id uuid := c_last_id;
  v_is_anew boolean := owners_in_turn.last_id is null;
  v_count integer := 0;
begin
  while v_count < owners_in_turn.max_owners loop
    select j.user_id, j.turn, case when j.lost_claim_count + j.is_held::integer >= 2 then j.flow_run_id end
    into user_id, turn, suspect_id
    from private.flow_run_jobs as j
    -- A look for each job by itself: a join might be planned, and its plan kept, as one that reads the whole queue for each.
    cross join lateral (select from pgmq.q_flow_runs as m where m.msg_id = j.message_id and m.vt <= clock_timestamp() offset 0) as m
    where j.message_id is not null and j.sleeps_until is null and (j.user_id, j.turn) > (v_after_id, v_after_turn) and j.user_id <= v_until_id
    order by j.user_id, j.turn
    limit 1;
    if found then
      if (user_id = any (owners_in_turn.passed_over)) is not true then
        return next;
        v_count := v_count + 1;
      end if;
      v_after_id := user_id;
      v_after_turn := c_last_turn;
    else
      -- Behind the last of all owners come the first ones, up to the one that was begun after.
      exit when v_is_anew;
      v_is_anew := true;
      v_after_id := c_first_id;
      v_after_turn := 0;
      v_until_id := owners_in_turn.last_id;
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pending_signature_request (
  flow_run_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_id uuid := private.root_run_for_caller(pending_signature_request.flow_run_id);
begin
  perform from public.flow_run as r where r.id = v_run_id and r.end_time is null;
  if not found then
    perform private.fail(404, 'signature_request_not_found', 'The run has ended: it asks for no signature any more.');
  end if;
  return jsonb_build_object(
    'request', (
      select jsonb_build_object(
        'id', s.id, 'time', floor(extract(epoch from s.created_at) * 1000), 'pubkey', s.pubkey, 'message', s.msg,
        'timeout', extract(epoch from s.expires_at - s.created_at), 'flow_run_id', s.flow_run_id, 'signatures', s.signatures
      )
      from private.open_signature_requests(v_run_id) as s
      limit 1
    ),
    'is_overdue', private.has_queued_run(interval '2 seconds')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.pending_snapshots()
  RETURNS bytea[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return array(
    select j.snapshot_hash from private.flow_run_jobs as j where j.message_id is not null and j.sleeps_until is null
    union
    select j.snapshot_hash from private.flow_run_jobs as j where j.sleeps_until is not null
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.pick_flow_runs (
  max_runs    integer,
  passed_over uuid[],
  OUT         run_ids uuid[],
  OUT         lost_claim_counts integer[],
  OUT         last_user_id uuid,
  OUT         suspect_id uuid
)
  RETURNS record
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_last private.last_claim;
  v_wanted integer := pick_flow_runs.max_runs;
  v_owner_ids uuid[];
  v_turns bigint[];
  v_suspect_ids uuid[];
  v_tried_ids uuid[];
  v_tried_id uuid;
  v_suspect record;
  v_noted_id uuid;
  v_share integer;
  v_rounds integer;
  v_places integer;
begin
  select l.* into v_last from private.last_claim as l where l.id;
  loop
    select array_agg(o.user_id), array_agg(o.turn), array_agg(o.suspect_id) into v_owner_ids, v_turns, v_suspect_ids
    from private.owners_in_turn(v_last.user_id, v_wanted, pick_flow_runs.passed_over) as o;
    if v_tried_ids is null and v_owner_ids is not null then
      -- A run that lost two workers may be what ended them: it goes alone, so that it takes no others along. One that had to wait
      -- comes before all others, and after it the owners go on where they were.
      v_tried_ids := array_remove(array[v_last.suspect_id, v_suspect_ids[1]], null);
      foreach v_tried_id in array v_tried_ids loop
        v_suspect := private.pick_suspect(v_tried_id);
        if v_suspect.user_id = any (pick_flow_runs.passed_over) then
          -- Its owner has a place: it waits on, noted as it is.
          v_noted_id := v_tried_id;
        elsif v_suspect.user_id is not null then
          suspect_id := v_noted_id;
          run_ids := array[v_tried_id];
          lost_claim_counts := array[v_suspect.lost_claim_count];
          last_user_id := case when v_tried_id = v_last.suspect_id then v_last.user_id else v_suspect.user_id end;
          return;
        end if;
      end loop;
    end if;

    v_share := case
      when pick_flow_runs.passed_over is null then ceil(v_wanted::double precision / cardinality(v_owner_ids))
      -- Those who have no place get one each, so that the next who comes finds some left.
      else 1
    end;
    select array_agg(picked.flow_run_id order by picked.round, picked.place),
      array_agg(picked.lost_claim_count order by picked.round, picked.place),
      (array_agg(picked.user_id order by picked.round desc, picked.place desc))[1], max(picked.round), max(picked.place)
    into run_ids, lost_claim_counts, last_user_id, v_rounds, v_places
    from (
      select own.*, o.user_id, o.place
      from unnest(v_owner_ids, v_turns) with ordinality as o (user_id, turn, place)
      cross join lateral (
        select free.flow_run_id, free.lost_claim_count, row_number() over (order by free.turn) as round
        from (
          select j.flow_run_id, j.turn, j.lost_claim_count + j.is_held::integer as lost_claim_count
          from private.flow_run_jobs as j
          -- All three rows: what an older claim, a stop or a heartbeat has just changed is looked at anew, and whom one of them is
          -- changing now is no worker's to take over.
          cross join lateral (
            select from pgmq.q_flow_runs as m where m.msg_id = j.message_id and m.vt <= clock_timestamp() for no key update skip locked
          ) as m
          join public.flow_run as r on r.id = j.flow_run_id
          where j.message_id is not null and j.sleeps_until is null and j.user_id = o.user_id and j.turn >= o.turn and j.lost_claim_count + j.is_held::integer < 2
          order by j.turn
          limit v_share
          for no key update of j, r skip locked
        ) as free
      ) as own
      order by own.round, o.place
      limit pick_flow_runs.max_runs
    ) as picked;
    -- Again with twice as many, as long as those that are missing may be more of the same owners, or of others: some had fewer than
    -- their share, or such as somebody is changing.
    exit when (
      coalesce(cardinality(run_ids), 0) < pick_flow_runs.max_runs
      and ((pick_flow_runs.passed_over is null and v_rounds = v_share) or cardinality(v_owner_ids) = v_wanted)
    ) is not true;
    v_wanted := 2 * v_wanted;
  end loop;
  -- Others have taken the place of one that had to wait.
  suspect_id := coalesce(v_noted_id, (
    select s.id from unnest(v_suspect_ids) with ordinality as s (id, place)
    where s.place <= v_places and s.id is not null and s.id <> all (v_tried_ids)
    order by s.place limit 1
  ));
end;
$function$;

CREATE OR REPLACE FUNCTION private.port_fault (
  data jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return case
    -- Strict: lax paths look into arrays of arrays.
    when jsonb_path_exists(port_fault.data, 'strict $.sources[*] ? (@.type() != "object")')
      then 'data.sources: a source is an object'
    when jsonb_path_exists(port_fault.data, 'strict $.targets[*] ? (@.type() != "object")')
      then 'data.targets: a target is an object'
    when jsonb_path_exists(port_fault.data, '$.sources[*] ? (!(@.id.type() == "string" && @.name.type() == "string"))')
      then 'data.sources: a source has a string id and a string name'
    when jsonb_path_exists(port_fault.data, '$.targets[*] ? (!(@.id.type() == "string" && @.name.type() == "string"
        && @.type_bounds.type() == "array" && @.required.type() == "boolean" && @.passthrough.type() == "boolean"))')
      then 'data.targets: a target has a string id and name, an array type_bounds, and booleans required and passthrough'
    when exists (
      select from jsonb_array_elements(port_fault.data -> 'sources') as port
      where greatest(length(port ->> 'id'), length(port ->> 'name')) > 256
    )
      then 'data.sources: the id and the name of a source take at most 256 characters'
    when exists (
      select from jsonb_array_elements(port_fault.data -> 'targets') as port
      where greatest(length(port ->> 'id'), length(port ->> 'name')) > 256
    )
      then 'data.targets: the id and the name of a target take at most 256 characters'
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.pre_request()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_api_key text;
begin
  -- The planner's estimates count rows that policies hide. The first condition spares other requests the parsing.
  if current_setting('request.headers', true) like '%count=%' and current_setting('role') <> 'service_role'
    and private.request_header('prefer') ~ 'count=(planned|estimated)' then
    perform private.fail(400, 'count_inexact', 'Prefer: count= takes exact only.',
      hint => 'Planned and estimated counts tell of rows that the caller may not see. Send Prefer: count=exact.');
  end if;
  if private.request_header('x-flow-run-token') is not null and private.token_run_id() is null then
    perform private.fail(401, 'token_invalid', 'The run token is not valid.');
  end if;
  -- Only a caller without a token: a user token beats an API key.
  if current_setting('role') = 'anon' then
    v_api_key := private.request_header('x-api-key');
    if v_api_key is not null then
      perform set_config('request.jwt.claims', private.api_key_claims(v_api_key)::text, true);
      perform set_config('role', 'authenticated', true);
      -- PostgREST has taken over what anon may take.
      perform set_config('statement_timeout', split_part(o.setting, '=', 2), true)
      from pg_catalog.pg_db_role_setting as s cross join unnest(s.setconfig) as o (setting)
      where s.setdatabase = 0 and s.setrole = 'authenticated'::regrole and o.setting like 'statement\_timeout=%';
    end if;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.quota (
  name text
)
  RETURNS bigint
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return coalesce(
    (select s.value from private.quotas as s where s.name = quota.name),
    (select k.default_value from private.known_quotas() as k where k.name = quota.name)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.quota_use (
  name    text,
  user_id uuid
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
begin
  case quota_use.name
    when 'flows' then
      return (select count(*) from public.flows as f where f.user_id = quota_use.user_id);
    when 'flow_bytes' then
      return (
        select sum(pg_column_size(f.nodes)::bigint + pg_column_size(f.edges) + pg_column_size(f.environment))
        from public.flows as f where f.user_id = quota_use.user_id
      );
    when 'deployments' then
      return (select count(*) from public.flow_deployments as d where d.user_id = quota_use.user_id);
    when 'deployment_bytes' then
      return (
        select sum(pg_column_size(s.data)::bigint)
        from (select distinct d.snapshot_hash from public.flow_deployments as d where d.user_id = quota_use.user_id) as own
        join private.flow_snapshots as s on s.hash = own.snapshot_hash
      );
    when 'tags' then
      return (select count(*) from public.flow_deployments_tags as t where t.user_id = quota_use.user_id and t.tag <> 'latest');
    when 'api_keys' then
      return (select count(*) from public.api_keys as k where k.user_id = quota_use.user_id);
    when 'wallets' then
      return (select count(*) from public.wallets as w where w.user_id = quota_use.user_id);
    when 'nodes' then
      return (select count(*) from public.nodes as n where n.user_id = quota_use.user_id and not n.is_public);
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.quotas()
  RETURNS TABLE (
    name          text,
    value         bigint,
    default_value bigint
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select k.name, private.quota(k.name), k.default_value from private.known_quotas() as k;
$function$;

CREATE OR REPLACE FUNCTION private.reduce_nodes (
  nodes jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return (
    select format('[%s]', string_agg(format(
      '{"id": %s, "data": {"type": %s, "node_id": %s, "sources": [%s], "targets": [%s]%s, "targets_form": {%s"form_data": %s}%s}}',
      node -> 'id', d.data -> 'type', d.data -> 'node_id',
      (
        select string_agg(format(
          '{"id": %s, "name": %s%s%s}', port -> 'id', port -> 'name',
          ', "type": ' || (port -> 'type')::text, ', "optional": ' || (port -> 'optional')::text
        ), ', ' order by p.position)
        from jsonb_array_elements(d.data -> 'sources') with ordinality as p (port, position)
      ),
      (
        select string_agg(format(
          '{"id": %s, "name": %s, "required": %s, "passthrough": %s, "type_bounds": %s}',
          port -> 'id', port -> 'name', port -> 'required', port -> 'passthrough', port -> 'type_bounds'
        ), ', ' order by p.position)
        from jsonb_array_elements(d.data -> 'targets') with ordinality as p (port, position)
      ),
      ', "display_name": ' || (d.data -> 'display_name')::text,
      '"extra": ' || (d.data -> 'targets_form' -> 'extra')::text || ', ',
      d.data -> 'targets_form' -> 'form_data',
      ', "instruction_info": ' || (d.data -> 'instruction_info')::text
    ), ', ' order by n.position))
    from jsonb_array_elements(reduce_nodes.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_start (
  limit_name          text,
  share               text,
  value               bigint,
  retry_after_seconds integer
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.fail(
    429, 'start_limit_reached',
    format(
      case refuse_start.share
        when 'all' then 'This deployment has reached its %s, %s.'
        when 'guests' then 'Callers who have not signed up have reached their share of this deployment''s %s, %s.'
        else 'You have reached your share of this deployment''s %s, %s.'
      end,
      refuse_start.limit_name, refuse_start.value
    ),
    jsonb_build_object(
      'limit', refuse_start.limit_name, 'value', refuse_start.value,
      'of', case when refuse_start.share in ('all', 'guests') then refuse_start.share else 'caller' end
    ),
    'Try again after the seconds in Retry-After.',
    jsonb_build_object('Retry-After', refuse_start.retry_after_seconds::text)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.root_run_for_caller (
  flow_run_id uuid
)
  RETURNS uuid
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return (private.run_for_caller(private.root_run_id(root_run_for_caller.flow_run_id))).id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_for_caller (
  flow_run_id uuid
)
  RETURNS public.flow_run
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller record := private.require_caller();
  v_run public.flow_run;
begin
  select r.* into v_run from public.flow_run as r
  where r.id = run_for_caller.flow_run_id
    and (
      r.user_id = v_caller.user_id
      or r.parent_flow_run_id is null and (r.started_by = v_caller.user_id or r.id = v_caller.run_id)
    );
  if not found then
    perform private.fail(404, 'flow_run_not_found', 'There is no such run.');
  end if;
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.runner_metrics()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- The time as a sub-select: a volatile function in a condition would keep the indexes from being used.
  -- Those that sleep and those that don't each have an index of their own.
  with job as not materialized (
    select j.* from private.flow_run_jobs as j where j.message_id is not null and j.sleeps_until is null
    union all
    select j.* from private.flow_run_jobs as j where j.sleeps_until is not null
  ),
  queue as (
    select count(*) as length, (select clock_timestamp()) - min(m.vt) as age
    from pgmq.q_flow_runs as m
    where m.vt <= (select clock_timestamp())
  ),
  hidden as (
    select count(*) filter (where j.is_held) as running,
      count(*) filter (where not j.is_held and r.status <> 'waiting') as delayed
    from pgmq.q_flow_runs as m
    join job as j on j.message_id = m.msg_id
    join public.flow_run as r on r.id = j.flow_run_id
    where m.vt > (select clock_timestamp())
  )
  select jsonb_build_object(
    'queue_length', queue.length,
    'oldest_queued_seconds', round(extract(epoch from queue.age), 3),
    'delayed', hidden.delayed,
    'running', hidden.running,
    'waiting', (
      -- A sub-select is a look at the key for each run that has not ended; a join might read all runs.
      select count(*) from job as j
      where (select r.status from public.flow_run as r where r.id = j.flow_run_id) = 'waiting'
    ),
    'failed_last_hour', (
      select count(*) from private.flow_run_jobs as j where j.failed_at > (select clock_timestamp()) - interval '1 hour'
    )
  )
  from queue cross join hidden;
$function$;

CREATE OR REPLACE FUNCTION private.set_quota (
  name  text,
  value bigint
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not exists (select from private.known_quotas() as k where k.name = set_quota.name) then
    perform private.fail(400, 'request_invalid', format(
      'name must be one of %s.', (select string_agg(k.name, ', ' order by k.name) from private.known_quotas() as k)
    ));
  end if;
  if set_quota.value < 0 then
    perform private.fail(400, 'request_invalid', 'value must be an integer from 0 to 2^63-1, or null for the default.');
  end if;
  if set_quota.value is null then
    delete from private.quotas as q where q.name = set_quota.name;
  else
    insert into private.quotas as q (name, value) values (set_quota.name, set_quota.value)
    on conflict on constraint quotas_pkey do update set value = excluded.value;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.shape_faults (
  value jsonb,
  shape jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  with recursive part as (
    select shape_faults.value as value, shape_faults.shape as shape, '' as path, true as is_required
    union all
    select inside.value, inside.shape, part.path || inside.step, inside.is_required
    from part
    cross join lateral (
      -- A member that is null counts as missing.
      select nullif(part.value -> rtrim(m.key, '!'), 'null') as value, m.value as shape, '.' || rtrim(m.key, '!') as step,
        m.key like '%!' as is_required
      from jsonb_each(case when jsonb_typeof(part.value) = 'object' and jsonb_typeof(part.shape) = 'object' then part.shape end) as m
      union all
      select e.value, part.shape -> 0, format('[%s]', e.position - 1), true
      from jsonb_array_elements(case when jsonb_typeof(part.value) = 'array' and jsonb_typeof(part.shape) = 'array' then part.value end)
        with ordinality as e (value, position)
    ) as inside
  ),
  typed as (
    select ltrim(part.path, '.') as path, part.is_required, jsonb_typeof(part.value) as type,
      case jsonb_typeof(part.shape) when 'string' then part.shape #>> '{}' else jsonb_typeof(part.shape) end as expected
    from part
  )
  select coalesce(jsonb_agg(jsonb_build_object('path', fault.path, 'message', case
    when fault.type is null then 'is missing'
    else 'takes ' || case fault.expected
      when 'boolean' then 'true or false' when 'object' then 'an object' when 'array' then 'an array' else 'a ' || fault.expected
    end
  end) order by fault.path collate "C"), '[]')
  from (
    select typed.path, typed.type, typed.expected from typed
    where case when typed.type is null then typed.is_required else typed.type <> typed.expected end
    order by typed.path collate "C" limit 100
  ) as fault;
$function$;

CREATE OR REPLACE FUNCTION private.share_of_limit (
  share text,
  value integer
)
  RETURNS bigint
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return case share_of_limit.share
    when 'all' then share_of_limit.value
    when 'guests' then (share_of_limit.value::bigint + 1) / 2
    else (share_of_limit.value::bigint + 9) / 10
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.shorten (
  value   text,
  longest integer DEFAULT 100
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case when length(shorten.value) > shorten.longest then left(shorten.value, shorten.longest) || '…' else shorten.value end;
$function$;

CREATE OR REPLACE FUNCTION private.snapshot_warnings (
  hash    bytea,
  flow_id integer,
  strict  boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_version bigint := coalesce((select n.version from private.native_nodes as n), 0);
  v_warnings jsonb;
begin
  select w.warnings into v_warnings
  from private.flow_snapshot_warnings as w
  where w.snapshot_hash = snapshot_warnings.hash and w.nodes_version = v_version;
  if not found then
    select coalesce(jsonb_agg(warning order by graph.flow_id nulls first, warning.position), '[]') into v_warnings
    from (
      select null::integer as flow_id, s.data -> 'entry' as graph from private.flow_snapshots as s where s.hash = snapshot_warnings.hash
      union all
      -- One that is called by itself is there twice.
      select f.key::integer, f.value
      from private.flow_snapshots as s cross join lateral jsonb_each(s.data -> 'flows') as f
      where s.hash = snapshot_warnings.hash and f.value <> s.data -> 'entry'
    ) as graph
    cross join lateral (
      select w.warning || case when graph.flow_id is null then '{}' else jsonb_build_object('flow_id', graph.flow_id) end as warning, w.position
      from jsonb_array_elements(private.flow_warnings(graph.graph -> 'nodes', graph.graph -> 'edges')) with ordinality as w (warning, position)
    ) as warning;
    v_warnings := jsonb_path_query_array(v_warnings, '$[0 to 99]');
    -- Of whoever else finds them meanwhile the same.
    insert into private.flow_snapshot_warnings as w (snapshot_hash, nodes_version, warnings)
    values (snapshot_warnings.hash, v_version, v_warnings)
    on conflict (snapshot_hash) do update set nodes_version = excluded.nodes_version, warnings = excluded.warnings;
  end if;
  if v_warnings = '[]' then
    return '[]';
  end if;
  v_warnings := (
    select jsonb_agg(jsonb_build_object('flow_id', snapshot_warnings.flow_id) || w.warning order by w.position)
    from jsonb_array_elements(v_warnings) with ordinality as w (warning, position)
  );
  if snapshot_warnings.strict then
    perform private.fail(422, 'flow_invalid', format('The flow is not without warnings: %s.', v_warnings #>> '{0,message}'), v_warnings);
  end if;
  return v_warnings;
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_deployment (
  id              uuid,
  flow            integer,
  tag             text,
  inputs          jsonb,
  action_signer   text,
  public_key      text,
  idempotency_key text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_claims jsonb := auth.jwt();
  v_user_id uuid := v_claims ->> 'sub';
  v_tagged_id uuid;
  v_deployment public.flow_deployments;
  v_request jsonb;
begin
  -- A start pays for each expression that it comes through, and for each function in it: most come through one here.
  if (
    start_deployment.idempotency_key is null
    and (start_deployment.id is null) <> (start_deployment.flow is null) and (start_deployment.id is null or start_deployment.tag is null)
    and v_claims ->> 'role' <> 'service_role'
  ) is not true then
    perform private.check_start(start_deployment.id, start_deployment.flow, start_deployment.tag);
    if start_deployment.idempotency_key is not null then
      v_request := jsonb_build_object(
        'deployment', jsonb_build_array(start_deployment.id, start_deployment.flow, start_deployment.tag),
        'inputs', start_deployment.inputs, 'action_signer', start_deployment.action_signer
      );
    end if;
  end if;

  -- Key share: the deployment, and so its snapshot, stays until the run is stored; deploys, customising and other starts don't wait.
  loop
    if start_deployment.flow is not null then
      select t.deployment_id into v_tagged_id
      from public.flow_deployments_tags as t
      where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest');
    end if;
    if v_user_id is null then
      -- Nearly every key has as many digits, and is told to be one without a call.
      if (
        length(start_deployment.public_key) = 44 and start_deployment.public_key !~ '[^1-9A-HJ-NP-Za-km-z]'
        and start_deployment.public_key collate "C" >= '2'
        and start_deployment.public_key collate "C" < 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH'
      ) is not true then
        perform private.check_public_key(start_deployment.public_key);
      end if;
      select d.* into v_deployment
      from public.flow_deployments as d where d.id = coalesce(start_deployment.id, v_tagged_id) for key share;
    else
      -- The caller first, as the deletion of a user goes: whoever had the deployment already would wait for the user in a circle.
      -- By one statement, which locks in the order of its names, since a second one would cost every start a twentieth.
      select d.* into v_deployment
      from auth.users as u, public.flow_deployments as d
      where u.id = v_user_id and u.deleted_at is null and d.id = coalesce(start_deployment.id, v_tagged_id)
      for key share of u, d;
    end if;
    -- Nothing is equal to what is not there.
    exit when v_deployment.user_id = v_user_id or v_deployment.start_permission = 'Anonymous'
      or v_deployment.start_permission = 'Authenticated' and v_user_id is not null
        and not coalesce((v_claims ->> 'is_anonymous')::boolean, false);
    if v_deployment.id is null then
      -- It may be the caller who is gone.
      perform private.lock_caller();
      -- Whoever deleted it while it was waited for has moved the tag, as latest always is: it is looked up anew.
      continue when start_deployment.flow is not null and v_tagged_id is not null;
    end if;
    perform private.fail(404, 'deployment_not_found', 'There is no such deployment.');
  end loop;

  return private.enqueue_run(
    user_id => v_deployment.user_id, flow_id => v_deployment.entrypoint, deployment_id => v_deployment.id,
    started_by => v_user_id,
    started_by_public_key => case when v_user_id is null then start_deployment.public_key end,
    inputs => coalesce(start_deployment.inputs, '{}'),
    output_instructions => v_deployment.output_instructions, action_identity => v_deployment.action_identity,
    action_signer => start_deployment.action_signer, fees => v_deployment.fees,
    chain_network => v_deployment.chain_network, snapshot_hash => v_deployment.snapshot_hash,
    counted_shares => case when v_deployment.user_id is distinct from v_user_id then
      private.start_shares(v_user_id, (v_claims ->> 'is_anonymous')::boolean, start_deployment.public_key)
    end,
    max_starts_per_minute => v_deployment.max_starts_per_minute, max_runs_in_flight => v_deployment.max_runs_in_flight,
    idempotency_key => start_deployment.idempotency_key, request => v_request, input_names => v_deployment.input_names
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_flow (
  flow_id         integer,
  inputs          jsonb,
  action_signer   text,
  idempotency_key text,
  strict          boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
  v_snapshot_hash bytea;
  v_warnings jsonb;
begin
  -- Key share: the flow stays until the run is stored, so that its deletion takes the run along. It may be edited meanwhile, and is
  -- read once: network and graph are of one edit.
  select f.* into v_flow from public.flows as f where f.id = start_flow.flow_id and f.user_id = v_user_id for key share;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;
  v_snapshot_hash := private.take_snapshot(v_flow);
  v_warnings := private.snapshot_warnings(v_snapshot_hash, v_flow.id, start_flow.strict);
  return private.enqueue_run(
    user_id => v_user_id, flow_id => v_flow.id, started_by => v_user_id,
    inputs => coalesce(start_flow.inputs, '{}'), action_signer => start_flow.action_signer,
    chain_network => v_flow.chain_network, snapshot_hash => v_snapshot_hash,
    idempotency_key => start_flow.idempotency_key,
    request => jsonb_build_object('flow', start_flow.flow_id, 'inputs', start_flow.inputs, 'action_signer', start_flow.action_signer),
    input_names => private.input_names(v_flow.nodes)
  ) || jsonb_build_object('warnings', v_warnings);
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_shares (
  user_id      uuid,
  is_anonymous boolean,
  public_key   text
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return case
    when start_shares.user_id is null then array['all', 'guests', 'key:' || start_shares.public_key]
    when start_shares.is_anonymous then array['all', 'guests', 'user:' || start_shares.user_id]
    else array['all', 'user:' || start_shares.user_id]
  end;
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
  v_run_id uuid := private.root_run_for_caller(stop_flow_run.flow_run_id);
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
      perform private.wake_flow_run(v_run_id);
    end if;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.suspend_flow_run (
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
  v_seconds integer;
begin
  perform private.store_progress(suspend_flow_run.flow_run_id, suspend_flow_run.attempt, suspend_flow_run.progress);
  perform private.count_progress(suspend_flow_run.flow_run_id, suspend_flow_run.progress);
  -- The run is locked: an answer or a stop has come before, or finds nobody who holds it. A request that has expired is open to a
  -- worker whose clock is behind: without a second between, it would give the run back on and on.
  select coalesce(
    ceil(extract(epoch from min(s.expires_at) filter (where s.expires_at > clock_timestamp()) - clock_timestamp())), least(count(*), 1)
  ) into v_seconds
  from public.signature_requests as s
  join private.flow_run_transactions as t on (t.flow_run_id, t.node_id, t.times) = (s.flow_run_id, s.node_id, s.times)
  where s.root_flow_run_id = suspend_flow_run.flow_run_id and s.signature is null and t.outcome is null;
  if private.give_back_flow_run(suspend_flow_run.flow_run_id, greatest(v_seconds, 0)) then
    update public.flow_run as r set status = 'waiting' where r.id = suspend_flow_run.flow_run_id;
  end if;
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
  v_idle bigint;
  v_runs bigint;
  v_keys bigint;
  v_messages bigint;
  v_snapshots bigint;
  v_hashes bytea[];
  v_used_hashes bytea[];
begin
  perform private.check_sweep(sweep_runner.max_age, sweep_runner.max_runs);

  -- Whatever a transaction under way has locked is left for the next sweep, so that nobody waits for a sweep that waits. `offset 0`
  -- keeps `not exists` a look at an index for each row; a join would read all of it.
  delete from public.flow_run as r
  where r.id = any (array(
    select old.id from public.flow_run as old
    -- The ids tell when runs were made, which is before they ended: no index of the ends is needed, which starts would pay for.
    where old.id < (select private.uuid_v7(greatest(now() - sweep_runner.max_age, 'epoch')))
      and old.parent_flow_run_id is null and old.end_time < now() - sweep_runner.max_age
    order by old.id limit sweep_runner.max_runs
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
    where not exists (
        select from private.flow_run_jobs as j where j.message_id = m.msg_id and j.message_id is not null and j.sleeps_until is null
      )
      and not exists (select from private.flow_run_jobs as j where j.message_id = m.msg_id and j.sleeps_until is not null)
    limit sweep_runner.max_runs
    for update skip locked
  )) as leftover (id)
  where pgmq.delete('flow_runs', leftover.id);

  v_idle := private.sweep_usage(sweep_runner.max_runs);
  -- What the end of a run had locked when its deployment was deleted.
  delete from private.deployment_usage as u
  where (u.deployment_id, u.share, u.slot) in (
    select old.deployment_id, old.share, old.slot from private.deployment_usage as old
    where not exists (select from public.flow_deployments as d where d.id = old.deployment_id offset 0)
    limit sweep_runner.max_runs
    for update skip locked
  );

  -- Last, since a start of the same graph waits for it. From the lock on nobody can take a snapshot anew; whoever took it before
  -- is seen in this order: a deployment that is gone by the first look has had its starts committed by the second.
  v_used_hashes := private.pending_snapshots();
  v_hashes := array(
    select s.hash from private.flow_snapshots as s
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = s.hash offset 0)
      and s.hash <> all (v_used_hashes)
    limit sweep_runner.max_runs
    for update skip locked
  );
  v_hashes := array(
    select u.hash from unnest(v_hashes) as u (hash)
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = u.hash offset 0)
  );
  v_used_hashes := private.pending_snapshots();
  delete from private.flow_snapshots as s where s.hash = any (v_hashes) and s.hash <> all (v_used_hashes);
  get diagnostics v_snapshots = row_count;

  return jsonb_build_object(
    'runs', v_runs, 'idempotency_keys', v_keys, 'messages', v_messages, 'snapshots', v_snapshots,
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_messages, v_snapshots, v_idle)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.sweep_usage (
  max_shares integer
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_idle bigint;
begin
  with idle as (
    select u.deployment_id, u.share
    from private.deployment_usage as u
    where u.share <> 'all'
    group by u.deployment_id, u.share
    having sum(u.in_flight) = 0 and max(u.minute) < now() - interval '1 minute'
    limit sweep_usage.max_shares
  ), locked as (
    select u.deployment_id, u.share, u.slot, u.in_flight, u.minute
    from private.deployment_usage as u join idle as i on (i.deployment_id, i.share) = (u.deployment_id, u.share)
    for update of u skip locked
  ), forgotten as (
    -- As they are under the lock. Where they add up to nothing, the sum with rows that were not seen or got stays what it is.
    delete from private.deployment_usage as u
    where (u.deployment_id, u.share, u.slot) in (
      select l.deployment_id, l.share, l.slot
      from locked as l join (
        select l.deployment_id, l.share from locked as l group by l.deployment_id, l.share
        having sum(l.in_flight) = 0 and max(l.minute) < now() - interval '1 minute'
      ) as unused on (unused.deployment_id, unused.share) = (l.deployment_id, l.share)
    )
  )
  select count(*) into v_idle from idle;
  return v_idle;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__after_insert_check_quota()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid;
  v_name text;
begin
  -- Deeper is the trigger of deployments that keeps latest, which counts for no quota.
  if pg_trigger_depth() > 1 then
    return null;
  end if;
  for v_user_id in select distinct i.user_id from inserted as i where i.user_id is not null order by i.user_id loop
    foreach v_name in array tg_argv loop
      perform private.check_quota(v_name, v_user_id);
    end loop;
  end loop;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Not what an end of a run has locked, who may hold more of them, in another order: a sweep takes it along.
  delete from private.deployment_usage as u
  where u.deployment_id = old.id and (u.share, u.slot) in (
    select free.share, free.slot from private.deployment_usage as free where free.deployment_id = old.id for update skip locked
  );
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Deploys and deletes of one flow go one after another; starts, which only read, don't wait for them.
  perform from public.flows as f where f.id = new.entrypoint for no key update;
  new.id := private.uuid_v7_after((
    select d.id from public.flow_deployments as d
    where d.entrypoint = new.entrypoint and d.user_id = new.user_id
    order by d.id desc limit 1
  ));
  new.created_at := private.uuid_v7_time(new.id);
  new.input_names := private.input_names(
    (select s.data #> '{entry,nodes}' from private.flow_snapshots as s where s.hash = new.snapshot_hash)
  );
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if (new.id, new.created_at, new.user_id, new.entrypoint, new.snapshot_hash, new.input_names)
    is distinct from (old.id, old.created_at, old.user_id, old.entrypoint, old.snapshot_hash, old.input_names)
  then
    perform private.fail(400, 'column_read_only',
      'id, created_at, user_id, entrypoint, snapshot_hash and input_names of a deployment can''t be changed.',
      hint => 'Deploy the flow again for a new deployment.');
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_run_jobs__after_end()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.deployment_usage as u (deployment_id, share, slot, in_flight)
  select old.counted_deployment_id, s.share, -1 - pg_backend_pid() % 32, -1
  from unnest(old.counted_shares) as s (share)
  -- Nothing is to be left of a deployment that is deleted. What is, since it is being deleted now, a sweep removes.
  where exists (select from public.flow_deployments as d where d.id = old.counted_deployment_id)
  on conflict on constraint deployment_usage_pkey do update set in_flight = u.in_flight - 1;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flows__after_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.check_quota('flows', new.user_id);
  perform private.check_quota('flow_bytes', new.user_id);
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flows__after_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Here all sizes are as stored. A flow that shrinks is saved, even when its owner has too much.
  if pg_column_size(new.nodes) + pg_column_size(new.edges) + pg_column_size(new.environment)
    > pg_column_size(old.nodes) + pg_column_size(old.edges) + pg_column_size(old.environment)
  then
    perform private.check_quota('flow_bytes', new.user_id);
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_nodes__after_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Each start of a stack writes all of them, mostly as they are.
  if exists (
    select from former as f join changed as c on c.id = f.id
    where c.user_id is null and private.node_definition(c) <> private.node_definition(f)
  ) then
    insert into private.native_nodes as n (version) values (1) on conflict (id) do update set version = n.version + 1;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_nodes__after_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if exists (select from changed as c where c.user_id is null) then
    insert into private.native_nodes as n (version) values (1) on conflict (id) do update set version = n.version + 1;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.wake_due_flow_runs()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Whom somebody is changing is being woken, or comes with the next claim.
  update private.flow_run_jobs as j set sleeps_until = null
  where j.flow_run_id = any (array(
    select due.flow_run_id from private.flow_run_jobs as due
    where due.sleeps_until <= (select clock_timestamp())
    order by due.sleeps_until limit 1000
    for no key update skip locked
  ));
end;
$function$;

CREATE OR REPLACE FUNCTION private.wake_flow_run (
  flow_run_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_message_id bigint;
begin
  update private.flow_run_jobs as j set sleeps_until = null
  where j.flow_run_id = wake_flow_run.flow_run_id and j.message_id is not null and not j.is_held
  returning j.message_id into v_message_id;
  perform private.hide_messages(array[v_message_id], 0);
end;
$function$;

CREATE OR REPLACE FUNCTION public.called_flow_runs (
  flow_run_id uuid,
  after       uuid DEFAULT NULL::uuid
)
  RETURNS TABLE (
    id                 uuid,
    status             text,
    created_at         timestamp with time zone,
    start_time         timestamp with time zone,
    end_time           timestamp with time zone,
    parent_flow_run_id uuid,
    parent_node_id     uuid,
    parent_times       integer
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select * from private.called_flow_runs(called_flow_runs.flow_run_id, called_flow_runs.after);
$function$;

CREATE OR REPLACE FUNCTION public.claim_flow_runs (
  max_runs        integer,
  lease_seconds   integer,
  known_snapshots text[]  DEFAULT '{}'::text[],
  max_lost_claims integer DEFAULT 5,
  wait_millies    integer DEFAULT 0,
  passed_over     uuid[]  DEFAULT NULL::uuid[]
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
    stop             jsonb,
    output_bytes     bigint
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return query
  select * from private.claim_flow_runs(
    claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.known_snapshots, claim_flow_runs.max_lost_claims,
    claim_flow_runs.wait_millies, claim_flow_runs.passed_over
  );
end;
$function$;

REVOKE ALL ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.deploy_flow (
  flow_id integer,
  strict  boolean DEFAULT false
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.deploy_flow(deploy_flow.flow_id, deploy_flow.strict);
end;
$function$;

CREATE OR REPLACE FUNCTION public.flow_run_history (
  flow_run_id uuid,
  max_bytes   integer DEFAULT NULL::integer
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.flow_run_history(flow_run_history.flow_run_id, flow_run_history.max_bytes);
$function$;

REVOKE ALL ON FUNCTION "public"."flow_run_history"(uuid, integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.flow_run_history_page (
  flow_run_id uuid,
  after       jsonb   DEFAULT NULL::jsonb,
  max_bytes   integer DEFAULT 4194304
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.flow_run_history_page(
    flow_run_history_page.flow_run_id, flow_run_history_page.after, flow_run_history_page.max_bytes
  );
$function$;

REVOKE ALL ON FUNCTION "public"."flow_run_history_page"(uuid, jsonb, integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.quotas()
  RETURNS TABLE (
    name          text,
    value         bigint,
    default_value bigint
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select * from private.quotas();
$function$;

REVOKE ALL ON FUNCTION "public"."quotas"() FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.set_quota (
  name  text,
  value bigint
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.set_quota(set_quota.name, set_quota.value);
$function$;

REVOKE ALL ON FUNCTION "public"."set_quota"(text, bigint) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.start_flow (
  flow_id         integer,
  inputs          jsonb   DEFAULT NULL::jsonb,
  action_signer   text    DEFAULT NULL::text,
  idempotency_key text    DEFAULT NULL::text,
  strict          boolean DEFAULT false
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.start_flow(
    start_flow.flow_id, start_flow.inputs, start_flow.action_signer, start_flow.idempotency_key, start_flow.strict
  );
end;
$function$;

ALTER TABLE "private"."deployment_usage"
  ADD CONSTRAINT "deployment_usage_pkey" PRIMARY KEY (deployment_id, share, slot);

ALTER TABLE "private"."flow_run_jobs"
  ADD CONSTRAINT "flow_run_jobs_asleep_while_nobody_holds_it" CHECK (((sleeps_until IS NULL) OR ((message_id IS NOT NULL) AND (NOT is_held))));

ALTER TABLE "private"."flow_snapshot_warnings"
  ADD CONSTRAINT "flow_snapshot_warnings_snapshot_hash_fkey" FOREIGN KEY (snapshot_hash) REFERENCES private.flow_snapshots(hash) ON DELETE CASCADE;

ALTER TABLE "public"."nodes"
  ADD CONSTRAINT "nodes_json_schema_with_ui_schema" CHECK ((("targets_form.json_schema" IS NULL) OR ("targets_form.ui_schema" IS NOT NULL)));

CREATE INDEX flow_run_jobs_sleeps_until_idx ON private.flow_run_jobs USING btree (sleeps_until)
  WHERE (sleeps_until IS NOT NULL);

CREATE INDEX flow_run_jobs_user_id_idx_pending ON private.flow_run_jobs USING btree (user_id, turn)
  WHERE ((message_id IS NOT NULL) AND (sleeps_until IS NULL));

CREATE TRIGGER _800_check_quota AFTER INSERT ON public.api_keys REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__after_insert_check_quota (
  'api_keys'
);

CREATE TRIGGER _800_check_quota AFTER INSERT ON public.flow_deployments
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__after_insert_check_quota (
  'deployments',
  'deployment_bytes'
);

CREATE TRIGGER _800_check_quota AFTER INSERT ON public.flow_deployments_tags
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__after_insert_check_quota (
  'tags'
);

CREATE TRIGGER _800_check_growth
  AFTER UPDATE ON public.flows
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flows__after_update();

CREATE TRIGGER _800_check_quota
  AFTER INSERT ON public.flows
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flows__after_insert();

CREATE TRIGGER _100_count_inserted
  AFTER INSERT ON public.nodes REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_nodes__after_write();

CREATE TRIGGER _110_count_updated
  AFTER UPDATE ON public.nodes REFERENCING OLD TABLE AS former NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_nodes__after_update();

CREATE TRIGGER _120_count_deleted
  AFTER DELETE ON public.nodes REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_nodes__after_write();

CREATE TRIGGER _800_check_quota AFTER INSERT ON public.nodes REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__after_insert_check_quota (
  'nodes'
);

CREATE TRIGGER _800_check_quota AFTER INSERT ON public.wallets REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION private.tg_any__after_insert_check_quota (
  'wallets'
);

CREATE POLICY "flow_run_select_owner_starter_token" ON "public"."flow_run"
  FOR SELECT
  TO "authenticated"
  USING
    (((user_id = ( SELECT auth.uid() AS uid)) OR ((parent_flow_run_id IS NULL) AND ((started_by = ( SELECT auth.uid() AS uid)) OR (id = ( SELECT private.token_run_id() AS
    token_run_id))))));

CREATE POLICY "flow_run_select_token" ON "public"."flow_run"
  FOR SELECT
  TO "anon"
  USING (((parent_flow_run_id IS NULL) AND (id = ( SELECT private.token_run_id() AS token_run_id))));

COMMENT ON COLUMN "private"."deployment_usage"."in_flight" IS 'Runs that were started here, less those that ended here: right in sum.';

COMMENT ON COLUMN "private"."deployment_usage"."minute" IS 'The minute that starts counts.';

COMMENT ON COLUMN "private"."deployment_usage"."share" IS 'Who is counted: ''all'', ''guests'' (all who have not signed up), or one caller, ''user:<id>'' or ''key:<public key>''. A start counts for each share that its caller belongs to, as private.start_shares says.';

COMMENT ON COLUMN "private"."deployment_usage"."starts" IS 'Starts of that minute.';

COMMENT ON COLUMN "private"."flow_run_jobs"."counted_shares" IS 'The shares of private.deployment_usage that it counts for.';

COMMENT ON COLUMN "private"."flow_run_jobs"."output_bytes" IS 'Bytes, as JSON, of what the nodes of the run and of those that it called have put out, as far as claims told: what a worker has to hold to go on with it.';

COMMENT ON COLUMN "private"."flow_run_jobs"."sleeps_until" IS 'When a run that was given back for later goes on; null for one that claims look at. So runs that wait, however many, cost a claim nothing.';

COMMENT ON COLUMN "private"."flow_snapshot_warnings"."nodes_version" IS 'The version in private.native_nodes that they were found with; with another one they are found anew.';

COMMENT ON COLUMN "private"."flow_snapshot_warnings"."warnings" IS 'Of private.flow_warnings, the first 100; those of called flows have the flow''s flow_id, those of the flow itself none, since flows that are equal share a snapshot.';

COMMENT ON COLUMN "private"."quotas"."value" IS 'How much a user may have at most.';

COMMENT ON COLUMN "public"."flow_deployments"."input_names" IS 'The names of the inputs that the frozen flow takes: a start that names another one is refused. Here, not with the snapshot, so that a start reads one row.';

COMMENT ON COLUMN "public"."flow_deployments_tags"."description" IS 'The owner''s words for people; null where there are none, as on latest until somebody describes it.';

COMMENT ON COLUMN "public"."nodes"."targets_form.json_schema" IS 'The form for its settings; needs targets_form.ui_schema.';

COMMENT ON FUNCTION "private"."called_flow_runs"(uuid, uuid) IS 'Does what public.called_flow_runs says. Definer: called runs are their owner''s only.';

COMMENT ON FUNCTION "private"."chain_network_faults"(jsonb) IS 'What is wrong with the chain_network of a deployment, by member: of unknown ones the first 20.';

COMMENT ON FUNCTION "private"."check_input_names"(jsonb, text[]) IS 'Refuses inputs that the flow does not have: 400 inputs_invalid, which names the first 20 of them and of those that there are.';

COMMENT ON FUNCTION "private"."check_inputs"(jsonb) IS 'Refuses inputs of a flow that are not an object of one-tag values, 64 levels deep and 1 MiB at most, with numbers and keys of at most 1000 characters: 400 inputs_invalid, 413 inputs_too_large.';

COMMENT ON FUNCTION "private"."check_quota"(text, uuid) IS 'Refuses what a transaction has stored of a user''s when that is more than a user may have: 409 quota_exceeded. Deletions never wait for it. Definer: it must see all rows.';

COMMENT ON FUNCTION "private"."check_share"(uuid, text, timestamp with time zone, integer, integer) IS 'Refuses a start, which is counted already, where its share of a deployment now has more starts of this minute or runs in flight than it may: 429 start_limit_reached. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) IS 'Does what public.claim_flow_runs says. Definer: queue, jobs and snapshots are private.';

COMMENT ON FUNCTION "private"."count_start"(uuid, text[], integer, integer) IS 'Counts a start by somebody else than the deployment''s owner for its shares, or refuses it: 429 queue_full, start_limit_reached. Starts under way at the same time don''t see each other: a limit may be exceeded by as many, and nobody is refused below it. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."deploy_flow"(integer, boolean) IS 'Does what public.deploy_flow says. Definer: snapshots are private, and deployments are inserted nowhere else.';

COMMENT ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text[], text, uuid, boolean, text, text, jsonb, text[], integer, integer, text, jsonb) IS
  'Stores a root run with the given settings, queues it, and returns {flow_run_id, token}; with an idempotency key that was used for the same request, the earlier run''s. A new run with counted_shares counts for the limits of its deployment: 429 queue_full, start_limit_reached. 400 action_signer_invalid, inputs_invalid; 413 inputs_too_large. Definer: runs are inserted nowhere else; callers check who asks.';

COMMENT ON FUNCTION "private"."flow_run_history"(uuid, integer) IS 'Does what public.flow_run_history says. Definer: for the runner, which may read everything of the runs that it claims.';

COMMENT ON FUNCTION "private"."flow_run_history_page"(uuid, jsonb, integer) IS 'Does what public.flow_run_history_page says. Definer: for the runner, which may read everything of the runs that it claims.';

COMMENT ON FUNCTION "private"."flow_size_findings"(jsonb, jsonb) IS 'Whether a graph has more nodes or edges than a runner sets up without keeping others waiting, as flow_findings tells it.';

COMMENT ON FUNCTION "private"."flow_warnings"(jsonb, jsonb) IS 'What in a graph without findings a run fails at or leaves out, as an array of {code, path, message}, the first 100. What nodes there are, and which ports they have, say the definitions that the service role has added; as long as there are none, every native node counts as there, with the ports that the JSON says.';

COMMENT ON FUNCTION "private"."give_back_flow_run"(uuid, integer) IS 'Gives a claim up, for the run to be claimed again after delay_seconds, or at once where it shall stop, with no lost claims; false when it was given up before. The caller holds the run''s lock. Definer: queue and jobs are private.';

COMMENT ON FUNCTION "private"."input_names"(jsonb) IS 'The names of a graph''s inputs, each once, in the order of its nodes: the label of each flow_input, else what its output is called, as functions/runner names it. Of nodes that have no faults.';

COMMENT ON FUNCTION "private"."json_faults"(jsonb) IS 'What is wrong with a JSON value whatever it means: nested too deeply, too large, with names that are too long, or no I-JSON (RFC 7493), as an array of {path, message}, the first 100; empty when nothing is. Its texts need no check: jsonb takes no NUL and no lone surrogates.';

COMMENT ON FUNCTION "private"."known_quotas"() IS 'What a user may have at most where the operator has set nothing else. Bytes are as stored, after compression.';

COMMENT ON FUNCTION "private"."node_definition_faults"(jsonb) IS 'What is wrong with a node definition, as an array of {path, message}, the first 100; empty when nothing is.';

COMMENT ON FUNCTION "private"."owners_in_turn"(uuid, integer, uuid[]) IS 'The owners who have a run whose message is visible, but for those passed over, in the order of their ids from the one after last_id on (null: from the first), each with the turn of the first such run, and its id when it lost two workers. Definer: queue and jobs are private.';

COMMENT ON FUNCTION "private"."pick_flow_runs"(integer, uuid[]) IS 'Locks the runs to claim next, in their order: those whose message is visible, one of each owner after the other, each owner''s by their turns; where owners are passed over, one of each other; a run that lost two workers alone. With them what private.last_claim has to note. Definer: queue and jobs are private; called under the lock of claim_flow_runs.';

COMMENT ON FUNCTION "private"."port_fault"(jsonb) IS 'What makes a port of a node unreadable for the runner, the first fault, or null; of the node''s data, whose sources and targets are arrays.';

COMMENT ON FUNCTION "private"."pre_request"() IS 'PostgREST runs it before each request: it refuses invalid run tokens and counts that are estimates, and lets the holder of an API key act as the key''s owner, so that auth.uid() and policies hold on every path. Invoker, since a definer can''t change the role.';

COMMENT ON FUNCTION "private"."quota"(text) IS 'How much of something a user may have. Definer: the settings are private.';

COMMENT ON FUNCTION "private"."quota_use"(text, uuid) IS 'How much of a quota a user has used up, what this transaction has stored included. Frozen flows count once, however many deployments run them. Definer: it must see all rows.';

COMMENT ON FUNCTION "private"."quotas"() IS 'Does what public.quotas says. Definer: the settings are private.';

COMMENT ON FUNCTION "private"."refuse_start"(text, text, bigint, integer) IS 'Raises 429 start_limit_reached, which names the limit, whose share of it is used up, and how much that is.';

COMMENT ON FUNCTION "private"."root_run_for_caller"(uuid) IS 'The run at the root of a run''s tree, for who may see that root: what concerns the whole tree may be asked by the id of any of its runs. 401; 404 flow_run_not_found. Definer, as private.run_for_caller is.';

COMMENT ON FUNCTION "private"."root_run_id"(uuid) IS 'The run at the root of a run''s tree: itself, unless an interflow node started it. Definer: for callers that are checked by the root.';

COMMENT ON FUNCTION "private"."run_for_caller"(uuid) IS 'A run, for its owner, who started it, and the holder of its token; for everybody else it does not exist (404 flow_run_not_found). A called run is its owner''s only. Definer: it is the check itself.';

COMMENT ON FUNCTION "private"."set_quota"(text, bigint) IS 'Does what public.set_quota says. Definer: the settings are private.';

COMMENT ON FUNCTION "private"."shape_faults"(jsonb, jsonb) IS 'Where a JSON value differs from a shape, as an array of {path, message}, the first 100; empty when it fits. A shape is the name of a JSON type, [the shape of every element], or {member: shape} with the names of mandatory members marked by !; further members may be there.';

COMMENT ON FUNCTION "private"."share_of_limit"(text, integer) IS 'How much of a limit a share may use: all callers the whole, guests together a half, one caller a tenth; rounded up, so that there is one where the limit is not 0.';

COMMENT ON FUNCTION "private"."shorten"(text, integer) IS 'A text that came from outside, as a message may name it: what is longer than so many characters ends with ….';

COMMENT ON FUNCTION "private"."snapshot_warnings"(bytea, integer, boolean) IS 'What a run of a snapshot will stumble over, as an array of {flow_id, code, path, message}, the first 100; strict: 422 flow_invalid with them, if there are any. Definer, since snapshots are private; callers check who asks.';

COMMENT ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean) IS 'Does what public.start_flow says. Definer: it stores a snapshot and the run.';

COMMENT ON FUNCTION "private"."start_shares"(uuid, boolean, text) IS 'Whose share of a deployment''s limits a start uses: that of all callers, that of guests, and the caller''s own. Guests have not signed up: anybody can make up a public key or sign in anonymously, so together they have a share that leaves room for users.';

COMMENT ON FUNCTION "private"."sweep_usage"(integer) IS 'Forgets callers who have no run in flight and started none within the last minute, so many at most, and tells how many it came to. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."tg_any__after_insert_check_quota"() IS 'Checks the quotas in its arguments for each user of the inserted rows, of which an upsert that only updates has none. Definer: users can''t call what it calls.';

COMMENT ON FUNCTION "private"."tg_flow_deployments__before_insert"() IS 'Gives the deployment an id greater than those of the flow''s other deployments, under a lock of the flow, and the names of its inputs. Definer: it must see all of them, and the snapshot.';

COMMENT ON FUNCTION "private"."tg_flows__after_insert"() IS 'Refuses a flow that exceeds its owner''s quotas. Definer: users can''t call what it calls.';

COMMENT ON FUNCTION "private"."tg_flows__after_update"() IS 'Refuses a flow that grows beyond its owner''s quota. Definer: users can''t call what it calls.';

COMMENT ON FUNCTION "private"."tg_nodes__after_update"() IS 'Counts changes of the service role''s definitions. Definer: the count is private.';

COMMENT ON FUNCTION "private"."tg_nodes__after_write"() IS 'Counts new definitions of the service role, and deleted ones. Definer: the count is private.';

COMMENT ON FUNCTION "private"."wake_due_flow_runs"() IS 'Lets claims look at runs whose time has come, a thousand at a time. Definer: jobs are private; called under the lock of claim_flow_runs.';

COMMENT ON FUNCTION "private"."wake_flow_run"(uuid) IS 'Lets a run that nobody holds be claimed at once, whatever it waits for. The caller holds the run''s lock. Definer: queue and jobs are private.';

COMMENT ON FUNCTION "public"."called_flow_runs"(uuid, uuid) IS 'How the runs stand that a run called, for the owner of the flow, who started the run at the root of the tree, and the holder of its token. flow_run_id may itself be a called run. At most 1,000, in the order of their ids; after is the last id of the page before. Their inputs, outputs and errors are the owner''s to read, in flow_run. 401; 404 flow_run_not_found.';

COMMENT ON FUNCTION "public"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) IS 'For the runner: stores what a claimed run has come to, {children, node_runs, transactions, logs, work_ms, output_bytes}, and holds the claim for lease_seconds from now, or gives it back to the queue, to be claimed after hand_back_seconds, or at once where it shall stop. 409 claim_lost for an older claim.';

COMMENT ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) IS 'For the runner: claims up to max_runs queued runs, or runs whose claim has run out, for lease_seconds; owners take turns. A snapshot comes as its JSON text, or null when its hash (hex) is in known_snapshots. A run that lost more than max_lost_claims workers in a row fails (null: none does); one that lost two comes alone. Where none is there, wait_millies are waited for one, by one caller at a time. passed_over: owners who have a place already, of whom none is claimed; then each other owner gets one at the most. output_bytes: what flow_run_history and its pages hold of node outputs, about.';

COMMENT ON FUNCTION "public"."create_api_key"(text) IS 'Makes an API key of the calling user and returns {id, name, prefix, created_at, key}; the key is shown this once. 403 token_required for anonymous users and callers with an API key; 409 quota_exceeded.';

COMMENT ON FUNCTION "public"."deploy_flow"(integer, boolean) IS 'Freezes the caller''s flow, as it is now, into a new deployment, and returns {deployment_id, warnings}: what a run will stumble over, the first 100 as {flow_id, code, path, message}. 401 unauthenticated or token_invalid; 404 flow_not_found, for somebody else''s flow too; 409 quota_exceeded; 422 flow_invalid with the first 1,000 findings, and if strict with the warnings.';

COMMENT ON FUNCTION "public"."flow_run_history"(uuid, integer) IS 'For the runner: what earlier claims stored of a root run and its interflow children, {children, node_runs, transactions, ended_executions, log_counts, next}; node_runs without their inputs, and only those of runs that have not ended: all, or with max_bytes the first page of flow_run_history_page, whose next page begins at next; children without those whose result nobody needs any more; every transaction, with its signature requests. A call of its own, so that a run with too much of it fails alone; json, since jsonb ends at 256 MB.';

COMMENT ON FUNCTION "public"."flow_run_history_page"(uuid, jsonb, integer) IS 'For the runner: the node_runs of flow_run_history in pages, {node_runs, next}: those behind after, {flow_run_id, node_id, times}, up to the first with which they hold max_bytes. next is the after of the next page; null on the last.';

COMMENT ON FUNCTION "public"."quotas"() IS 'For operators: how much of each thing a user may have, with what it is unless set by set_quota.';

COMMENT ON FUNCTION "public"."set_quota"(text, bigint) IS 'For operators: how much of something each user may have, from now on; null: the default. What a user has already stays. 400 request_invalid.';

COMMENT ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean) IS 'Starts the caller''s flow as it is now, without a deployment, and returns {flow_run_id, token, warnings}; warnings and strict as in deploy_flow. 401; 404 flow_not_found, for somebody else''s flow too; 422 flow_invalid; else as start_deployment.';

COMMENT ON FUNCTION "public"."store_wallet"(uuid, text, text, text, text, bytea, bytea) IS 'For the function wallets, which has checked and encrypted the key pair: stores a wallet of the user, by public key, and returns its row without secrets. Without a ciphertext a HARDCODED wallet keeps the one it has; an ADAPTER wallet has none. 400 request_invalid, wallet_keypair_required; 401 token_invalid for a user who is deleted; 409 wallet_in_use, quota_exceeded.';

COMMENT ON TABLE "private"."deployment_usage" IS 'How much others than its owner use a deployment, for its limits. The use of a share is the sum over its slots, of which a backend writes its own, so that starts don''t wait for each other. No foreign key: the rows go when the deletion of the deployment commits.';

COMMENT ON TABLE "private"."flow_snapshot_warnings" IS 'What a run of a frozen graph will stumble over: kept, since a flow is started far more often than it is changed.';

COMMENT ON TABLE "private"."native_nodes" IS 'How often what the service role says of native nodes has changed, in one row, which the first change makes: warnings about flows depend on it.';

COMMENT ON TABLE "private"."quotas" IS 'What operators set of the quotas that each user has; for the others the defaults of private.known_quotas() hold.';

COMMENT ON TABLE "public"."flow_deployments" IS 'Frozen flows. id, created_at, user_id, entrypoint, snapshot_hash and input_names never change; the other columns are the owner''s to customise.';

COMMENT ON TABLE "public"."flow_run" IS 'Runs of flows: written by functions only. The owner of the flow reads them all; who started a run reads that run, but not the runs that it called, of which called_flow_runs tells. A run''s settings are copies of a deployment''s, which has checked them.';

REVOKE ALL ON FUNCTION "private"."called_flow_runs"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."called_flow_runs"(uuid, uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."called_flow_runs"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."called_flow_runs"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."called_flow_runs"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."check_input_names"(jsonb, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_input_names"(jsonb, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_input_names"(jsonb, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_quota"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_quota"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_quota"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_share"(uuid, text, timestamp WITH time zone, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_share"(uuid, text, timestamp WITH time zone, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_share"(uuid, text, timestamp WITH time zone, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."count_start"(uuid, text[], integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_start"(uuid, text[], integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."count_start"(uuid, text[], integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."deploy_flow"(integer, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."deploy_flow"(integer, boolean) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."deploy_flow"(integer, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."deploy_flow"(integer, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."deploy_flow"(integer, boolean) TO "service_role";

REVOKE ALL
  ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text[], text, uuid, boolean, text, text, jsonb, text[], integer, integer, text, jsonb)
  FROM PUBLIC;

REVOKE ALL
  ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text[], text, uuid, boolean, text, text, jsonb, text[], integer, integer, text, jsonb)
  FROM "postgres";

GRANT EXECUTE
  ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text[], text, uuid, boolean, text, text, jsonb, text[], integer, integer, text, jsonb)
  TO "postgres";

REVOKE ALL ON FUNCTION "private"."flow_run_history"(uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_run_history"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_history"(uuid, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_history"(uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."flow_run_history_page"(uuid, jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_run_history_page"(uuid, jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_history_page"(uuid, jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_history_page"(uuid, jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."flow_size_findings"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_size_findings"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_size_findings"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."flow_warnings"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_warnings"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_warnings"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."input_names"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."input_names"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."input_names"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."json_faults"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."json_faults"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."json_faults"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."json_faults"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."json_faults"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."known_quotas"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."known_quotas"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."known_quotas"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."owners_in_turn"(uuid, integer, uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."owners_in_turn"(uuid, integer, uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."owners_in_turn"(uuid, integer, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pick_flow_runs"(integer, uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pick_flow_runs"(integer, uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."pick_flow_runs"(integer, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."port_fault"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."port_fault"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."port_fault"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."quota"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."quota"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."quota"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."quota_use"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."quota_use"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."quota_use"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."quotas"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."quotas"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."quotas"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."quotas"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."refuse_start"(text, text, bigint, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_start"(text, text, bigint, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_start"(text, text, bigint, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."root_run_for_caller"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."root_run_for_caller"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."root_run_for_caller"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."set_quota"(text, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_quota"(text, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_quota"(text, bigint) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_quota"(text, bigint) TO "service_role";

REVOKE ALL ON FUNCTION "private"."share_of_limit"(text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."share_of_limit"(text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."share_of_limit"(text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."shorten"(text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."shorten"(text, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."shorten"(text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."shorten"(text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."shorten"(text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."snapshot_warnings"(bytea, integer, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."snapshot_warnings"(bytea, integer, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."snapshot_warnings"(bytea, integer, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."start_shares"(uuid, boolean, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."start_shares"(uuid, boolean, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_shares"(uuid, boolean, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sweep_usage"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."sweep_usage"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."sweep_usage"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__after_insert_check_quota"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_any__after_insert_check_quota"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_any__after_insert_check_quota"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flows__after_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flows__after_insert"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flows__after_insert"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flows__after_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flows__after_update"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flows__after_update"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_nodes__after_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_nodes__after_update"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_nodes__after_update"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_nodes__after_write"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_nodes__after_write"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_nodes__after_write"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."wake_due_flow_runs"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wake_due_flow_runs"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_due_flow_runs"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."wake_flow_run"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wake_flow_run"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_flow_run"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "public"."called_flow_runs"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."called_flow_runs"(uuid, uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."called_flow_runs"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."called_flow_runs"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."called_flow_runs"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."deploy_flow"(integer, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer, boolean) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."deploy_flow"(integer, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "public"."flow_run_history"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_history"(uuid, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_history"(uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."flow_run_history_page"(uuid, jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_history_page"(uuid, jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_history_page"(uuid, jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."quotas"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."quotas"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."quotas"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."set_quota"(text, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_quota"(text, bigint) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_quota"(text, bigint) TO "service_role";

REVOKE ALL ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean) TO "service_role";
