SET local check_function_bodies = off;

DROP FUNCTION "private"."announce_run_news"(uuid, private.news_topic);

DROP FUNCTION "private"."follow_flow_runs"(uuid[], private.news_topic);

DROP FUNCTION "private"."listen_for_run_news"();

DROP FUNCTION "private"."unfollow_flow_runs"(uuid[], private.news_topic);

DROP TYPE "private"."news_topic";

CREATE OR REPLACE FUNCTION private.add_run_events (
  events private.new_run_event[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
begin
  if coalesce(cardinality(add_run_events.events), 0) = 0 then
    return;
  end if;
  insert into private.flow_run_events (root_flow_run_id, first_number, last_number, events)
  select n.root_flow_run_id, l.number + 1, l.number + cardinality(n.events), n.events
  from (
    select e.root_flow_run_id, array_agg(e.event order by e.position, e.time,
      array_position('{run_start,node_start,log,signature_request,api_input,node_finish,run_finish}', (e.event).event)
    ) as events
    from unnest(add_run_events.events) as e group by e.root_flow_run_id
  ) as n
  cross join lateral (
    select coalesce(max(s.last_number), 1) as number
    from private.flow_run_events as s where s.root_flow_run_id = n.root_flow_run_id
  ) as l;
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_flow_runs (
  max_runs          integer,
  lease_seconds     integer,
  known_snapshots   text[],
  max_lost_claims   integer,
  wait_ms           integer,
  owners_with_slots uuid[]  DEFAULT NULL::uuid[]
)
  RETURNS TABLE (
    flow_run_id          uuid,
    claim_number         integer,
    lost_claim_count     integer,
    flow_id              integer,
    user_id              uuid,
    started_by           text,
    inputs               jsonb,
    settings             jsonb,
    snapshot_hash        text,
    snapshot             text,
    work_ms              bigint,
    stop                 jsonb,
    output_bytes         bigint,
    earlier_output_bytes bigint
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
  v_waited_seconds double precision;
  v_tries integer := 0;
  v_run_ids uuid[];
begin
  -- Wait until a run is claimable. Each pass reads two entries of indexes, and locks no row.
  while not private.has_claimable_run() loop
    if private.settle_queue_keys() then
      -- Keys are now locked, and starts wait for them. So do not wait here.
      exit when private.has_claimable_run();
      return;
    end if;
    v_waited_seconds := date_part('epoch', clock_timestamp() - v_began);
    if (v_waited_seconds * 1000 < claim_flow_runs.wait_ms) is not true
      -- Only one claim waits at a time, because a waiting claim holds a connection that starts could use.
      or not pg_try_advisory_xact_lock(hashtext('private.claim_flow_runs'), 1)
    then
      return;
    end if;
    perform pg_sleep(greatest(v_waited_seconds / 20, 0.001));
  end loop;
  loop
    v_run_ids := private.take_jobs(
      claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.max_lost_claims,
      claim_flow_runs.owners_with_slots
    );
    exit when v_run_ids <> '{}' or claim_flow_runs.max_runs = 0;
    -- If runs are claimable, but other transactions have locked their jobs, most of these are claims, which end within
    -- milliseconds. They may leave runs, so try again. Otherwise the worker would think that the queue is empty.
    v_tries := v_tries + 1;
    if v_tries > 20 or not private.has_claimable_run(claim_flow_runs.owners_with_slots) then
      return;
    end if;
    perform pg_sleep(0.001);
  end loop;

  return query
  with started as (
    update public.flow_run as r
    set status = 'running', start_time = coalesce(r.start_time, clock_timestamp())
    where r.id = any (v_run_ids) and r.status <> 'running'
  )
  select
    r.id, j.claim_number, j.lost_claim_count, r.flow_id, r.user_id,
    coalesce(r.started_by::text, r.started_by_public_key), r.inputs,
    j.settings,
    encode(j.snapshot_hash, 'hex'),
    case when encode(j.snapshot_hash, 'hex') = any (claim_flow_runs.known_snapshots) then null
      else s.data::text end,
    j.work_ms,
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end,
    j.output_bytes,
    case when j.redriven_from is not null or j.settings #> '{partial_config,runs}' <> '{}' then (
      -- A redrive also reads the inputs of the earlier runs. The inputs are assumed to be as large as the outputs.
      select coalesce(sum(e.output_bytes), 0)::bigint * case when j.redriven_from is null then 1 else 2 end
      from private.flow_run_jobs as e
      where e.flow_run_id = any (j.redriven_from || array(
        select distinct n.run_id::uuid
        from jsonb_each_text(j.settings #> '{partial_config,runs}') as n (node_id, run_id)
      ))
    ) end
  from unnest(v_run_ids) with ordinality as t (flow_run_id, place)
  join private.flow_run_jobs as j on j.flow_run_id = t.flow_run_id
  join public.flow_run as r on r.id = j.flow_run_id
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  order by t.place;
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_flow_runs (
  run_ids uuid[],
  results jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  v_has_called_runs boolean;
  v_has_requests boolean;
  v_told_ids uuid[];
  v_has_inputs boolean;
begin
  -- Runs end in the order of run_ids. At the commit, the ended runs are subtracted from the usage of their
  -- deployments in the same order.
  with result as materialized (
    select f.*
    from jsonb_to_recordset(end_flow_runs.results) as f (
      flow_run_id uuid, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
    )
    where f.flow_run_id = any (end_flow_runs.run_ids)
    order by array_position(end_flow_runs.run_ids, f.flow_run_id)
  ), ended_run as (
    update public.flow_run as r
    set
      status = f.status, output = coalesce(f.output, '{"M": {}}'), errors = f.errors,
      error_code = private.error_code(f.errors[1]), not_run = coalesce(f.not_run, private.nodes_not_run(r, r.id)),
      end_time = clock_timestamp()
    from result as f
    where r.id = f.flow_run_id and r.id = any (end_flow_runs.run_ids) and r.end_time is null
  ), ended_job as (
    update private.flow_run_jobs as j
    set
      state = 'ended', due_at = null,
      work_ms = greatest(j.work_ms, (f.progress ->> 'work_ms')::bigint),
      failed_at = case f.status when 'failed' then clock_timestamp() end,
      is_complete = coalesce((f.progress ->> 'is_complete')::boolean, false)
    from result as f
    where j.flow_run_id = f.flow_run_id and j.flow_run_id = any (end_flow_runs.run_ids)
    returning j.flow_run_id, jsonb_typeof(j.settings -> 'on_end') = 'object' as has_on_end
  )
  select array_agg(j.flow_run_id) filter (where j.has_on_end) into v_told_ids from ended_job as j;

  select
    exists (select from public.flow_run as r where r.parent_flow_run_id = any (end_flow_runs.run_ids)),
    exists (select from public.signature_requests as s where s.root_flow_run_id = any (end_flow_runs.run_ids)),
    exists (select from public.pending_inputs as p where p.root_flow_run_id = any (end_flow_runs.run_ids))
  into v_has_called_runs, v_has_requests, v_has_inputs;
  -- Called runs must end with the root run at the latest. Some called runs may not have ended yet, because no worker
  -- continued them before the end of the root run.
  if v_has_called_runs then
    perform private.end_called_runs(f.flow_run_id, f.status)
    from jsonb_to_recordset(end_flow_runs.results) as f (flow_run_id uuid, status text)
    where f.flow_run_id = any (end_flow_runs.run_ids);
  end if;
  -- Let the open requests expire, so that their readers see that no answer is needed any more.
  if v_has_requests then
    update public.signature_requests as s set expires_at = clock_timestamp()
    where s.root_flow_run_id = any (end_flow_runs.run_ids) and s.signature is null and s.expires_at > clock_timestamp();
  end if;
  if v_has_inputs then
    delete from public.pending_inputs as p where p.root_flow_run_id = any (end_flow_runs.run_ids);
  end if;
  if v_told_ids is not null then
    perform private.queue_end_webhooks(v_told_ids);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.listen_for_run_news()
  RETURNS integer
  LANGUAGE sql
  STABLE
BEGIN ATOMIC
 SELECT 0;
END;

CREATE OR REPLACE FUNCTION private.store_api_inputs (
  run    public.flow_run,
  inputs jsonb
)
  RETURNS private.new_run_event[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_events private.new_run_event[];
  v_news jsonb;
begin
  with given as (
    select i.*, sha256(convert_to(i.token, 'UTF8')) as token_hash
    from jsonb_to_recordset(store_api_inputs.inputs) as i (
      flow_run_id uuid, node_id uuid, times integer, token text, url text, timeout_ms bigint, position integer,
      webhook jsonb, question jsonb, answered_by text, answerers text[], shown_inputs text[]
    )
  ), asked as (
    insert into private.api_inputs (
      flow_run_id, node_id, times, root_flow_run_id, token_hash, expires_at, answered_by
    )
    select g.flow_run_id, g.node_id, g.times, run.id, g.token_hash,
      clock_timestamp() + g.timeout_ms * interval '1 millisecond', coalesce(g.answered_by, 'anyone_with_the_link')
    from given as g
    on conflict on constraint api_inputs_execution_key do nothing
    returning *
  ), pending as (
    insert into public.pending_inputs (
      id, flow_run_id, node_id, times, root_flow_run_id, owner_id, started_by, url, expires_at, title, description,
      json_schema, choices, answered_by, flow_name, starter, inputs
    )
    select a.id, a.flow_run_id, a.node_id, a.times, a.root_flow_run_id, run.user_id, run.started_by, g.url,
      a.expires_at, g.question ->> 'title', g.question ->> 'description', nullif(g.question -> 'json_schema', 'null'),
      nullif(g.question -> 'choices', 'null'), a.answered_by,
      coalesce((select f.name from public.flows as f where f.id = run.flow_id), ''),
      private.confirmed_email(run.started_by), private.shown_inputs(a.flow_run_id, g.shown_inputs)
    from asked as a
    join given as g on g.token_hash = a.token_hash
    order by a.id
  ), answerers as (
    insert into private.api_input_answerers (input_id, email)
    select distinct a.id, lower(e.email)
    from asked as a
    join given as g on g.token_hash = a.token_hash
    cross join lateral unnest(g.answerers) as e (email)
  )
  select
    array_agg((
      run.id, g.position, private.uuid_v7_time(a.id),
      ('api_input', a.flow_run_id, a.node_id, a.times, null, null, a.id)::private.run_event
    )::private.new_run_event),
    jsonb_agg(jsonb_build_object(
      'flow_run_id', run.id, 'event', 'api_input', 'url', g.webhook ->> 'url', 'headers', g.webhook -> 'headers',
      'data', jsonb_build_object('api_input', jsonb_build_object(
        'id', a.id, 'flow_run_id', a.flow_run_id, 'node_id', a.node_id, 'times', a.times, 'url', g.url,
        'expires_at', a.expires_at, 'extra', g.webhook -> 'extra'
      ) || jsonb_strip_nulls(coalesce(g.question - 'json_schema', '{}')) || case
        when jsonb_typeof(g.question -> 'json_schema') = 'object'
          then jsonb_build_object('json_schema', g.question -> 'json_schema')
        else '{}'
      end)
    ) order by g.position) filter (where g.webhook ->> 'url' is not null)
  into v_events, v_news
  from asked as a
  join given as g on g.token_hash = a.token_hash;
  if v_news is not null then
    perform private.prepare_webhooks(run.user_id, run.flow_id);
    perform private.queue_webhook_deliveries(v_news);
  end if;
  return v_events;
end;
$function$;

CREATE OR REPLACE FUNCTION private.store_signature_requests (
  run         public.flow_run,
  transaction private.flow_run_transactions,
  requests    jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_now timestamptz := clock_timestamp();
  v_made_ids bigint[] := '{}';
begin
  loop
    with made as (
      insert into public.signature_requests as s (
        id, created_at, flow_run_id, node_id, times, root_flow_run_id, owner_id, user_id,
        pubkey, msg, signatures, expires_at
      )
      select
        -- created_at of each request is one microsecond later than that of the previous request, so that created_at
        -- keeps the order of the requests.
        private.random_id(), v_now + r.position * interval '1 microsecond',
        transaction.flow_run_id, transaction.node_id, transaction.times, run.id, run.user_id,
        case
          when exists (select from public.wallets as w where w.user_id = run.user_id and w.public_key = r.pubkey)
            then run.user_id
          else run.started_by
        end,
        r.pubkey, r.msg, r.signatures,
        v_now + r.position * interval '1 microsecond' + r.timeout_ms * interval '1 millisecond'
      from rows from (
        jsonb_to_recordset(store_signature_requests.requests)
          as (pubkey text, msg text, signatures jsonb, timeout_ms integer)
      ) with ordinality as r (pubkey, msg, signatures, timeout_ms, position)
      on conflict do nothing
      returning s.id
    )
    select v_made_ids || coalesce(array_agg(m.id), '{}') into v_made_ids from made as m;
    -- The insert skips each key that already has a request. It also skips a request whose random id is taken. The next
    -- round gives that request another id.
    exit when not exists (
      select from jsonb_to_recordset(store_signature_requests.requests) as r (pubkey text)
      where not exists (
        select from public.signature_requests as s
        where (s.flow_run_id, s.node_id, s.times, s.pubkey)
          = (transaction.flow_run_id, transaction.node_id, transaction.times, r.pubkey)
      )
    );
  end loop;
  if v_made_ids <> '{}' then
    perform private.queue_signature_webhooks(run, v_made_ids);
    perform private.add_run_events(array(
      select (
        run.id, null, s.created_at,
        ('signature_request', s.flow_run_id, s.node_id, s.times, null, s.id, null)::private.run_event
      )::private.new_run_event
      from public.signature_requests as s where s.id = any (v_made_ids)
    ));
  end if;

  perform
  from public.signature_requests as s
  join jsonb_to_recordset(store_signature_requests.requests) as r (pubkey text, msg text) on r.pubkey = s.pubkey
  where (s.flow_run_id, s.node_id, s.times) = (transaction.flow_run_id, transaction.node_id, transaction.times)
    and s.msg <> r.msg;
  if found then
    perform private.fail('internal', 'A key was already asked to sign another message for this transaction.');
  end if;
end;
$function$;

COMMENT ON FUNCTION "private"."add_run_events"(private.new_run_event[]) IS 'Adds events to their root runs. The caller has locked the jobs of the root runs and stored the rows that the events name. Definer, because no API role may write events.';

COMMENT ON FUNCTION "private"."listen_for_run_news"() IS 'The number of runs that a session may follow: none. Functions of 0.3.0 then poll for waiting callers.';

REVOKE ALL ON FUNCTION "private"."listen_for_run_news"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."listen_for_run_news"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."listen_for_run_news"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."listen_for_run_news"() TO "service_role";
