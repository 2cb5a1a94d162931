SET local check_function_bodies = off;

DROP POLICY "flow_run_select_owner_starter_token" ON "public"."flow_run";

DROP POLICY "flow_run_select_token" ON "public"."flow_run";

-- By hand: what slots had reserved is given back, and what was counted before counts for all callers.
UPDATE private.deployment_usage SET starts = starts - reserved, in_flight = in_flight - reserved WHERE reserved <> 0;

ALTER TABLE "private"."deployment_usage"
  DROP CONSTRAINT "deployment_usage_pkey";

DROP FUNCTION "private"."check_usage"(uuid, integer, integer, timestamp WITH time zone, integer);

DROP FUNCTION "private"."count_start"(uuid, integer, integer);

DROP FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text, uuid, boolean, text, text, jsonb, integer, integer, text, jsonb);

DROP FUNCTION "private"."refuse_start"(text, integer, integer);

DROP FUNCTION "private"."reserve_starts"(uuid, integer, integer);

ALTER TABLE "private"."deployment_usage"
  DROP COLUMN "max_runs_in_flight";

ALTER TABLE "private"."deployment_usage"
  DROP COLUMN "max_starts_per_minute";

ALTER TABLE "private"."deployment_usage"
  DROP COLUMN "reserved";

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
    idempotency_key => start_deployment.idempotency_key, request => v_request
  );
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
      perform private.hide_messages(array[v_job.message_id], 0);
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
    where not exists (select from private.flow_run_jobs as j where j.message_id = m.msg_id and j.message_id is not null)
    limit sweep_runner.max_runs
    for update skip locked
  )) as leftover (id)
  where pgmq.delete('flow_runs', leftover.id);

  perform private.sweep_usage(sweep_runner.max_runs);
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
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_messages, v_snapshots)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.sweep_usage (
  max_shares integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
  )
  -- As they are under the lock. Where they add up to nothing, the sum with rows that were not seen or got stays what it is.
  delete from private.deployment_usage as u
  where (u.deployment_id, u.share, u.slot) in (
    select l.deployment_id, l.share, l.slot
    from locked as l join (
      select l.deployment_id, l.share from locked as l group by l.deployment_id, l.share
      having sum(l.in_flight) = 0 and max(l.minute) < now() - interval '1 minute'
    ) as unused on (unused.deployment_id, unused.share) = (l.deployment_id, l.share)
  );
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

ALTER TABLE "private"."deployment_usage"
  ADD CONSTRAINT "deployment_usage_pkey" PRIMARY KEY (deployment_id, share, slot);

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

COMMENT ON COLUMN "private"."quotas"."value" IS 'How much a user may have at most.';

COMMENT ON FUNCTION "private"."called_flow_runs"(uuid, uuid) IS 'Does what public.called_flow_runs says. Definer: called runs are their owner''s only.';

COMMENT ON FUNCTION "private"."check_quota"(text, uuid) IS 'Refuses what a transaction has stored of a user''s when that is more than a user may have: 409 quota_exceeded. Deletions never wait for it. Definer: it must see all rows.';

COMMENT ON FUNCTION "private"."check_share"(uuid, text, timestamp with time zone, integer, integer) IS 'Refuses a start, which is counted already, where its share of a deployment now has more starts of this minute or runs in flight than it may: 429 start_limit_reached. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."count_start"(uuid, text[], integer, integer) IS 'Counts a start by somebody else than the deployment''s owner for its shares, or refuses it: 429 queue_full, start_limit_reached. Starts under way at the same time don''t see each other: a limit may be exceeded by as many, and nobody is refused below it. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text, uuid, boolean, text, text, jsonb, text[], integer, integer, text, jsonb) IS
  'Stores a root run with the given settings, queues it, and returns {flow_run_id, token}; with an idempotency key that was used for the same request, the earlier run''s. A new run with counted_shares counts for the limits of its deployment: 429 queue_full, start_limit_reached. 400 action_signer_invalid, inputs_invalid; 413 inputs_too_large. Definer: runs are inserted nowhere else; callers check who asks.';

COMMENT ON FUNCTION "private"."known_quotas"() IS 'What a user may have at most where the operator has set nothing else. Bytes are as stored, after compression.';

COMMENT ON FUNCTION "private"."quota"(text) IS 'How much of something a user may have. Definer: the settings are private.';

COMMENT ON FUNCTION "private"."quota_use"(text, uuid) IS 'How much of a quota a user has used up, what this transaction has stored included. Frozen flows count once, however many deployments run them. Definer: it must see all rows.';

COMMENT ON FUNCTION "private"."quotas"() IS 'Does what public.quotas says. Definer: the settings are private.';

COMMENT ON FUNCTION "private"."refuse_start"(text, text, bigint, integer) IS 'Raises 429 start_limit_reached, which names the limit, whose share of it is used up, and how much that is.';

COMMENT ON FUNCTION "private"."root_run_for_caller"(uuid) IS 'The run at the root of a run''s tree, for who may see that root: what concerns the whole tree may be asked by the id of any of its runs. 401; 404 flow_run_not_found. Definer, as private.run_for_caller is.';

COMMENT ON FUNCTION "private"."root_run_id"(uuid) IS 'The run at the root of a run''s tree: itself, unless an interflow node started it. Definer: for callers that are checked by the root.';

COMMENT ON FUNCTION "private"."run_for_caller"(uuid) IS 'A run, for its owner, who started it, and the holder of its token; for everybody else it does not exist (404 flow_run_not_found). A called run is its owner''s only. Definer: it is the check itself.';

COMMENT ON FUNCTION "private"."set_quota"(text, bigint) IS 'Does what public.set_quota says. Definer: the settings are private.';

COMMENT ON FUNCTION "private"."share_of_limit"(text, integer) IS 'How much of a limit a share may use: all callers the whole, guests together a half, one caller a tenth; rounded up, so that there is one where the limit is not 0.';

COMMENT ON FUNCTION "private"."start_shares"(uuid, boolean, text) IS 'Whose share of a deployment''s limits a start uses: that of all callers, that of guests, and the caller''s own. Guests have not signed up: anybody can make up a public key or sign in anonymously, so together they have a share that leaves room for users.';

COMMENT ON FUNCTION "private"."sweep_usage"(integer) IS 'Forgets callers who have no run in flight and started none within the last minute. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."tg_any__after_insert_check_quota"() IS 'Checks the quotas in its arguments for each user of the inserted rows, of which an upsert that only updates has none. Definer: users can''t call what it calls.';

COMMENT ON FUNCTION "private"."tg_flows__after_insert"() IS 'Refuses a flow that exceeds its owner''s quotas. Definer: users can''t call what it calls.';

COMMENT ON FUNCTION "private"."tg_flows__after_update"() IS 'Refuses a flow that grows beyond its owner''s quota. Definer: users can''t call what it calls.';

COMMENT ON FUNCTION "public"."called_flow_runs"(uuid, uuid) IS 'How the runs stand that a run called, for the owner of the flow, who started the run at the root of the tree, and the holder of its token. flow_run_id may itself be a called run. At most 1,000, in the order of their ids; after is the last id of the page before. Their inputs, outputs and errors are the owner''s to read, in flow_run. 401; 404 flow_run_not_found.';

COMMENT ON FUNCTION "public"."create_api_key"(text) IS 'Makes an API key of the calling user and returns {id, name, prefix, created_at, key}; the key is shown this once. 403 token_required for anonymous users and callers with an API key; 409 quota_exceeded.';

COMMENT ON FUNCTION "public"."deploy_flow"(integer) IS 'Freezes the caller''s flow, as it is now, into a new deployment, and returns {deployment_id}. 401 unauthenticated or token_invalid; 404 flow_not_found, for somebody else''s flow too; 409 quota_exceeded; 422 flow_invalid with the first 1,000 findings.';

COMMENT ON FUNCTION "public"."quotas"() IS 'For operators: how much of each thing a user may have, with what it is unless set by set_quota.';

COMMENT ON FUNCTION "public"."set_quota"(text, bigint) IS 'For operators: how much of something each user may have, from now on; null: the default. What a user has already stays. 400 request_invalid.';

COMMENT ON FUNCTION "public"."store_wallet"(uuid, text, text, text, text, bytea, bytea) IS 'For the function wallets, which has checked and encrypted the key pair: stores a wallet of the user, by public key, and returns its row without secrets. Without a ciphertext a HARDCODED wallet keeps the one it has; an ADAPTER wallet has none. 400 request_invalid, wallet_keypair_required; 401 token_invalid for a user who is deleted; 409 wallet_in_use, quota_exceeded.';

COMMENT ON TABLE "private"."deployment_usage" IS 'How much others than its owner use a deployment, for its limits. The use of a share is the sum over its slots, of which a backend writes its own, so that starts don''t wait for each other. No foreign key: the rows go when the deletion of the deployment commits.';

COMMENT ON TABLE "private"."quotas" IS 'What operators set of the quotas that each user has; for the others the defaults of private.known_quotas() hold.';

COMMENT ON TABLE "public"."flow_run" IS 'Runs of flows: written by functions only. The owner of the flow reads them all; who started a run reads that run, but not the runs that it called, of which called_flow_runs tells. A run''s settings are copies of a deployment''s, which has checked them.';

REVOKE ALL ON FUNCTION "private"."called_flow_runs"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."called_flow_runs"(uuid, uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."called_flow_runs"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."called_flow_runs"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."called_flow_runs"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."check_quota"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_quota"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_quota"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_share"(uuid, text, timestamp WITH time zone, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_share"(uuid, text, timestamp WITH time zone, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_share"(uuid, text, timestamp WITH time zone, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."count_start"(uuid, text[], integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_start"(uuid, text[], integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."count_start"(uuid, text[], integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text, uuid, boolean, text, text, jsonb, text[], integer, integer, text, jsonb) FROM PUBLIC;

REVOKE ALL
  ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text, uuid, boolean, text, text, jsonb, text[], integer, integer, text, jsonb)
  FROM "postgres";

GRANT EXECUTE
  ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text, uuid, boolean, text, text, jsonb, text[], integer, integer, text, jsonb)
  TO "postgres";

REVOKE ALL ON FUNCTION "private"."known_quotas"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."known_quotas"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."known_quotas"() TO "postgres";

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

REVOKE ALL ON FUNCTION "public"."called_flow_runs"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."called_flow_runs"(uuid, uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."called_flow_runs"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."called_flow_runs"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."called_flow_runs"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."quotas"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."quotas"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."quotas"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."set_quota"(text, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_quota"(text, bigint) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_quota"(text, bigint) TO "service_role";
