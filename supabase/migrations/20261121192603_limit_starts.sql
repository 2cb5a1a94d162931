SET local check_function_bodies = off;

DROP FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb);

DROP FUNCTION "private"."fail"(integer, text, text, jsonb, text);

CREATE SEQUENCE "private"."queue_check_message" AS bigint INCREMENT BY 1 MINVALUE 0 MAXVALUE 9223372036854775807 START WITH 0 CACHE 1 NO CYCLE;

CREATE SEQUENCE "private"."queue_full_until" AS bigint INCREMENT BY 1 MINVALUE 0 MAXVALUE 9223372036854775807 START WITH 0 CACHE 1 NO CYCLE;

CREATE TABLE "private"."deployment_usage" (
  "deployment_id"         uuid                     NOT NULL,
  "slot"                  integer                  NOT NULL,
  "minute"                timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp WITH time zone,
  "starts"                integer                  NOT NULL DEFAULT 0,
  "in_flight"             integer                  NOT NULL DEFAULT 0,
  "reserved"              integer                  NOT NULL DEFAULT 0,
  "max_starts_per_minute" integer                  NOT NULL DEFAULT 0,
  "max_runs_in_flight"    integer                  NOT NULL DEFAULT 0,
  CONSTRAINT "deployment_usage_pkey" PRIMARY KEY (deployment_id, slot),
  CONSTRAINT "deployment_usage_reserved_natural" CHECK ((reserved >= 0)),
  CONSTRAINT "deployment_usage_starts_natural" CHECK ((starts >= 0))
);

ALTER TABLE "private"."deployment_usage"
  SET (fillfactor=50);

CREATE TABLE "private"."queue_settings" (
  "id"         boolean NOT NULL DEFAULT true,
  "max_length" integer NOT NULL,
  CONSTRAINT "queue_settings_max_length_natural" CHECK ((max_length >= 0)),
  CONSTRAINT "queue_settings_pkey" PRIMARY KEY (id),
  CONSTRAINT "queue_settings_single" CHECK (id)
);

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "counted_deployment_id" uuid;

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "max_starts_per_minute" integer NOT NULL DEFAULT 60000;

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "max_runs_in_flight" integer NOT NULL DEFAULT 10000;

CREATE OR REPLACE FUNCTION private.check_queue_length()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_max_length integer;
  v_message_id bigint;
  v_length integer;
begin
  v_max_length := private.max_queue_length();
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_queue_full(v_max_length);
  end if;
  perform private.lock_queue_check();
  -- Whoever had the lock has counted, or changed the limit.
  v_max_length := private.max_queue_length();
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_queue_full(v_max_length);
  end if;
  v_message_id := coalesce(pg_sequence_last_value('pgmq.q_flow_runs_msg_id_seq'), 0);
  if v_message_id < pg_sequence_last_value('private.queue_check_message') then
    return;
  end if;
  -- By the index, for which the time is a sub-select: what is due later is not looked at.
  select count(*) into v_length
  from (
    select from pgmq.q_flow_runs as m where m.vt <= (select clock_timestamp()) order by m.vt limit v_max_length
  ) as queued;
  -- A count takes time as it finds runs: the next one comes a hundredth of the limit later, in messages or in milliseconds.
  if v_length >= v_max_length then
    perform setval('private.queue_full_until', private.queue_clock() + v_max_length / 100);
    perform private.refuse_queue_full(v_max_length);
  end if;
  perform setval('private.queue_check_message', v_message_id + greatest(v_max_length / 100, 1));
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_usage (
  deployment_id         uuid,
  max_starts_per_minute integer,
  max_runs_in_flight    integer,
  minute                timestamp with time zone,
  own_starts            integer,
  OUT                   room bigint,
  OUT                   is_same_minute boolean
)
  RETURNS record
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_starts bigint;
  v_runs bigint;
begin
  select
    coalesce(sum(u.starts) filter (where u.minute >= check_usage.minute), 0), coalesce(sum(u.in_flight), 0),
    least(
      check_usage.max_starts_per_minute - coalesce(sum(u.starts + u.reserved) filter (where u.minute >= check_usage.minute), 0),
      check_usage.max_runs_in_flight - coalesce(sum(u.in_flight + u.reserved), 0)
    ),
    -- Read last: had another slot gone on to the next minute, and so given up its count of this one, it would be the next by now.
    date_bin('1 minute', clock_timestamp(), 'epoch') = check_usage.minute
  into v_starts, v_runs, check_usage.room, check_usage.is_same_minute
  from private.deployment_usage as u
  where u.deployment_id = check_usage.deployment_id;

  if v_starts - check_usage.own_starts >= check_usage.max_starts_per_minute then
    perform private.refuse_start('max_starts_per_minute', check_usage.max_starts_per_minute,
      greatest(ceil(extract(epoch from check_usage.minute + interval '1 minute' - clock_timestamp())), 1)::integer);
  end if;
  if v_runs - check_usage.own_starts >= check_usage.max_runs_in_flight then
    perform private.refuse_start('max_runs_in_flight', check_usage.max_runs_in_flight, 5);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_start (
  deployment_id         uuid,
  max_starts_per_minute integer,
  max_runs_in_flight    integer
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if (pg_sequence_last_value('pgmq.q_flow_runs_msg_id_seq') < pg_sequence_last_value('private.queue_check_message')) is not true then
    perform private.check_queue_length();
  end if;
  update private.deployment_usage as u
  set starts = u.starts + 1, in_flight = u.in_flight + 1, reserved = u.reserved - 1
  where u.deployment_id = count_start.deployment_id and u.slot = pg_backend_pid() % 32 and u.reserved > 0
    and u.minute = date_bin('1 minute', clock_timestamp(), 'epoch')
    and u.max_starts_per_minute = count_start.max_starts_per_minute and u.max_runs_in_flight = count_start.max_runs_in_flight;
  if not found then
    perform private.reserve_starts(count_start.deployment_id, count_start.max_starts_per_minute, count_start.max_runs_in_flight);
  end if;
  return count_start.deployment_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_run (
  run                   public.flow_run,
  snapshot_hash         bytea,
  chain_url             text,
  idempotency_key       text,
  request               jsonb,
  max_starts_per_minute integer         DEFAULT NULL::integer,
  max_runs_in_flight    integer         DEFAULT NULL::integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_new_id uuid := private.uuid_v7();
  v_run_id uuid := v_new_id;
  v_counted_id uuid;
begin
  if enqueue_run.idempotency_key is not null then
    v_run_id := private.claim_idempotency_key(
      coalesce('user:' || run.started_by, 'key:' || run.started_by_public_key), enqueue_run.idempotency_key, enqueue_run.request, v_new_id
    );
  end if;
  if v_run_id = v_new_id then
    if enqueue_run.max_starts_per_minute is not null then
      v_counted_id := private.count_start(run.deployment_id, enqueue_run.max_starts_per_minute, enqueue_run.max_runs_in_flight);
    end if;
    insert into public.flow_run (
      id, user_id, flow_id, deployment_id, started_by, started_by_public_key, inputs,
      output_instructions, action_identity, action_signer, fees, chain_network
    ) values (
      v_run_id, run.user_id, run.flow_id, run.deployment_id, run.started_by, run.started_by_public_key, run.inputs,
      run.output_instructions, run.action_identity, run.action_signer, run.fees, run.chain_network
    );
    insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, chain_url, message_id, counted_deployment_id, turn)
    values (
      v_run_id, run.user_id, enqueue_run.snapshot_hash, enqueue_run.chain_url,
      (select m.message_id from pgmq.send('flow_runs', jsonb_build_object('flow_run_id', v_run_id)) as m (message_id)),
      v_counted_id,
      private.next_turn(run.user_id)
    );
  end if;
  return jsonb_build_object('flow_run_id', v_run_id, 'token', private.run_token(v_run_id));
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
      'code', fail.code, 'message', fail.message, 'details', fail.details::text, 'hint', fail.hint
    )::text,
    detail = json_build_object('status', fail.status, 'headers', fail.headers)::text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_queue_check()
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select pg_advisory_xact_lock(hashtextextended('private.check_queue_length', 0));
$function$;

CREATE OR REPLACE FUNCTION private.max_queue_length()
  RETURNS integer
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce((select s.max_length from private.queue_settings as s), 100000);
$function$;

CREATE OR REPLACE FUNCTION private.queue_clock()
  RETURNS bigint
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_queue_full (
  max_length integer
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.fail(429, 'queue_full', 'More runs wait to be executed than this project allows.',
    jsonb_build_object('limit', 'max_queue_length', 'value', refuse_queue_full.max_length),
    'Try again after the seconds in Retry-After.', '{"Retry-After": "10"}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_start (
  name                text,
  value               integer,
  retry_after_seconds integer
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.fail(429, 'start_limit_reached', format('This deployment has reached its %s, %s.', refuse_start.name, refuse_start.value),
    jsonb_build_object('limit', refuse_start.name, 'value', refuse_start.value), 'Try again after the seconds in Retry-After.',
    jsonb_build_object('Retry-After', refuse_start.retry_after_seconds::text));
end;
$function$;

CREATE OR REPLACE FUNCTION private.reserve_starts (
  deployment_id         uuid,
  max_starts_per_minute integer,
  max_runs_in_flight    integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_slot integer := pg_backend_pid() % 32;
  v_minute timestamptz := date_bin('1 minute', clock_timestamp(), 'epoch');
  v_batch integer;
  v_is_blocked boolean := false;
  v_usage record;
begin
  v_usage := private.check_usage(
    reserve_starts.deployment_id, reserve_starts.max_starts_per_minute, reserve_starts.max_runs_in_flight, v_minute, 0
  );
  -- A batch for each slot takes half of what there is. Of one transaction only the first reservation is made beside those of
  -- others, which see none of it.
  v_batch := case
    when current_setting('private.has_reserved_starts', true) = 'true' then 0 else least(v_usage.room / 64, 64)
  end;
  loop
    begin
      loop
        -- The slot before the lock of the deployment: who has that waits for no slot.
        perform from private.deployment_usage as u where u.deployment_id = reserve_starts.deployment_id and u.slot = v_slot for no key update;
        exit when found;
        insert into private.deployment_usage (deployment_id, slot)
        values (reserve_starts.deployment_id, v_slot), (reserve_starts.deployment_id, -1 - v_slot)
        on conflict on constraint deployment_usage_pkey do nothing;
      end loop;
      if v_batch < 1 then
        -- Alone, after all reservations that were under way, and with what the other slots have left: nothing is missed.
        perform pg_advisory_xact_lock(uuid_hash_extended(reserve_starts.deployment_id, 0));
        update private.deployment_usage as u set reserved = 0
        where u.deployment_id = reserve_starts.deployment_id and u.slot = any (array(
          select other.slot from private.deployment_usage as other
          where other.deployment_id = reserve_starts.deployment_id and other.reserved > 0
          for no key update skip locked
        ));
      elsif not pg_try_advisory_xact_lock_shared(uuid_hash_extended(reserve_starts.deployment_id, 0)) then
        raise sqlstate 'AGAIN';
      end if;

      v_minute := date_bin('1 minute', clock_timestamp(), 'epoch');
      update private.deployment_usage as u
      set
        minute = greatest(u.minute, v_minute), starts = case when u.minute >= v_minute then u.starts + 1 else 1 end,
        in_flight = u.in_flight + 1, reserved = greatest(v_batch - 1, 0),
        max_starts_per_minute = reserve_starts.max_starts_per_minute, max_runs_in_flight = reserve_starts.max_runs_in_flight
      where u.deployment_id = reserve_starts.deployment_id and u.slot = v_slot;
      v_usage := private.check_usage(
        reserve_starts.deployment_id, reserve_starts.max_starts_per_minute, reserve_starts.max_runs_in_flight, v_minute, 1
      );
      -- Each other slot may have one reservation under way that is not seen here.
      if v_usage.is_same_minute and v_usage.room >= 31 * v_batch then
        perform set_config('private.has_reserved_starts', 'true', true);
        return;
      end if;
      v_is_blocked := v_batch < 1 and v_usage.room < 0;
      raise sqlstate 'AGAIN';
    exception when sqlstate 'AGAIN' then
      -- With the subtransaction its locks are gone.
      v_batch := 0;
    end;
    if v_is_blocked then
      -- Starts under way keep what their slots have left: it is waited for without a lock that they could wait for.
      begin
        perform from private.deployment_usage as u
        where u.deployment_id = reserve_starts.deployment_id and u.reserved > 0 order by u.slot for no key update;
        raise sqlstate 'AGAIN';
      exception when sqlstate 'AGAIN' then
        v_is_blocked := false;
      end;
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_max_queue_length (
  max_length integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if coalesce(set_max_queue_length.max_length < 0, true) then
    perform private.fail(400, 'request_invalid', 'max_length: takes an integer from 0 to 2^31-1.');
  end if;
  perform private.lock_queue_check();
  insert into private.queue_settings as s (max_length) values (set_max_queue_length.max_length)
  on conflict on constraint queue_settings_pkey do update set max_length = excluded.max_length;
  -- The next start counts anew, after this commits.
  perform setval('private.queue_check_message', 0), setval('private.queue_full_until', 0);
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
  v_caller record := private.caller();
  v_deployment public.flow_deployments;
  v_inputs jsonb := coalesce(start_deployment.inputs, '{}');
  v_run public.flow_run;
begin
  if (start_deployment.id is null) = (start_deployment.flow is null) then
    perform private.fail(400, 'start_target_ambiguous', 'Name the deployment either by id or by flow.',
      hint => 'Give ?id=<deployment id>, or ?flow=<flow id> with an optional &tag=.');
  end if;
  if start_deployment.tag is not null and start_deployment.flow is null then
    perform private.fail(400, 'start_target_ambiguous', 'A tag names a deployment of a flow: give flow with it, not id.');
  end if;
  if v_caller.user_id is null then
    if start_deployment.public_key is null then
      perform private.unauthenticated();
    elsif not private.is_public_key(to_jsonb(start_deployment.public_key)) then
      perform private.fail(400, 'public_key_invalid', 'public_key: takes base58 of 32 bytes.');
    end if;
  end if;

  -- Key share: the deployment stays until the run is stored; deploys, customising and other starts don't wait. Its owner first, as
  -- the deletion of a user goes: whoever had the deployment already would wait for the owner in a circle.
  select d.* into v_deployment
  from public.flow_deployments as d
  join auth.users as u on u.id = d.user_id
  where d.id = coalesce(start_deployment.id, (
    select t.deployment_id from public.flow_deployments_tags as t
    where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest')
  ))
  for key share of u for key share of d;
  if not found or not (case v_deployment.start_permission
    when 'Owner' then coalesce(v_deployment.user_id = v_caller.user_id, false)
    when 'Authenticated' then v_caller.user_id is not null and (v_deployment.user_id = v_caller.user_id or not v_caller.is_anonymous)
    when 'Anonymous' then true
  end) then
    perform private.fail(404, 'deployment_not_found', 'There is no such deployment.');
  end if;
  perform private.check_start(v_inputs, start_deployment.action_signer);

  v_run.user_id := v_deployment.user_id;
  v_run.flow_id := v_deployment.entrypoint;
  v_run.deployment_id := v_deployment.id;
  v_run.started_by := v_caller.user_id;
  if v_caller.user_id is null then
    v_run.started_by_public_key := start_deployment.public_key;
  end if;
  v_run.inputs := jsonb_build_object('M', v_inputs);
  v_run.output_instructions := v_deployment.output_instructions;
  v_run.action_identity := v_deployment.action_identity;
  v_run.action_signer := start_deployment.action_signer;
  v_run.fees := v_deployment.fees;
  v_run.chain_network := jsonb_build_object('cluster', v_deployment.chain_network -> 'cluster');
  return private.enqueue_run(
    v_run, v_deployment.snapshot_hash, v_deployment.chain_network ->> 'url', start_deployment.idempotency_key,
    jsonb_build_object(
      'deployment', jsonb_build_array(start_deployment.id, start_deployment.flow, start_deployment.tag),
      'inputs', start_deployment.inputs, 'action_signer', start_deployment.action_signer
    ),
    case when v_run.started_by is distinct from v_run.user_id then v_deployment.max_starts_per_minute end,
    v_deployment.max_runs_in_flight
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from private.deployment_usage as u where u.deployment_id = old.id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.start_permission is distinct from old.start_permission
    and coalesce(new.start_permission not in ('Owner', 'Authenticated', 'Anonymous'), true)
  then
    perform private.refuse_faults('start_permission_invalid',
      '[{"path": "start_permission", "message": "takes Owner, Authenticated or Anonymous"}]');
  end if;

  if coalesce(new.max_starts_per_minute < 0, true) then
    perform private.refuse_faults('max_starts_per_minute_invalid',
      '[{"path": "max_starts_per_minute", "message": "takes an integer from 0 to 2^31-1"}]');
  end if;
  if coalesce(new.max_runs_in_flight < 0, true) then
    perform private.refuse_faults('max_runs_in_flight_invalid',
      '[{"path": "max_runs_in_flight", "message": "takes an integer from 0 to 2^31-1"}]');
  end if;

  if tg_op = 'INSERT' then
    -- The flow's own may have more members.
    new.chain_network := jsonb_build_object('url', new.chain_network -> 'url', 'cluster', new.chain_network -> 'cluster');
  end if;
  if new.chain_network is distinct from old.chain_network then
    perform private.refuse_faults('chain_network_invalid', private.chain_network_faults(new.chain_network));
  end if;

  -- As text, in which 1.0 is not 1.
  if new.fees::text is distinct from old.fees::text then
    perform private.refuse_faults('fees_invalid', private.fees_faults(new.fees));
    select coalesce(jsonb_agg(jsonb_build_array(f.pair -> 0, private.lamports(f.pair -> 1)) order by f.position), '[]')
    into new.fees
    from jsonb_array_elements(new.fees) with ordinality as f (pair, position);
  end if;

  if new.action_identity is distinct from old.action_identity and new.action_identity is not null then
    if not private.is_public_key(to_jsonb(new.action_identity)) then
      perform private.refuse_faults('action_identity_invalid',
        '[{"path": "action_identity", "message": "takes a public key, base58 of 32 bytes, or null"}]');
    end if;
    -- Share: until this is stored, the wallet is neither deleted nor made an ADAPTER; whoever tries waits, and then sees it.
    perform from public.wallets as w
    where w.user_id = new.user_id and w.public_key = new.action_identity and w.type = 'HARDCODED'
    for share;
    if not found then
      perform private.fail(400, 'action_identity_without_wallet',
        'action_identity: takes the public key of a HARDCODED wallet of the deployment''s owner.',
        '[{"path": "action_identity", "message": "there is no HARDCODED wallet of this public key"}]',
        'POST /wallets/upsert stores a wallet with its key pair.');
    end if;
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
declare
  v_slot integer := -1 - pg_backend_pid() % 32;
begin
  update private.deployment_usage as u set in_flight = u.in_flight - 1
  where u.deployment_id = old.counted_deployment_id and u.slot = v_slot;
  if not found then
    -- Starts make the slots of ends too. None is made here, so that none is left of a deleted deployment.
    update private.deployment_usage as u set in_flight = u.in_flight - 1
    where u.deployment_id = old.counted_deployment_id and u.slot = coalesce(
      (select max(e.slot) from private.deployment_usage as e where e.deployment_id = old.counted_deployment_id and e.slot < v_slot),
      (select max(e.slot) from private.deployment_usage as e where e.deployment_id = old.counted_deployment_id and e.slot < 0)
    );
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION public.max_queue_length()
  RETURNS integer
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.max_queue_length();
$function$;

REVOKE ALL ON FUNCTION "public"."max_queue_length"() FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.set_max_queue_length (
  max_length integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.set_max_queue_length(set_max_queue_length.max_length);
$function$;

REVOKE ALL ON FUNCTION "public"."set_max_queue_length"(integer) FROM PUBLIC, "anon", "authenticated";

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_max_runs_in_flight_natural" CHECK ((max_runs_in_flight >= 0));

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_max_starts_per_minute_natural" CHECK ((max_starts_per_minute >= 0));

CREATE CONSTRAINT TRIGGER flow_run_jobs_count_delete
  AFTER DELETE ON private.flow_run_jobs DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN (((old.counted_deployment_id IS NOT NULL) AND (old.message_id IS NOT NULL)))
  EXECUTE FUNCTION private.tg_flow_run_jobs__after_end();

CREATE CONSTRAINT TRIGGER flow_run_jobs_count_end
  AFTER UPDATE OF message_id ON private.flow_run_jobs DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN (((old.counted_deployment_id IS NOT NULL) AND (old.message_id IS NOT NULL) AND (new.message_id IS NULL)))
  EXECUTE FUNCTION private.tg_flow_run_jobs__after_end();

CREATE CONSTRAINT TRIGGER flow_deployments_delete_usage
  AFTER DELETE ON public.flow_deployments DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flow_deployments__after_delete();

COMMENT ON COLUMN "private"."deployment_usage"."in_flight" IS 'Runs that were started here, or less those that ended here: right in sum.';

COMMENT ON COLUMN "private"."deployment_usage"."minute" IS 'The minute that starts counts, and that reserved is for.';

COMMENT ON COLUMN "private"."deployment_usage"."reserved" IS 'Starts that the slot may count without a look at the others, under the limits that are repeated beside it: all slots together never use and reserve more than the limits.';

COMMENT ON COLUMN "private"."deployment_usage"."slot" IS 'pg_backend_pid() % 32 for starts, and for ends the negative of it less one: an end never waits for a start.';

COMMENT ON COLUMN "private"."flow_run_jobs"."counted_deployment_id" IS 'The deployment whose max_runs_in_flight the run counts for until it ends; null for a run that counts for none.';

COMMENT ON COLUMN "private"."queue_settings"."max_length" IS 'With so many runs there to be claimed, others than the owner start none.';

COMMENT ON COLUMN "public"."flow_deployments"."max_runs_in_flight" IS 'How many runs that others than the owner started have not ended yet, at most; 0: they start none. The owner is not limited.';

COMMENT ON COLUMN "public"."flow_deployments"."max_starts_per_minute" IS 'How often others than the owner start it in a calendar minute, all of them together; 0: not at all. The owner is not limited.';

COMMENT ON FUNCTION "private"."check_queue_length"() IS 'Counts the runs that are there to be claimed, no further than the limit: 429 queue_full. Counting again only after as many new messages as a hundredth of the limit lets the queue grow so much beyond it. Definer: the queue is private.';

COMMENT ON FUNCTION "private"."check_usage"(uuid, integer, integer, timestamp with time zone, integer) IS 'Adds up the slots of a deployment: 429 start_limit_reached when others than own_starts use a limit up, else what is neither used nor reserved of both limits, and whether the minute is the present one. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."count_start"(uuid, integer, integer) IS 'Counts a start by somebody else than the deployment''s owner, or refuses it, exact whatever else starts at the time: 429 queue_full, start_limit_reached. Returns the deployment. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb, integer, integer) IS 'Stores a root run with the given settings, queues it, and returns {flow_run_id, token}; with an idempotency key that was used for the same request, the earlier run''s. A new run that has limits counts for its deployment: 429 queue_full, start_limit_reached. Definer: runs are inserted nowhere else; callers check who asks.';

COMMENT ON FUNCTION "private"."fail"(integer, text, text, jsonb, text, jsonb) IS 'The one way to raise an error that a caller sees: PostgREST answers with `status`, the body {code, message, details, hint}, and `headers`, an object of strings. The codes are listed in types/errors.ts. Source: PostgREST documentation, "Raise errors with HTTP status codes".';

COMMENT ON FUNCTION "private"."lock_queue_check"() IS 'One at a time counts the queue or sets its limit.';

COMMENT ON FUNCTION "private"."max_queue_length"() IS 'Does what public.max_queue_length says. Definer: the settings are private.';

COMMENT ON FUNCTION "private"."queue_clock"() IS 'The time as private.queue_full_until has it.';

COMMENT ON FUNCTION "private"."refuse_queue_full"(integer) IS 'Raises 429 queue_full. A queue of the default length takes longer than 10 seconds to work off, one that just touches the limit less.';

COMMENT ON FUNCTION "private"."refuse_start"(text, integer, integer) IS 'Raises 429 start_limit_reached of the named limit.';

COMMENT ON FUNCTION "private"."reserve_starts"(uuid, integer, integer) IS 'Counts a start of a deployment and reserves more for the backend''s slot, as far as the limits are away; 429 start_limit_reached. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."set_max_queue_length"(integer) IS 'Does what public.set_max_queue_length says. Definer: the settings are private.';

COMMENT ON FUNCTION "private"."tg_flow_deployments__after_delete"() IS 'A deleted deployment takes its usage along. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."tg_flow_run_jobs__after_end"() IS 'Takes a run that has ended, or is deleted, off what counts for its deployment''s max_runs_in_flight. Definer: the usage is private.';

COMMENT ON FUNCTION "public"."max_queue_length"() IS 'For operators: how many runs may be there to be claimed when others than the owner start a deployment; 100000 unless set by set_max_queue_length.';

COMMENT ON FUNCTION "public"."set_max_queue_length"(integer) IS 'For operators: from so many runs on that are there to be claimed, others than a deployment''s owner start none of it, 429 queue_full; 0: never. What waits is counted again after a hundredth of it: a queue may grow so much longer. 400 request_invalid.';

COMMENT ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text) IS 'Starts a deployment, named by id or by flow and tag (default latest), and returns {flow_run_id, token}. A caller who is no user shows a public_key. With an idempotency_key, the same request within 24 hours gives the same run. 400 start_target_ambiguous, inputs_invalid, action_signer_invalid, public_key_invalid, idempotency_key_invalid; 401; 404 deployment_not_found, for what the caller may not start too; 409 idempotency_key_reused; for others than the owner 429 queue_full, start_limit_reached.';

COMMENT ON SEQUENCE "private"."queue_check_message" IS 'The message from which on the queue is counted again: until then it is not full.';

COMMENT ON SEQUENCE "private"."queue_full_until" IS 'Milliseconds since 1970 until which a queue that was found full is not counted again.';

COMMENT ON TABLE "private"."deployment_usage" IS 'How much others than its owner use a deployment, for its limits: the sum over slots, of which a backend writes its own, so that starts don''t wait for each other. No foreign key: the rows go when the deletion of the deployment commits.';

COMMENT ON TABLE "private"."queue_settings" IS 'What operators set of the queue, in one row; without it the defaults of private.max_queue_length() hold.';

REVOKE ALL ON FUNCTION "private"."check_queue_length"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_queue_length"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_queue_length"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_usage"(uuid, integer, integer, timestamp WITH time zone, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_usage"(uuid, integer, integer, timestamp WITH time zone, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_usage"(uuid, integer, integer, timestamp WITH time zone, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."count_start"(uuid, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_start"(uuid, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."count_start"(uuid, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."fail"(integer, text, text, jsonb, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fail"(integer, text, text, jsonb, text, jsonb) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."fail"(integer, text, text, jsonb, text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."fail"(integer, text, text, jsonb, text, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."fail"(integer, text, text, jsonb, text, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lock_queue_check"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_queue_check"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_queue_check"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."max_queue_length"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."max_queue_length"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."max_queue_length"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."max_queue_length"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."queue_clock"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."queue_clock"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."queue_clock"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_queue_full"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_queue_full"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_queue_full"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_start"(text, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_start"(text, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_start"(text, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reserve_starts"(uuid, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reserve_starts"(uuid, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reserve_starts"(uuid, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."set_max_queue_length"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_max_queue_length"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_max_queue_length"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_max_queue_length"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__after_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__after_delete"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_deployments__after_delete"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flow_run_jobs__after_end"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_run_jobs__after_end"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_run_jobs__after_end"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."max_queue_length"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."max_queue_length"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."max_queue_length"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."set_max_queue_length"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_max_queue_length"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_max_queue_length"(integer) TO "service_role";
