SET local check_function_bodies = off;

ALTER TABLE "public"."nodes"
  DROP CONSTRAINT "nodes_forms_together";

ALTER TABLE "public"."flow_deployments_tags"
  ALTER COLUMN "description" DROP DEFAULT;

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "input_names" text[] NOT NULL DEFAULT '{}'::text[];

ALTER TABLE "public"."flow_deployments_tags"
  ALTER COLUMN "description" DROP NOT NULL;

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

-- Deployments of before take the inputs that their snapshots name. Before their triggers keep the column as it is.
WITH named AS MATERIALIZED (
  SELECT s.hash, private.input_names(s.data #> '{entry,nodes}') AS input_names FROM private.flow_snapshots AS s
)
UPDATE public.flow_deployments AS d
SET input_names = named.input_names
FROM named
WHERE named.hash = d.snapshot_hash AND named.input_names <> '{}';

-- What nobody wrote, by the default of before.
UPDATE public.flow_deployments_tags AS t SET description = NULL WHERE t.tag = 'latest' AND t.description = '';

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
      select m.name, 'there is no such member; there are: url, cluster'
      from jsonb_object_keys(chain_network_faults.chain_network) as m (name)
      where m.name not in ('url', 'cluster')
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
    select m.name, 'there is no such member; there are: ' || (
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
    select format('%s[%s].name', p.side, p.position - 1), format('there is another one of the name %s', p.port -> 'name')
    from (
      select s.side, e.port, e.position,
        row_number() over (partition by s.side, e.port ->> 'name' order by e.position) as occurrence
      from (values ('sources'), ('targets')) as s (side)
      cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    ) as p
    where p.occurrence > 1
  )
  select coalesce(jsonb_agg(to_jsonb(fault) order by fault.path collate "C"), '[]') into v_faults from fault;
  return v_faults;
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
    max_starts_per_minute => case when v_deployment.user_id is distinct from v_user_id then v_deployment.max_starts_per_minute end,
    max_runs_in_flight => v_deployment.max_runs_in_flight,
    idempotency_key => start_deployment.idempotency_key, request => v_request, input_names => v_deployment.input_names
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_flow (
  flow_id         integer,
  inputs          jsonb,
  action_signer   text,
  idempotency_key text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
begin
  -- Key share: the flow stays until the run is stored, so that its deletion takes the run along. It may be edited meanwhile, and is
  -- read once: network and graph are of one edit.
  select f.* into v_flow from public.flows as f where f.id = start_flow.flow_id and f.user_id = v_user_id for key share;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;
  return private.enqueue_run(
    user_id => v_user_id, flow_id => v_flow.id, started_by => v_user_id,
    inputs => coalesce(start_flow.inputs, '{}'), action_signer => start_flow.action_signer,
    chain_network => v_flow.chain_network, snapshot_hash => private.take_snapshot(v_flow),
    idempotency_key => start_flow.idempotency_key,
    request => jsonb_build_object('flow', start_flow.flow_id, 'inputs', start_flow.inputs, 'action_signer', start_flow.action_signer),
    input_names => private.input_names(v_flow.nodes)
  );
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

ALTER TABLE "public"."nodes"
  ADD CONSTRAINT "nodes_json_schema_with_ui_schema" CHECK ((("targets_form.json_schema" IS NULL) OR ("targets_form.ui_schema" IS NOT NULL)));

COMMENT ON COLUMN "public"."flow_deployments"."input_names" IS 'The names of the inputs that the frozen flow takes: a start that names another one is refused. Here, not with the snapshot, so that a start reads one row.';

COMMENT ON COLUMN "public"."flow_deployments_tags"."description" IS 'The owner''s words for people; null where there are none, as on latest until somebody describes it.';

COMMENT ON COLUMN "public"."nodes"."targets_form.json_schema" IS 'The form for its settings; needs targets_form.ui_schema.';

COMMENT ON FUNCTION "private"."check_input_names"(jsonb, text[]) IS 'Refuses inputs that the flow does not have: 400 inputs_invalid, which names the first 20 of them and of those that there are.';

COMMENT ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text[], text, uuid, boolean, text, text, jsonb, integer, integer, text, jsonb) IS
  'Stores a root run with the given settings, queues it, and returns {flow_run_id, token}; with an idempotency key that was used for the same request, the earlier run''s. A new run that has limits counts for its deployment: 429 queue_full, start_limit_reached. 400 action_signer_invalid, inputs_invalid; 413 inputs_too_large. Definer: runs are inserted nowhere else; callers check who asks.';

COMMENT ON FUNCTION "private"."input_names"(jsonb) IS 'The names of a graph''s inputs, each once, in the order of its nodes: the label of each flow_input, else what its output is called, as functions/runner names it. Of nodes that have no faults.';

COMMENT ON FUNCTION "private"."tg_flow_deployments__before_insert"() IS 'Gives the deployment an id greater than those of the flow''s other deployments, under a lock of the flow, and the names of its inputs. Definer: it must see all of them, and the snapshot.';

COMMENT ON TABLE "public"."flow_deployments" IS 'Frozen flows. id, created_at, user_id, entrypoint, snapshot_hash and input_names never change; the other columns are the owner''s to customise.';

REVOKE ALL ON FUNCTION "private"."check_input_names"(jsonb, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_input_names"(jsonb, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_input_names"(jsonb, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text[], text, uuid, boolean, text, text, jsonb, integer, integer, text, jsonb) FROM PUBLIC;

REVOKE ALL
  ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text[], text, uuid, boolean, text, text, jsonb, integer, integer, text, jsonb)
  FROM "postgres";

GRANT EXECUTE
  ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text[], text, uuid, boolean, text, text, jsonb, integer, integer, text, jsonb)
  TO "postgres";

REVOKE ALL ON FUNCTION "private"."input_names"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."input_names"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."input_names"(jsonb) TO "postgres";
