SET local check_function_bodies = off;

DROP FUNCTION "private"."inputs_of_start"(public.flow_deployments, jsonb, jsonb);

DROP FUNCTION "private"."snapshot_interface"(bytea);

CREATE OR REPLACE FUNCTION private.enqueue_run (
  deployment      public.flow_deployments,
  caller          private.caller,
  inputs          jsonb,
  plain           jsonb,
  action_signer   text,
  idempotency_key text,
  request         jsonb,
  schedule_id     uuid                    DEFAULT NULL::uuid,
  settings        jsonb                   DEFAULT NULL::jsonb,
  flow            public.flows            DEFAULT NULL::public.flows,
  starter         private.caller          DEFAULT NULL::private.caller,
  priority        integer                 DEFAULT NULL::integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_now timestamptz := clock_timestamp();
  v_run_id uuid := private.uuid_v7(v_now);
  v_earlier_run_id uuid;
  v_is_announced boolean;
  v_shares text[];
  v_started jsonb;
  v_inputs jsonb := enqueue_run.inputs;
  v_claims constant jsonb := auth.jwt();
  -- The number of runs that started one another up to this request, including the run of the node that makes it with a
  -- claim token. Null if no node makes the request.
  v_node_depth constant integer := v_claims ->> 'chain_depth';
  v_settings jsonb := enqueue_run.settings;
  v_is_limited boolean;
  v_queue jsonb;
  -- Without limits by key, the job is ready at once.
  v_queue_key_id bigint;
  v_state private.job_state := 'ready';
  v_due_at timestamptz;
begin
  if v_node_depth > private.limit_chain_depth() then
    perform private.fail('start_loop',
      format('%s runs have started one another: it seems to be a loop.', v_node_depth),
      hint => 'Remove the loop: a flow must not start itself, directly or by other flows.');
  end if;
  perform private.check_inputs(v_inputs);
  if enqueue_run.plain is not null then
    perform private.check_values(enqueue_run.plain, v_inputs);
  end if;
  if not private.is_public_key(enqueue_run.action_signer) then
    perform private.fail('action_signer_invalid', '`action_signer` must be a public key: base58 of 32 bytes.');
  end if;
  if enqueue_run.priority is not null then
    perform private.check_priority(
      enqueue_run.priority, enqueue_run.caller.user_id is not distinct from enqueue_run.deployment.user_id
    );
  end if;
  if enqueue_run.idempotency_key is not null then
    v_earlier_run_id := private.claim_idempotency_key(
      enqueue_run.caller, enqueue_run.idempotency_key, enqueue_run.request, v_run_id
    );
    if v_earlier_run_id is not null then
      return jsonb_build_object('flow_run_id', v_earlier_run_id, 'token', private.run_token(v_earlier_run_id));
    end if;
  end if;
  -- Check the inputs and settings after the key. A repeated start must find its run even if the flow now has other
  -- inputs, or if a run that partial_config names has been deleted. Nearly all starts have only tagged inputs that the
  -- flow knows. Such starts need no further check. This condition finds them: it compares each name with each name,
  -- which is quick if the flow has few inputs.
  if (
    enqueue_run.plain is null and cardinality(enqueue_run.deployment.input_names) <= 100
      and v_inputs - enqueue_run.deployment.input_names = '{}'
  ) is not true then
    v_inputs := private.inputs_of_start(
      enqueue_run.deployment, v_inputs, enqueue_run.plain, waits => enqueue_run.caller.row_start_id is null
    );
  end if;
  if (enqueue_run.flow).id is not null then
    v_settings := private.flow_start_settings(
      enqueue_run.deployment, enqueue_run.flow, enqueue_run.action_signer,
      enqueue_run.request -> 'environment', enqueue_run.request -> 'partial_config'
    );
  elsif v_settings is null then
    v_settings := (
      select s.settings from private.deployment_run_settings as s where s.deployment_id = enqueue_run.deployment.id
    );
    if enqueue_run.action_signer is not null then
      v_settings := v_settings || jsonb_build_object('action_signer', enqueue_run.action_signer);
    end if;
  end if;

  v_is_limited := enqueue_run.deployment.user_id is distinct from enqueue_run.caller.user_id
    or enqueue_run.caller.webhook_id is not null or v_node_depth is not null;
  if v_is_limited then
    v_shares := private.admit_start(enqueue_run.deployment, enqueue_run.caller);
  end if;
  v_queue := v_settings -> 'queue';
  if v_queue is not null and enqueue_run.caller.row_start_id is not null then
    v_state := 'blocked';
    -- The write of the row must not wait for a key. So only check the key; the next claim takes a place of it.
    perform private.queue_key_hash(v_queue, v_inputs, '');
    if v_is_limited then
      perform private.refuse_many_keys(enqueue_run.deployment.id);
    end if;
  elsif v_queue is not null then
    select p.queue_key_id, p.state, p.due_at into v_queue_key_id, v_state, v_due_at
    from private.take_queue_place(
      enqueue_run.deployment.id, v_queue, v_inputs,
      private.queue_starter(enqueue_run.deployment, coalesce(enqueue_run.starter, enqueue_run.caller)), v_is_limited
    ) as p;
  end if;
  insert into public.flow_run (
    id, created_at, user_id, flow_id, deployment_id, schedule_id, webhook_id, row_start_id, started_by,
    started_by_public_key, started_by_run_id, inputs, output_instructions, action_identity, action_signer, fees,
    chain_network
  ) values (
    v_run_id, v_now, enqueue_run.deployment.user_id, enqueue_run.deployment.entrypoint, enqueue_run.deployment.id,
    enqueue_run.schedule_id, enqueue_run.caller.webhook_id, enqueue_run.caller.row_start_id,
    enqueue_run.caller.user_id, enqueue_run.caller.public_key,
    (v_claims ->> 'claimed_run_id')::uuid, jsonb_build_object('M', v_inputs),
    (v_settings -> 'output_instructions')::boolean, v_settings ->> 'action_identity', enqueue_run.action_signer,
    enqueue_run.deployment.fees, jsonb_build_object('cluster', v_settings -> 'chain_network' -> 'cluster')
  );
  insert into private.flow_run_jobs (
    flow_run_id, user_id, snapshot_hash, settings, counted_deployment_id, counted_shares, queue_key_id, state, due_at, turn,
    priority, chain_depth
  ) values (
    v_run_id, enqueue_run.deployment.user_id, enqueue_run.deployment.snapshot_hash, v_settings,
    case when v_shares is not null then enqueue_run.deployment.id end, v_shares, v_queue_key_id, v_state,
    v_due_at, v_now - make_interval(secs => coalesce(enqueue_run.priority, 0)), coalesce(enqueue_run.priority, 0),
    coalesce(enqueue_run.caller.chain_depth, v_node_depth, 0)
  )
  returning jsonb_build_object('flow_run_id', v_run_id, 'token', coalesce(
    (select private.run_token(v_run_id, s.secret) from private.run_token_secrets as s),
    -- The first call of run_token makes the secret.
    private.run_token(v_run_id)
  )) into v_started;
  v_is_announced := private.announce_claimable_run();
  return v_started;
end;
$function$;

CREATE OR REPLACE FUNCTION private.inputs_of_start (
  deployment public.flow_deployments,
  inputs     jsonb,
  plain      jsonb,
  waits      boolean                 DEFAULT true
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_inputs jsonb := inputs_of_start.inputs;
begin
  if inputs_of_start.plain is not null then
    v_inputs := v_inputs
      || private.inputs_of_values(
        inputs_of_start.plain,
        private.snapshot_interface((inputs_of_start.deployment).snapshot_hash, inputs_of_start.waits)
      );
    perform private.check_inputs(v_inputs);
  end if;
  perform private.check_input_names(v_inputs, (inputs_of_start.deployment).input_names);
  return v_inputs;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_queue_key (
  deployment_id uuid,
  key_hash      bytea
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
begin
  perform from private.queue_keys as k
  where k.deployment_id = lock_queue_key.deployment_id and k.key_hash = lock_queue_key.key_hash
  for no key update skip locked;
  if found then
    return true;
  end if;
  if not pg_try_advisory_xact_lock(private.queue_key_lock(lock_queue_key.deployment_id, lock_queue_key.key_hash)) then
    return false;
  end if;
  -- Now nobody else inserts the key. If it exists, another transaction has locked it.
  return not exists (
    select from private.queue_keys as k
    where k.deployment_id = lock_queue_key.deployment_id and k.key_hash = lock_queue_key.key_hash
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.queue_key_lock (
  deployment_id uuid,
  key_hash      bytea
)
  RETURNS bigint
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT hashtextextended(((deployment_id)::text || encode(key_hash, 'hex'::text)), (0)::bigint)
  AS hashtextextended;
END;

CREATE OR REPLACE FUNCTION private.settle_queue_keys()
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  v_key_ids bigint[];
begin
  -- Nearly always, there is neither a note nor a run without a key.
  if not exists (select from private.queue_key_notes) and not exists (
    select from private.flow_run_jobs as j where j.state = 'blocked' and j.queue_key_id is null
  ) then
    return false;
  end if;
  perform private.take_places_of_row_starts();
  v_key_ids := array(select distinct n.queue_key_id from private.queue_key_notes as n limit 1000);
  perform private.settle_queue_key(k.id, 0, 0) from private.queue_keys as k where k.id = any (v_key_ids);
  -- A note that only says that blocked runs may get a place may outlive its key.
  delete from private.queue_key_notes as n
  where n.queue_key_id = any (v_key_ids)
    and not exists (select from private.queue_keys as k where k.id = n.queue_key_id);
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.snapshot_interface (
  hash  bytea,
  waits boolean DEFAULT true
)
  RETURNS private.flow_snapshot_interfaces
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_version bigint := coalesce((select n.version from private.native_nodes as n), 0);
  v_interface private.flow_snapshot_interfaces;
  v_lock constant bigint := hashtextextended(format('private.snapshot_interface %s', snapshot_interface.hash), 0);
  v_has_lock boolean;
begin
  select i.* into v_interface
  from private.flow_snapshot_interfaces as i
  where i.snapshot_hash = snapshot_interface.hash and i.nodes_version >= v_version;
  if found then
    return v_interface;
  end if;
  -- One transaction computes the interface, and the others wait for its result. If all transactions computed it in
  -- parallel, each would be slower, and perhaps none would finish within its time limit. The computation may already
  -- use node definitions that are added meanwhile. So the result may be newer than v_version, but never older.
  if snapshot_interface.waits then
    perform pg_advisory_xact_lock(v_lock);
    v_has_lock := true;
  else
    v_has_lock := pg_try_advisory_xact_lock(v_lock);
  end if;
  select i.* into v_interface
  from private.flow_snapshot_interfaces as i
  where i.snapshot_hash = snapshot_interface.hash and i.nodes_version >= v_version;
  if found then
    return v_interface;
  end if;
  -- The lock keeps the sweep from deleting the snapshot before the interface is stored.
  select s.hash, v_version, d.inputs, d.outputs, private.uses_solana(s.data), (
    select count(*) from jsonb_array_elements(s.data #> '{entry,nodes}') as n (node)
    where n.node #>> '{data,type}' <> 'mock' and n.node #>> '{data,node_id}' <> 'note'
  ), private.has_effects(s.data) into v_interface
  from (
    select f.hash, f.data from private.flow_snapshots as f where f.hash = snapshot_interface.hash for key share
  ) as s
  cross join lateral private.describe_snapshot(s.data) as d;
  if found and v_has_lock then
    insert into private.flow_snapshot_interfaces as i
      (snapshot_hash, nodes_version, inputs, outputs, uses_solana, node_count, has_effects)
    values (
      v_interface.snapshot_hash, v_interface.nodes_version, v_interface.inputs, v_interface.outputs,
      v_interface.uses_solana, v_interface.node_count, v_interface.has_effects
    )
    on conflict (snapshot_hash) do update
    set nodes_version = excluded.nodes_version, inputs = excluded.inputs, outputs = excluded.outputs,
      uses_solana = excluded.uses_solana, node_count = excluded.node_count, has_effects = excluded.has_effects;
  end if;
  return v_interface;
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_flow_on_rows (
  "table"    regclass,
  events     text[],
  flow       integer,
  tag        text,
  input      text,
  per        text     DEFAULT 'row'::text,
  columns    text[]   DEFAULT NULL::text[],
  on_refusal text     DEFAULT 'record'::text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_tag constant text := coalesce(start_flow_on_rows.tag, 'latest');
  v_user_id uuid;
  v_id uuid;
  v_event text;
  v_deployment public.flow_deployments;
begin
  perform private.check_table_of_row_start(start_flow_on_rows."table");
  select f.user_id into v_user_id from public.flows as f where f.id = start_flow_on_rows.flow for key share;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  insert into public.flow_row_starts as s (
    user_id, flow, tag, input, schema_name, table_name, events, columns, per, on_refusal
  )
  select
    v_user_id, start_flow_on_rows.flow, v_tag, start_flow_on_rows.input, n.nspname, c.relname,
    array(select distinct e.event from unnest(start_flow_on_rows.events) as e (event)), start_flow_on_rows.columns,
    start_flow_on_rows.per, start_flow_on_rows.on_refusal
  from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  where c.oid = start_flow_on_rows."table"
  returning s.id, s.events into v_id, start_flow_on_rows.events;
  perform private.check_changed_columns(
    start_flow_on_rows."table", start_flow_on_rows.events, start_flow_on_rows.per, start_flow_on_rows.columns
  );
  v_deployment := private.own_deployment(start_flow_on_rows.flow, v_tag, null);
  perform private.check_input_names(jsonb_build_object(start_flow_on_rows.input, null), v_deployment.input_names);
  -- The first start would store these. Other starts would then wait until the transaction of the write ends.
  perform private.snapshot_interface(v_deployment.snapshot_hash), private.run_token_secret();
  perform private.drop_idle_row_triggers(start_flow_on_rows."table");
  -- Postgres allows neither several events nor a list of columns in a trigger with transition tables.
  foreach v_event in array start_flow_on_rows.events loop
    execute format(
      'create trigger %I after %s on %s referencing %s for each statement execute function '
      'private.tg_rows__start_flow(%L)',
      format('start_flow_%s_%s', v_id, v_event), v_event, start_flow_on_rows."table",
      case v_event when 'insert' then 'new table as new_rows' when 'delete' then 'old table as old_rows'
        else 'old table as old_rows new table as new_rows' end,
      v_id
    );
  end loop;
  return v_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_places_of_row_starts()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  v_job record;
  v_place record;
  v_is_told boolean := false;
begin
  for v_job in
    select j.flow_run_id, j.settings -> 'queue' as queue, r.deployment_id, r.inputs -> 'M' as inputs
    from private.flow_run_jobs as j join public.flow_run as r on r.id = j.flow_run_id
    where j.state = 'blocked' and j.queue_key_id is null
    order by j.queue_key_id, j.turn limit 200
    for no key update of j skip locked
  loop
    continue when not private.lock_queue_key(
      v_job.deployment_id, private.queue_key_hash(v_job.queue, v_job.inputs, '')
    );
    select p.queue_key_id, p.state, p.due_at into v_place
    from private.take_queue_place(v_job.deployment_id, v_job.queue, v_job.inputs, '', false) as p;
    update private.flow_run_jobs as j
    set queue_key_id = v_place.queue_key_id, state = v_place.state, due_at = v_place.due_at
    where j.flow_run_id = v_job.flow_run_id;
    v_is_told := v_is_told or v_place.state = 'ready';
  end loop;
  if v_is_told then
    v_is_told := private.announce_claimable_run();
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_queue_place (
  deployment_id uuid,
  queue         jsonb,
  inputs        jsonb,
  starter       text,
  is_limited    boolean,
  OUT           queue_key_id bigint,
  OUT           state private.job_state,
  OUT           due_at timestamp with time zone
)
  RETURNS record
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  v_hash constant bytea := private.queue_key_hash(
    take_queue_place.queue, take_queue_place.inputs, take_queue_place.starter
  );
  v_max_running constant integer := take_queue_place.queue -> 'max_running';
  v_gap constant interval := make_interval(secs =>
    (take_queue_place.queue -> 'period_seconds')::double precision
      / (take_queue_place.queue -> 'max_starts')::double precision
  );
  v_now timestamptz;
  v_key private.queue_keys;
begin
  loop
    select k.* into v_key from private.queue_keys as k
    where k.deployment_id = take_queue_place.deployment_id and k.key_hash = v_hash
    for no key update;
    -- The time is read after the lock, because the start may have waited for it.
    v_now := clock_timestamp();
    state := 'ready';
    due_at := null;
    if v_gap is not null then
      v_key.next_start_at := greatest(v_key.next_start_at, v_now);
      if v_key.next_start_at > v_now then
        state := 'sleeping';
        due_at := v_key.next_start_at;
      end if;
      v_key.next_start_at := v_key.next_start_at + v_gap;
    end if;
    -- If other runs of the key wait, this run waits, too, even if a place is free: they come first.
    if state = 'ready' and (v_key.running >= v_max_running or v_key.pending > v_key.running) then
      state := 'blocked';
    end if;
    v_key.pending := coalesce(v_key.pending, 0) + 1;
    v_key.running := coalesce(v_key.running, 0) + (state = 'ready')::integer;
    if v_key.id is not null then
      update private.queue_keys as k
      set pending = v_key.pending, running = v_key.running, max_running = v_max_running,
        next_start_at = v_key.next_start_at
      where k.id = v_key.id;
      queue_key_id := v_key.id;
      -- A place is free only if runs ended while the key was locked, or if a limit was raised.
      if state = 'blocked' and (v_key.running < v_max_running) is not false then
        insert into private.queue_key_notes (queue_key_id, ended, freed) values (v_key.id, 0, 0);
      end if;
      return;
    end if;
    if take_queue_place.is_limited then
      perform private.refuse_many_keys(take_queue_place.deployment_id);
    end if;
    -- Starts that would insert the same key wait for each other here. Because of this lock, private.lock_queue_key can
    -- find out whether it would have to wait.
    perform pg_advisory_xact_lock(private.queue_key_lock(take_queue_place.deployment_id, v_hash));
    insert into private.queue_keys as k (deployment_id, key_hash, pending, running, max_running, next_start_at)
    values (
      take_queue_place.deployment_id, v_hash, v_key.pending, v_key.running, v_max_running, v_key.next_start_at
    )
    on conflict on constraint queue_keys_deployment_id_key_hash_key do nothing
    returning k.id into queue_key_id;
    if queue_key_id is not null then
      return;
    end if;
  end loop;
end;
$function$;

COMMENT ON COLUMN "private"."flow_run_jobs"."queue_key_id" IS 'The key in private.queue_keys whose places the run needs; null for a run without limits by key, and for a blocked run that a change of a row has started, until the next claim or sweep. There is no foreign key, because it would lock the key at the start of each run.';

COMMENT ON FUNCTION "private"."inputs_of_start"(public.flow_deployments, jsonb, jsonb, boolean) IS 'The inputs of a start: its tagged inputs, and its plain values converted by the flow''s input types. If waits is false, waits for no other transaction. 400 inputs_invalid, 413 inputs_too_large. Definer, because no API role may access snapshots.';

COMMENT ON FUNCTION "private"."lock_queue_key"(uuid, bytea) IS 'Locks a key, or locks it against insertion if it does not exist, so that private.take_queue_place() does not wait for it. False if another transaction has locked or is inserting the key. Definer, because no API role may access keys.';

COMMENT ON FUNCTION "private"."queue_key_lock"(uuid, bytea) IS 'The number of the advisory lock that each transaction takes before it inserts this key.';

COMMENT ON FUNCTION "private"."settle_queue_keys"() IS 'Takes places for runs of row starts, and settles at most 1,000 keys that have notes. Returns false if there is nothing to do. Definer, because no API role may access keys.';

COMMENT ON FUNCTION "private"."snapshot_interface"(bytea, boolean) IS 'The inputs and outputs of a snapshot, computed by the present node definitions. Null if the snapshot has been deleted. If waits is false, never waits for another transaction, and computes them again instead. Callers must check the permission. Definer, because no API role may access snapshots.';

COMMENT ON FUNCTION "private"."take_places_of_row_starts"() IS 'Takes places for at most 200 runs that changes of rows have started, in the order of their starts. Skips runs whose job or key is locked. Definer, because no API role may access keys and jobs.';

REVOKE ALL ON FUNCTION "private"."inputs_of_start"(public.flow_deployments, jsonb, jsonb, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."inputs_of_start"(public.flow_deployments, jsonb, jsonb, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."inputs_of_start"(public.flow_deployments, jsonb, jsonb, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_queue_key"(uuid, bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_queue_key"(uuid, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_queue_key"(uuid, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "private"."queue_key_lock"(uuid, bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."queue_key_lock"(uuid, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."queue_key_lock"(uuid, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "private"."snapshot_interface"(bytea, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."snapshot_interface"(bytea, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."snapshot_interface"(bytea, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."take_places_of_row_starts"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."take_places_of_row_starts"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."take_places_of_row_starts"() TO "postgres";
