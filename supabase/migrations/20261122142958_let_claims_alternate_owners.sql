SET local check_function_bodies = off;

DROP INDEX "private"."flow_run_jobs_turn_idx_pending";

DROP FUNCTION "private"."pick_flow_runs"(integer);

-- Numbers of the queue's messages from now on, as the new runs of the same owners have.
update private.flow_run_jobs as j set turn = j.message_id where j.message_id is not null;

CREATE TABLE "private"."last_claim" (
  "id"         boolean NOT NULL DEFAULT true,
  "user_id"    uuid    NOT NULL,
  "suspect_id" uuid,
  CONSTRAINT "last_claim_pkey" PRIMARY KEY (id),
  CONSTRAINT "last_claim_single" CHECK (id)
);

CREATE OR REPLACE FUNCTION private.claim_flow_runs (
  max_runs        integer,
  lease_seconds   integer,
  known_snapshots text[],
  max_lost_claims integer,
  wait_millies    integer
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
  loop
    v_picked := private.pick_flow_runs(claim_flow_runs.max_runs);
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
    end
  from private.flow_run_jobs as j
  join public.flow_run as r on r.id = j.flow_run_id
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  where j.flow_run_id = any (v_run_ids)
  order by array_position(v_run_ids, r.id);
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
  v_microseconds bigint := round(date_part('epoch', v_now) * 1000000);
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
  -- What nearly all starts bring, a few strings with one tag each and nothing else, is good by one look.
  if (pg_column_size(enqueue_run.inputs) < 65536 and not jsonb_path_exists(
    enqueue_run.inputs,
    'strict $.* ? (@.type() != "object" || !exists (@.keyvalue()) || @.keyvalue().key != @.keyvalue().key
      || exists (@.keyvalue() ? (@.value.type() != "string" || !(@.key like_regex "^([SFD]|[UI]1?|B[36Y])$"))))',
    silent => true
  ) and enqueue_run.action_signer is null and enqueue_run.idempotency_key is null) is not true then
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
  last_id    uuid,
  max_owners integer
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
    where j.message_id is not null and (j.user_id, j.turn) > (v_after_id, v_after_turn) and j.user_id <= v_until_id
    order by j.user_id, j.turn
    limit 1;
    if found then
      return next;
      v_count := v_count + 1;
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

CREATE OR REPLACE FUNCTION private.pick_flow_runs (
  max_runs integer,
  OUT      run_ids uuid[],
  OUT      lost_claim_counts integer[],
  OUT      last_user_id uuid,
  OUT      suspect_id uuid
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
  v_share integer;
  v_rounds integer;
  v_places integer;
begin
  select l.* into v_last from private.last_claim as l where l.id;
  loop
    select array_agg(o.user_id), array_agg(o.turn), array_agg(o.suspect_id) into v_owner_ids, v_turns, v_suspect_ids
    from private.owners_in_turn(v_last.user_id, v_wanted) as o;
    if v_tried_ids is null and v_owner_ids is not null then
      -- A run that lost two workers may be what ended them: it goes alone, so that it takes no others along. One that had to wait
      -- comes before all others, and after it the owners go on where they were.
      v_tried_ids := array_remove(array[v_last.suspect_id, v_suspect_ids[1]], null);
      foreach v_tried_id in array v_tried_ids loop
        v_suspect := private.pick_suspect(v_tried_id);
        if v_suspect.user_id is not null then
          run_ids := array[v_tried_id];
          lost_claim_counts := array[v_suspect.lost_claim_count];
          last_user_id := case when v_tried_id = v_last.suspect_id then v_last.user_id else v_suspect.user_id end;
          return;
        end if;
      end loop;
    end if;

    v_share := ceil(v_wanted::double precision / cardinality(v_owner_ids));
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
          where j.message_id is not null and j.user_id = o.user_id and j.turn >= o.turn and j.lost_claim_count + j.is_held::integer < 2
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
      coalesce(cardinality(run_ids), 0) < pick_flow_runs.max_runs and (v_rounds = v_share or cardinality(v_owner_ids) = v_wanted)
    ) is not true;
    v_wanted := 2 * v_wanted;
  end loop;
  -- Others have taken the place of one that had to wait.
  suspect_id := (
    select s.id from unnest(v_suspect_ids) with ordinality as s (id, place)
    where s.place <= v_places and s.id is not null and s.id <> all (v_tried_ids)
    order by s.place limit 1
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.pick_suspect (
  flow_run_id uuid,
  OUT         user_id uuid,
  OUT         lost_claim_count integer
)
  RETURNS record
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  select j.user_id, j.lost_claim_count + j.is_held::integer into pick_suspect.user_id, pick_suspect.lost_claim_count
  from private.flow_run_jobs as j
  cross join lateral (
    select from pgmq.q_flow_runs as m where m.msg_id = j.message_id and m.vt <= clock_timestamp() for no key update skip locked
  ) as m
  join public.flow_run as r on r.id = j.flow_run_id
  where j.flow_run_id = pick_suspect.flow_run_id and j.lost_claim_count + j.is_held::integer >= 2
  for no key update of j, r skip locked;
end;
$function$;

COMMENT ON COLUMN "private"."flow_run_jobs"."turn" IS 'Its place among the runs of its owner, which are claimed in this order: message_id, and a newer number of the same sequence each time that it is handed back.';

COMMENT ON COLUMN "private"."last_claim"."suspect_id" IS 'A run that lost two workers and had to wait: the next claim takes it alone, if it is still there.';

COMMENT ON COLUMN "private"."last_claim"."user_id" IS 'The owner whose run was claimed last; may be gone.';

COMMENT ON FUNCTION "private"."owners_in_turn"(uuid, integer) IS 'The owners who have a run whose message is visible, in the order of their ids from the one after last_id on (null: from the first), each with the turn of the first such run, and its id when it lost two workers. Definer: queue and jobs are private.';

COMMENT ON FUNCTION "private"."pick_flow_runs"(integer) IS 'Locks the runs to claim next, in their order: those whose message is visible, one of each owner after the other, each owner''s by their turns; a run that lost two workers alone. With them what private.last_claim has to note. Definer: queue and jobs are private; called under the lock of claim_flow_runs.';

COMMENT ON FUNCTION "private"."pick_suspect"(uuid) IS 'Locks a run that lost two workers, as pick_flow_runs does; null when it is none any more, is not there to be claimed, or somebody is changing it. Definer: queue and jobs are private.';

COMMENT ON TABLE "private"."last_claim" IS 'Where claims have come to in the order of owners'' ids: the next one goes on with the owner behind, and behind the last from the beginning. One row, or none before the first claim; claims write it one at a time.';

REVOKE ALL ON FUNCTION "private"."owners_in_turn"(uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."owners_in_turn"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."owners_in_turn"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pick_flow_runs"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pick_flow_runs"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."pick_flow_runs"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pick_suspect"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pick_suspect"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."pick_suspect"(uuid) TO "postgres";
