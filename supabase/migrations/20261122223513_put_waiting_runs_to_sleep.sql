SET local check_function_bodies = off;

DROP INDEX "private"."flow_run_jobs_user_id_idx_pending";

DROP FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer);

DROP FUNCTION "private"."flow_run_history"(uuid);

DROP FUNCTION "private"."owners_in_turn"(uuid, integer);

DROP FUNCTION "private"."pick_flow_runs"(integer);

DROP FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer);

DROP FUNCTION "public"."flow_run_history"(uuid);

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "output_bytes" bigint NOT NULL DEFAULT 0;

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "sleeps_until" timestamp WITH time zone;

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
begin
  -- What was given back stays so, whatever of the claim arrives late.
  update private.flow_run_jobs as j
  set
    is_held = false,
    sleeps_until = case
      when give_back_flow_run.delay_seconds > 0 then clock_timestamp() + make_interval(secs => give_back_flow_run.delay_seconds)
    end,
    -- Its worker lives: the next loss is the first in a row. Else runs that were there when others ended their workers would be
    -- suspects for as long as they wait, each executed alone while all others are given back.
    lost_claim_count = 0,
    -- Whoever came meanwhile goes first, of the same owner too: many runs in slices take turns, as new ones do.
    turn = nextval('pgmq.q_flow_runs_msg_id_seq')
  where j.flow_run_id = give_back_flow_run.flow_run_id and j.is_held
  returning j.message_id into v_message_id;
  perform private.hide_messages(array[v_message_id], give_back_flow_run.delay_seconds);
  return v_message_id is not null;
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
      perform private.wake_flow_run(v_run_id);
    end if;
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

  -- What the end of a run had locked when its deployment was deleted.
  delete from private.deployment_usage as u
  where (u.deployment_id, u.slot) in (
    select old.deployment_id, old.slot from private.deployment_usage as old
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
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_messages, v_snapshots)
  );
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

ALTER TABLE "private"."flow_run_jobs"
  ADD CONSTRAINT "flow_run_jobs_asleep_while_nobody_holds_it" CHECK (((sleeps_until IS NULL) OR ((message_id IS NOT NULL) AND (NOT is_held))));

CREATE INDEX flow_run_jobs_sleeps_until_idx ON private.flow_run_jobs USING btree (sleeps_until)
  WHERE (sleeps_until IS NOT NULL);

CREATE INDEX flow_run_jobs_user_id_idx_pending ON private.flow_run_jobs USING btree (user_id, turn)
  WHERE ((message_id IS NOT NULL) AND (sleeps_until IS NULL));

COMMENT ON COLUMN "private"."flow_run_jobs"."output_bytes" IS 'Bytes, as JSON, of what the nodes of the run and of those that it called have put out, as far as claims told: what a worker has to hold to go on with it.';

COMMENT ON COLUMN "private"."flow_run_jobs"."sleeps_until" IS 'When a run that was given back for later goes on; null for one that claims look at. So runs that wait, however many, cost a claim nothing.';

COMMENT ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) IS 'Does what public.claim_flow_runs says. Definer: queue, jobs and snapshots are private.';

COMMENT ON FUNCTION "private"."flow_run_history"(uuid, integer) IS 'Does what public.flow_run_history says. Definer: for the runner, which may read everything of the runs that it claims.';

COMMENT ON FUNCTION "private"."flow_run_history_page"(uuid, jsonb, integer) IS 'Does what public.flow_run_history_page says. Definer: for the runner, which may read everything of the runs that it claims.';

COMMENT ON FUNCTION "private"."owners_in_turn"(uuid, integer, uuid[]) IS 'The owners who have a run whose message is visible, but for those passed over, in the order of their ids from the one after last_id on (null: from the first), each with the turn of the first such run, and its id when it lost two workers. Definer: queue and jobs are private.';

COMMENT ON FUNCTION "private"."pick_flow_runs"(integer, uuid[]) IS 'Locks the runs to claim next, in their order: those whose message is visible, one of each owner after the other, each owner''s by their turns; where owners are passed over, one of each other; a run that lost two workers alone. With them what private.last_claim has to note. Definer: queue and jobs are private; called under the lock of claim_flow_runs.';

COMMENT ON FUNCTION "private"."wake_due_flow_runs"() IS 'Lets claims look at runs whose time has come, a thousand at a time. Definer: jobs are private; called under the lock of claim_flow_runs.';

COMMENT ON FUNCTION "private"."wake_flow_run"(uuid) IS 'Lets a run that nobody holds be claimed at once, whatever it waits for. The caller holds the run''s lock. Definer: queue and jobs are private.';

COMMENT ON FUNCTION "public"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) IS 'For the runner: stores what a claimed run has come to, {children, node_runs, transactions, logs, work_ms, output_bytes}, and holds the claim for lease_seconds from now, or gives it back to the queue, to be claimed after hand_back_seconds. 409 claim_lost for an older claim.';

COMMENT ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) IS 'For the runner: claims up to max_runs queued runs, or runs whose claim has run out, for lease_seconds; owners take turns. A snapshot comes as its JSON text, or null when its hash (hex) is in known_snapshots. A run that lost more than max_lost_claims workers in a row fails (null: none does); one that lost two comes alone. Where none is there, wait_millies are waited for one, by one caller at a time. passed_over: owners who have a place already, of whom none is claimed; then each other owner gets one at the most. output_bytes: what flow_run_history and its pages hold of node outputs, about.';

COMMENT ON FUNCTION "public"."flow_run_history"(uuid, integer) IS 'For the runner: what earlier claims stored of a root run and its interflow children, {children, node_runs, transactions, ended_executions, log_counts, next}; node_runs without their inputs, and only those of runs that have not ended: all, or with max_bytes the first page of flow_run_history_page, whose next page begins at next; children without those whose result nobody needs any more; every transaction, with its signature requests. A call of its own, so that a run with too much of it fails alone; json, since jsonb ends at 256 MB.';

COMMENT ON FUNCTION "public"."flow_run_history_page"(uuid, jsonb, integer) IS 'For the runner: the node_runs of flow_run_history in pages, {node_runs, next}: those behind after, {flow_run_id, node_id, times}, up to the first with which they hold max_bytes. next is the after of the next page; null on the last.';

REVOKE ALL ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."flow_run_history"(uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_run_history"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_history"(uuid, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_history"(uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."flow_run_history_page"(uuid, jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_run_history_page"(uuid, jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_history_page"(uuid, jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_history_page"(uuid, jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."owners_in_turn"(uuid, integer, uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."owners_in_turn"(uuid, integer, uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."owners_in_turn"(uuid, integer, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pick_flow_runs"(integer, uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pick_flow_runs"(integer, uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."pick_flow_runs"(integer, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."wake_due_flow_runs"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wake_due_flow_runs"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_due_flow_runs"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."wake_flow_run"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wake_flow_run"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."wake_flow_run"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."flow_run_history"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_history"(uuid, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_history"(uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."flow_run_history_page"(uuid, jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_history_page"(uuid, jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_history_page"(uuid, jsonb, integer) TO "service_role";
