SET local check_function_bodies = off;

DROP FUNCTION "private"."inputs_of_values"(jsonb, private.flow_snapshot_interfaces);

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "typed_inputs" jsonb;

CREATE OR REPLACE FUNCTION private.answered_by_fault (
  form_data jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_given constant jsonb := answered_by_fault.form_data -> 'answered_by';
begin
  return case
    when v_given is null or v_given in ('"owner"', '"starter"', '"anyone_with_the_link"') then null
    when jsonb_typeof(v_given) = 'array' and jsonb_array_length(v_given) between 1 and private.limit_input_answerers()
      and not exists (
        select from jsonb_array_elements(v_given) as a (address)
        where jsonb_typeof(a.address) <> 'string' or length(a.address #>> '{}') > 320
          or a.address #>> '{}' !~ '^[^\s@]+@[^\s@]+$'
      )
      then null
    else format(
      'must be owner, starter, anyone_with_the_link, or a list of 1 to %s e-mail addresses; the run fails at the node',
      private.limit_input_answerers()
    )
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.compare_deploy_settings (
  flow_id       integer,
  settings_from text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.require_user();
  v_flow public.flows;
begin
  select * into v_flow from public.flows as f
  where f.id = compare_deploy_settings.flow_id and f.user_id = v_user_id;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  return (
    select coalesce(
      jsonb_agg(jsonb_build_object('setting', kept.key, 'kept', kept.value, 'otherwise', given.value) order by kept.key),
      '[]'
    )
    from jsonb_each(to_jsonb(private.settings_source(v_flow, compare_deploy_settings.settings_from))) as kept
    join jsonb_each(to_jsonb(private.new_deployment(v_flow))) as given on given.key = kept.key
    where kept.value <> given.value
      and kept.key not in ('id', 'created_at', 'user_id', 'entrypoint', 'snapshot_hash', 'input_names', 'typed_inputs')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.complete_inputs (
  inputs jsonb,
  typed  jsonb,
  member text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_defaults jsonb;
  v_faults jsonb;
begin
  with given as materialized (
    select t.key as name, t.value as typed, complete_inputs.inputs -> t.key as value,
      coalesce(complete_inputs.inputs -> t.key = '{"N": 0}', true) as is_absent
    from jsonb_each(complete_inputs.typed) as t
  ),
  fault as (
    select g.name, case when g.typed ? 'default' and g.is_absent then null
      when g.typed ? 'required' and (g.is_absent or g.value = '{"S": ""}') then 'must be given'
      when not g.is_absent then private.typed_value_fault(g.value, g.typed)
    end as message
    from given as g
  )
  select
    (
      select jsonb_object_agg(g.name, private.value_of_type(g.typed -> 'default', g.typed ->> 'type'))
      from given as g where g.is_absent and g.typed ? 'default'
    ),
    (
      select jsonb_agg(jsonb_build_object(
        'path', complete_inputs.member || '.' || private.shorten(f.name), 'message', f.message
      ) order by f.name)
      from (
        select f.* from fault as f where f.message is not null
        order by f.name limit private.limit_listed_faults()
      ) as f
    )
  into v_defaults, v_faults;
  perform private.refuse_faults('inputs_invalid', coalesce(v_faults, '[]'));
  return complete_inputs.inputs || coalesce(v_defaults, '{}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.describe_snapshot (
  data jsonb,
  OUT  inputs jsonb,
  OUT  outputs jsonb
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_nestloop TO 'off'
  SET enable_mergejoin TO 'off'
  AS $function$
declare
  v_every_kind constant bigint := private.mask_of_bounds(null);
begin
  with recursive graph as materialized (
    -- A flow that calls itself is in the snapshot twice: as the entry, and as a called flow.
    select 0 as flow, describe_snapshot.data -> 'entry' as graph
    union all
    select f.key::integer, f.value from jsonb_each(describe_snapshot.data -> 'flows') as f
  ),
  node as materialized (
    select
      g.flow, (n.position - 1)::integer as index, n.node ->> 'id' as id, d.data ->> 'node_id' as node_id,
      d.data -> 'sources' as sources, d.data -> 'targets' as targets, d.data #> '{targets_form,form_data}' as form_data,
      d.data ->> 'type' = 'native' and d.data ->> 'node_id' = 'flow_input' as is_input,
      d.data ->> 'type' = 'native' and d.data ->> 'node_id' = 'flow_output' as is_output,
      nullif(private.node_key(d.data), '') as node_key
    from graph as g
    cross join lateral jsonb_array_elements(g.graph -> 'nodes') with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
    where d.data ->> 'type' <> 'mock'
  ),
  definition as materialized (
    select d.node_key as node_id, d.sources, d.targets, d.properties
    from private.definitions_of_keys(
      array(select distinct n.node_key from node as n), describe_snapshot.data -> 'definitions'
    ) as d
  ),
  defined_target as materialized (
    select d.node_id, t.port ->> 'name' as name, t.port -> 'type_bounds' as type_bounds,
      coalesce((t.port ->> 'required')::boolean, false) as is_required,
      coalesce((t.port ->> 'passthrough')::boolean, false) as is_handed_on,
      -- The help of a node that decides about other nodes says nothing to a person who starts the flow.
      case when d.node_id not in ('branch', 'switch', 'gate') then jsonb_build_object(
        'description', private.shorten(t.port ->> 'tooltip', 500),
        'json_schema', private.schema_hint(d.properties -> (t.port ->> 'name'))
      ) end as hint
    from definition as d cross join lateral jsonb_array_elements(d.targets) as t (port)
  ),
  defined_source as materialized (
    select d.node_id, s.port ->> 'name' as name, s.port ->> 'type' as type
    from definition as d cross join lateral jsonb_array_elements(d.sources) as s (port)
  ),
  -- The label of a flow_input or flow_output is the name of its port, even if the JSON gives the port another name.
  named as materialized (
    select n.flow, n.index, n.id, n.node_key, n.is_input, n.is_output, n.form_data,
      case when n.is_input or n.is_output then coalesce(
        case jsonb_typeof(n.form_data -> 'label') when 'string' then n.form_data ->> 'label' end,
        (case when n.is_input then n.sources else n.targets end) -> 0 ->> 'name', ''
      ) end as label,
      case when n.node_key in ('interflow', 'interflow_instructions')
        then private.integer_or_null(n.form_data ->> 'id') end as called,
      n.node_key is not null and n.node_key in (select d.node_id from definition as d) as is_defined,
      coalesce(private.draws_inputs(n.node_key), false) as are_inputs_drawn,
      coalesce(private.draws_outputs(n.node_key), false) as are_outputs_drawn
    from node as n
  ),
  drawn_target as materialized (
    select t.flow, t.index, t.port ->> 'id' as handle, t.port ->> 'name' as name,
      t.port -> 'type_bounds' as type_bounds,
      (t.port -> 'required')::boolean as is_required, (t.port -> 'passthrough')::boolean as is_handed_on
    from (select n.flow, n.index, jsonb_array_elements(n.targets) as port from node as n) as t
  ),
  drawn_source as materialized (
    select s.flow, s.index, s.port ->> 'id' as handle, s.port ->> 'name' as name, s.port ->> 'type' as type
    from (select n.flow, n.index, jsonb_array_elements(n.sources) as port from node as n) as s
  ),
  -- Look up each handle in the whole flow, as the runner does.
  handle as materialized (
    select 'target' as side, d.flow, d.handle, max(d.name) as name from drawn_target as d group by d.flow, d.handle
    union all
    select 'source', d.flow, d.handle, max(d.name) from drawn_source as d group by d.flow, d.handle
  ),
  edge as materialized (
    select g.flow, e.edge ->> 'source' as source, e.edge ->> 'target' as target,
      e.edge ->> 'targetHandle' as target_handle,
      case when e.edge ->> 'sourceHandle' like 'passthrough-%' then 'target' else 'source' end as side,
      case when e.edge ->> 'sourceHandle' like 'passthrough-%' then substr(e.edge ->> 'sourceHandle', 13)
        else e.edge ->> 'sourceHandle' end as source_handle
    from graph as g cross join lateral jsonb_array_elements(g.graph -> 'edges') as e (edge)
    -- An expression computes another value, so an edge with an expression does not pass on the input's value.
    where private.edge_expression(e.edge) is null
  ),
  -- Keep only edges over which an input's value may travel, and edges into an output of the entry.
  wired as materialized (
    select e.flow, e.side, s.index as source_index, s.is_input, s.label as source_label, s.node_key as source_id,
      s.is_defined and not s.are_outputs_drawn as is_source_defined, sh.name as source_name,
      t.index as target_index, t.node_key as target_id, t.is_defined and not t.are_inputs_drawn as is_target_defined,
      t.is_output,
      t.called, case when t.is_output then t.label else th.name end as target_name
    from edge as e
    join named as s on s.flow = e.flow and s.id = e.source
    join named as t on t.flow = e.flow and t.id = e.target
    join handle as sh on sh.flow = e.flow and sh.side = e.side and sh.handle = e.source_handle
    join handle as th on th.flow = e.flow and th.side = 'target' and th.handle = e.target_handle
    where e.side = 'target' or s.is_input or t.is_output and e.flow = 0
  ),
  label as materialized (
    select l.flow, l.name, row_number() over (order by l.flow, l.first_index)::integer as number, l.form_label
    from (
      select n.flow, n.label as name, min(n.index) as first_index,
        (
          array_agg(n.form_data -> 'form_label' order by n.index) filter (where n.form_data -> 'form_label' <> 'null')
        )[1] as form_label
      from named as n where n.is_input group by n.flow, n.label
    ) as l
  ),
  -- The targets of edges over which an input's value may travel, each once.
  fed as materialized (
    select row_number() over ()::integer as number, w.*
    from (
      select distinct on (e.flow, e.target_index, e.target_name) e.* from wired as e
      where e.side = 'target' or e.is_input
      order by e.flow, e.target_index, e.target_name
    ) as w
  ),
  first_drawn as materialized (
    select d.flow, d.index, d.name, (array_agg(d.type_bounds))[1] as type_bounds, bool_or(d.is_required) as is_required,
      bool_or(d.is_handed_on) as is_handed_on
    from drawn_target as d group by d.flow, d.index, d.name
  ),
  -- A node may have several outputs with the same name. Keep one row for each name.
  first_source as materialized (
    select d.flow, d.index, d.name, min(d.type) as type from drawn_source as d group by d.flow, d.index, d.name
  ),
  port as materialized (
    select f.number, f.flow, f.target_index as index, f.target_name as name, f.called, f.side, f.is_input,
      f.source_index, f.source_name, f.source_label,
      case when f.is_output then '["free"]' when f.is_target_defined then defined.type_bounds
        else drawn.type_bounds end as type_bounds,
      case when f.is_output then true when f.is_target_defined then defined.is_required
        else drawn.is_required end as is_required,
      case when f.is_output then false when f.is_target_defined then defined.is_handed_on
        else drawn.is_handed_on end as is_handed_on,
      case when f.is_target_defined and not f.is_output then defined.hint end as hint
    from fed as f
    left join defined_target as defined on defined.node_id = f.target_id and defined.name = f.target_name
    left join first_drawn as drawn on drawn.flow = f.flow and drawn.index = f.target_index
      and drawn.name = f.target_name
  ),
  bounds as materialized (
    select b.type_bounds, private.mask_of_bounds(b.type_bounds) as mask
      from (select distinct p.type_bounds from port as p) as b
  ),
  linked as materialized (
    select p.number, l.number as label, c.number as called, coalesce(b.mask, v_every_kind) as mask, p.is_required,
      p.hint,
      -- If an input of type pubkey passes its value on, the runner first converts the value to a public key. The next
      -- port gets this public key instead of the input's value, so the port has no parent.
      case when upper.is_handed_on and upper.type_bounds ->> 0 is distinct from 'pubkey' then upper.number end as parent
    from port as p
    left join bounds as b on b.type_bounds = p.type_bounds
    left join port as upper on p.side = 'target' and upper.flow = p.flow and upper.index = p.source_index
      and upper.name = p.source_name
    left join label as l on p.side = 'source' and l.flow = p.flow and l.name = p.source_label
    left join label as c on c.flow = p.called and c.name = p.name
  ),
  -- All ports that the value of an input reaches: those that it feeds, and those to which they pass it on.
  reached as (
    select l.number as port, l.label, l.called, l.mask, l.is_required from linked as l where l.label is not null
    union all
    select l.number, r.label, l.called, l.mask, l.is_required from reached as r join linked as l on l.parent = r.port
  ),
  own as materialized (
    select r.label, bit_and(r.mask) as mask, bool_or(r.is_required) as is_required from reached as r group by r.label
  ),
  call as materialized (
    select distinct r.label as caller, r.called from reached as r where r.called is not null
  ),
  -- An input whose value goes to a called flow refuses what the input of the called flow refuses. A flow may call
  -- itself. An input that a port requires refuses the missing value, for which the kind is 0.
  refused (label, kind) as (
    select o.label, k.mask
    from own as o
    join (select v.mask from private.value_kinds() as v union all select 0) as k
      on case k.mask when 0 then o.is_required else o.mask & k.mask = 0 end
    where o.label in (select c.called from call as c)
    union
    select c.caller, r.kind from refused as r join call as c on c.called = r.label
  ),
  refusal as materialized (
    select r.label, bit_or(r.kind) as mask, bool_or(r.kind = 0) as is_required from refused as r group by r.label
  ),
  -- A hint describes one port, so an input that feeds several ports has no hint.
  hint as materialized (
    select l.label, (array_agg(l.hint))[1] as hint from linked as l
      where l.label is not null group by l.label having count(*) = 1
  ),
  declared as materialized (
    select t.key as name, t.value as typed, p.takes, i.format
    from jsonb_each(private.typed_inputs(describe_snapshot.data #> '{entry,nodes}')) as t
    left join private.input_types() as i on i.name = t.value ->> 'type'
    left join private.port_types() as p on p.name = i.port_type
  ),
  input as materialized (
    select l.number, l.name, l.form_label, d.typed, d.format,
      -- If the ports take nothing of the author's type, the type counts, and what the ports say about values does not.
      case when n.mask is null or n.is_narrowed then h.hint end as hint,
      coalesce(o.is_required or r.is_required, false) or coalesce((d.typed -> 'required')::boolean, false)
        as is_required,
      coalesce(n.mask, coalesce(o.mask, v_every_kind) & ~coalesce(r.mask, 0)) as mask,
      octet_length(l.form_label::text) as size,
      -- Leave out defaults of more than 4 KiB, which are too large for a form. When the total size of the defaults
      -- exceeds a megabyte, leave out all further defaults.
      sum(octet_length(l.form_label::text))
        filter (where octet_length(l.form_label::text) <= 4096) over (order by l.number) as total_size
    from label as l
    left join own as o on o.label = l.number
    left join refusal as r on r.label = l.number
    left join hint as h on h.label = l.number
    left join declared as d on d.name = l.name
    left join lateral (
      select case when m.is_narrowed then m.mask else d.takes end as mask, m.is_narrowed
      from (
        select m.mask, exists (select from private.port_types() as t where t.makes & m.mask = t.makes) as is_narrowed
        from (select coalesce(o.mask, v_every_kind) & ~coalesce(r.mask, 0) & d.takes as mask) as m
        where d.takes is not null
      ) as m
    ) as n on true
    where l.flow = 0
  ),
  typed as materialized (
    select m.mask, private.types_of_mask(m.mask) as types from (select distinct i.mask from input as i) as m
  ),
  -- A single query makes all lists of types. Each input may have its own list, and a query for each list would take
  -- seconds.
  shape as materialized (
    select s.types, to_jsonb(s.types) as type_bounds,
      case when cardinality(s.types) = 1 then jsonb_agg(t.json_schema) -> 0
        else jsonb_build_object('anyOf', jsonb_agg(distinct part.json_schema)) end as json_schema
    from (select distinct t.types from typed as t) as s
    cross join lateral unnest(s.types) as n (name)
    join private.port_types() as t on t.name = n.name
    cross join lateral jsonb_array_elements(coalesce(t.json_schema -> 'anyOf', jsonb_build_array(t.json_schema)))
      as part (json_schema)
    group by s.types
  ),
  output as (
    select n.label as name, min(n.index) as index, coalesce(min(
      case
        when w.side is null then 'free'
        -- If an input feeds an output directly and has exactly one type, the output has that type.
        when w.is_input then case when cardinality(t.types) = 1 then t.types[1] end
        when w.side = 'target' then coalesce(passed.type_bounds ->> 0, 'free')
        when w.is_source_defined then coalesce(defined.type, 'free')
        else coalesce(drawn.type, 'free')
      end
    ), 'free') as type
    from named as n
    left join wired as w on w.flow = 0 and w.is_output and w.target_index = n.index
    left join defined_source as defined on defined.node_id = w.source_id and defined.name = w.source_name
    left join first_source as drawn on drawn.flow = 0 and drawn.index = w.source_index and drawn.name = w.source_name
    left join port as passed on passed.flow = 0 and passed.index = w.source_index and passed.name = w.source_name
      and w.side = 'target'
    left join input as i on w.is_input and i.name = w.source_label
    left join typed as t on t.mask = i.mask
    where n.flow = 0 and n.is_output
    group by n.label
  )
  select
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'name', i.name, 'description', coalesce(i.typed ->> 'help', i.hint ->> 'description', ''),
        'type_bounds', s.type_bounds,
        'required', i.is_required and i.form_label is null,
        'default', case when i.size <= 4096 and i.total_size <= 1048576 then i.form_label end,
        'json_schema', case when i.typed ? 'choices' then s.json_schema - 'anyOf' else s.json_schema end
          || case when i.typed is null then coalesce(i.hint -> 'json_schema', '{}')
            else coalesce(i.hint -> 'json_schema', '{}') - 'title' || jsonb_strip_nulls(jsonb_build_object(
              'title', i.typed -> 'title', 'description', coalesce(i.typed ->> 'help', ''),
              'enum', i.typed -> 'choices', 'format', i.format
            )) end
      ) order by i.number), '[]')
      from input as i join typed as t on t.mask = i.mask join shape as s on s.types = t.types
    ),
    (
      select coalesce(jsonb_agg(jsonb_build_object('name', o.name, 'type', o.type) order by o.index), '[]')
      from output as o
    )
  into inputs, outputs;
end;
$function$;

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
  -- Not v_run_id if the start joins a sleeping run.
  v_joined_run_id uuid := v_run_id;
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
  -- flow knows, and whose types the flow does not choose. Such starts need no further check. This condition finds them:
  -- it compares each name with each name, which is quick if the flow has few inputs.
  if (
    enqueue_run.plain is null and enqueue_run.deployment.typed_inputs is null
      and cardinality(enqueue_run.deployment.input_names) <= 100
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
  v_queue := v_settings -> 'queue';
  if v_queue is not null and enqueue_run.caller.row_start_id is not null then
    v_state := 'blocked';
    -- The write of the row must not wait for a key. So only check the key; the next claim takes a place of it.
    perform private.queue_key_hash(v_queue, v_inputs, '');
    if v_is_limited then
      perform private.refuse_many_keys(enqueue_run.deployment.id);
    end if;
  elsif v_queue is not null then
    select p.run_id, p.queue_key_id, p.state, p.due_at into v_joined_run_id, v_queue_key_id, v_state, v_due_at
    from private.take_queue_place(
      enqueue_run.deployment.id, v_queue, v_inputs,
      private.queue_starter(enqueue_run.deployment, coalesce(enqueue_run.starter, enqueue_run.caller)), v_is_limited,
      enqueue_run.settings is not null, enqueue_run.caller.run_id, v_run_id
    ) as p;
  end if;
  if v_is_limited then
    v_shares := private.admit_start(
      enqueue_run.deployment, enqueue_run.caller, (v_joined_run_id = v_run_id)::integer
    );
  end if;
  if v_joined_run_id <> v_run_id then
    -- The key and the limits do not count the new run, because private.join_debounced_run deletes it again.
    v_queue_key_id := null;
    v_shares := null;
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
  if v_joined_run_id <> v_run_id then
    perform private.join_debounced_run(v_run_id, v_joined_run_id, v_due_at);
    return jsonb_build_object('flow_run_id', v_joined_run_id, 'token', private.run_token(v_joined_run_id));
  end if;
  v_is_announced := private.announce_claimable_run();
  return v_started;
end;
$function$;

CREATE OR REPLACE FUNCTION private.error_status (
  code text
)
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN
               (code = ANY (ARRAY['request_invalid'::text, 'count_inexact'::text, 'pattern_filter_refused'::text, 'inputs_invalid'::text, 'answer_invalid'::text,
               'public_key_invalid'::text,
               'idempotency_key_invalid'::text,
               'column_invalid'::text,
               'column_read_only'::text,
               'start_permission_invalid'::text,
               'name_invalid'::text,
               'description_invalid'::text,
               'icon_url_invalid'::text,
               'fees_invalid'::text,
               'chain_network_invalid'::text,
               'max_starts_per_minute_invalid'::text,
               'max_runs_in_flight_invalid'::text,
               'queue_key_invalid'::text,
               'max_running_per_key_invalid'::text,
               'max_starts_per_key_invalid'::text,
               'key_period_seconds_invalid'::text,
               'debounce_seconds_invalid'::text,
               'debounce_max_seconds_invalid'::text,
               'on_end_invalid'::text,
               'action_identity_invalid'::text,
               'action_identity_without_wallet'::text,
               'node_definition_invalid'::text,
               'row_start_invalid'::text,
               'start_target_ambiguous'::text,
               'action_signer_invalid'::text,
               'priority_invalid'::text,
               'environment_invalid'::text,
               'partial_config_invalid'::text,
               'wallet_key_mismatch'::text,
               'wallet_keypair_required'::text,
               'signature_invalid'::text, 'transaction_changed'::text, 'kv_store_name_invalid'::text, 'kv_key_invalid'::text, 'kv_value_invalid'::text])) THEN 400
             WHEN (code = ANY (ARRAY['unauthenticated'::text, 'token_invalid'::text, 'api_key_invalid'::text, 'webhook_signature_invalid'::text])) THEN 401
             WHEN (code = 'token_required'::text) THEN 403
             WHEN
               (code = ANY (ARRAY['route_not_found'::text, 'api_key_not_found'::text, 'flow_not_found'::text, 'deployment_not_found'::text, 'flow_version_not_found'::text,
               'flow_run_not_found'::text,
               'webhook_delivery_not_found'::text,
               'pending_input_not_found'::text,
               'webhook_not_found'::text,
               'signature_request_not_found'::text, 'wallet_not_found'::text, 'connection_not_found'::text, 'kv_item_not_found'::text, 'kv_store_not_found'::text])) THEN 404
             WHEN (code = 'method_not_allowed'::text) THEN 405
             WHEN (code = 'body_timeout'::text) THEN 408
             WHEN
               (code = ANY (ARRAY['idempotency_key_reused'::text, 'quota_exceeded'::text, 'flow_changed'::text, 'flow_has_deployments'::text, 'tag_latest_protected'::text,
               'webhook_answer_failed'::text,
               'webhook_loop'::text,
               'start_loop'::text,
               'run_failed'::text,
               'action_failed'::text,
               'run_stopped'::text,
               'run_not_ended'::text,
               'run_succeeded'::text,
               'run_redriven'::text,
               'run_not_redrivable'::text,
               'redrive_graph_changed'::text,
               'outcome_unknown'::text,
               'pending_input_answered'::text,
               'claim_lost'::text,
               'wallet_in_use'::text,
               'signature_request_answered'::text,
               'signature_request_expired'::text, 'connection_changed'::text, 'connection_in_use'::text, 'kv_store_exists'::text, 'kv_stores_limit'::text])) THEN 409
             WHEN (code = ANY (ARRAY['body_too_large'::text, 'flows_too_large'::text, 'inputs_too_large'::text, 'kv_size_limit'::text])) THEN 413
             WHEN (code = 'media_type_unsupported'::text) THEN 415
             WHEN (code = ANY (ARRAY['flow_invalid'::text, 'connection_test_failed'::text, 'document_unreadable'::text])) THEN 422
             WHEN (code = ANY (ARRAY['too_many_requests'::text, 'queue_full'::text, 'start_limit_reached'::text, 'action_lookups_limit'::text])) THEN 429
             WHEN (code = 'internal'::text) THEN 500
             WHEN (code = 'service_unavailable'::text) THEN 503
             ELSE NULL::integer
         END
  AS "case";
END;

CREATE OR REPLACE FUNCTION private.flow_warnings (
  nodes        jsonb,
  edges        jsonb,
  acting_flows jsonb,
  definitions  jsonb DEFAULT NULL::jsonb
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
  -- Without any definitions, the database does not know which nodes the runner has.
  v_knows_nodes constant boolean := exists (
    select from public.nodes as n where n.owner_key = v_nobody and n.type = 'native'
  );
begin
  return (
    with node as materialized (
      select
        (n.position - 1)::integer as index, n.node ->> 'id' as id, d.data ->> 'type' as type,
        d.data ->> 'node_id' as name, private.node_key(d.data) as node_id,
        -- True if the node's inputs and outputs come from the flow's JSON instead of the definition.
        d.data ->> 'type' = 'native' and (not v_knows_nodes or private.draws_inputs(d.data ->> 'node_id'))
          as are_inputs_drawn,
        d.data ->> 'type' = 'native' and (not v_knows_nodes or private.draws_outputs(d.data ->> 'node_id'))
          as are_outputs_drawn,
        private.draws_inputs(private.node_key(d.data)) as draws_inputs,
        d.data -> 'sources' as sources, d.data -> 'targets' as targets,
        d.data #> '{targets_form,form_data}' as form_data,
        coalesce(d.data -> 'retry' <> 'null', false) as has_retry,
        coalesce(d.data -> 'timeout_ms' <> 'null', false) as has_timeout,
        coalesce(d.data ->> 'on_error' = 'output', false) as handles_errors,
        d.data ->> 'on_error' = 'output' and jsonb_path_exists(d.data, '$.sources[*] ? (@.name == "error")')
          as has_error_output,
        case when d.data ->> 'type' = 'native' and d.data ->> 'node_id' in ('flow_input', 'flow_output')
          then private.port_label(d.data)
        end as label
      from jsonb_array_elements(flow_warnings.nodes) with ordinality as n (node, position)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
      where d.data ->> 'type' <> 'mock'
    ),
    definition as materialized (
      select d.node_key as node_id, d.sources, d.targets
      from private.definitions_of_keys(
        array(select distinct n.node_id from node as n), flow_warnings.definitions
      ) as d
    ),
    defined_port as materialized (
      select d.node_id, 'source' as side, s.port ->> 'name' as name, false as is_required, false as is_handed_on,
        coalesce((s.port ->> 'optional')::boolean, false) as may_be_unset,
        jsonb_build_array(coalesce(s.port ->> 'type', 'free')) as types
      from definition as d cross join lateral jsonb_array_elements(d.sources) as s (port)
      union all
      select d.node_id, 'target', t.port ->> 'name', coalesce((t.port ->> 'required')::boolean, false),
        coalesce((t.port ->> 'passthrough')::boolean, false), false, t.port -> 'type_bounds'
      from definition as d cross join lateral jsonb_array_elements(d.targets) as t (port)
    ),
    drawn as materialized (
      select s.index, 'source' as side, s.port ->> 'id' as handle, s.port ->> 'name' as name, false as is_required,
        false as is_handed_on, s.port ->> 'optional' = 'true' as may_be_unset, false as runs_when_absent
      from (select n.index, jsonb_array_elements(n.sources) as port from node as n) as s
      union all
      select t.index, 'target', t.port ->> 'id', t.port ->> 'name', (t.port -> 'required')::boolean,
        (t.port -> 'passthrough')::boolean, false, t.port ->> 'when_absent' is not null
      from (select n.index, jsonb_array_elements(n.targets) as port from node as n) as t
    ),
    -- Look up each handle in the whole flow, as the runner does. Copies of a node may share a handle.
    handle as materialized (
      select d.side, d.handle, max(d.name) as name, min(d.index) as first_index, max(d.index) as last_index
      from drawn as d group by d.side, d.handle
    ),
    edge as materialized (
      select (e.position - 1)::integer as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target,
        e.edge ->> 'targetHandle' as target_handle,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then 'target' else 'source' end as side,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then substr(e.edge ->> 'sourceHandle', 13)
          else e.edge ->> 'sourceHandle' end as source_handle,
        private.edge_expression(e.edge) is not null as has_expression
      from jsonb_array_elements(flow_warnings.edges) with ordinality as e (edge, position)
    ),
    wired as materialized (
      select e.index, e.side, e.has_expression, s.index as source_index, t.index as target_index,
        s.node_id as source_id, t.node_id as target_id,
        case when sh.name is not null and e.side = 'source' and s.node_id = 'flow_input' then coalesce(s.label, sh.name)
          else sh.name end as source_name,
        case when th.name is not null and t.node_id = 'flow_output' then coalesce(t.label, th.name)
          else th.name end as target_name,
        s.type = 'native' and not v_knows_nodes or s.node_id in (select d.node_id from definition as d)
          as is_source_known,
        t.type = 'native' and not v_knows_nodes or t.node_id in (select d.node_id from definition as d)
          as is_target_known,
        case e.side when 'source' then s.are_outputs_drawn else s.are_inputs_drawn end as is_source_drawn,
        e.side = 'source' and sh.name = 'error' and coalesce(s.has_error_output, false) as is_error,
        t.are_inputs_drawn as is_target_drawn,
        case when sh.first_index = sh.last_index then sh.first_index = s.index
          else (s.index, e.side, e.source_handle) in (select d.index, d.side, d.handle
            from drawn as d) end as is_own_source,
        case when th.first_index = th.last_index then th.first_index = t.index
          else (t.index, 'target', e.target_handle) in (select d.index, d.side, d.handle
            from drawn as d) end as is_own_target
      from edge as e
      join node as s on s.id = e.source
      join node as t on t.id = e.target
      left join handle as sh on sh.side = e.side and sh.handle = e.source_handle
      left join handle as th on th.side = 'target' and th.handle = e.target_handle
    ),
    -- Compare only types in node definitions. The values of a node always have the types of its definition, but may
    -- have other types than the flow's JSON says.
    typed as materialized (
      select w.index, w.source_name, w.target_name, w.side = 'target' as is_passed_on, s.types as given,
        t.types as wanted
      from wired as w
      join defined_port as s on s.node_id = w.source_id and s.side = w.side and s.name = w.source_name
      join defined_port as t on t.node_id = w.target_id and t.side = 'target' and t.name = w.target_name
      where w.is_source_known and w.is_target_known and not w.is_source_drawn and not w.is_target_drawn
        -- An expression converts its result to a type of the input.
        and not w.has_expression
        and (s.side = 'source' or s.is_handed_on)
      union all
      -- The values of a typed input have the type that its author chose.
      select w.index, w.source_name, w.target_name, false, jsonb_build_array(i.port_type), t.types
      from wired as w
      join node as s on s.index = w.source_index and s.node_id = 'flow_input'
      join private.input_types() as i on i.name = s.form_data ->> 'type'
      join defined_port as t on t.node_id = w.target_id and t.side = 'target' and t.name = w.target_name
      where w.side = 'source' and w.is_target_known and not w.is_target_drawn and not w.has_expression
    ),
    -- Without `materialized`, the planner would call do_types_meet for each edge instead of once for each pair of types.
    pair as materialized (
      select distinct t.given, t.wanted, t.is_passed_on from typed as t
    ),
    unlike as materialized (
      select p.given, p.wanted, p.is_passed_on
      from pair as p where not private.do_types_meet(p.given, p.wanted, p.is_passed_on)
    ),
    required as (
      select n.index, n.form_data, case n.node_id when 'flow_output' then n.label else p.name end as name
      from defined_port as p join node as n on n.node_id = p.node_id
      where p.side = 'target' and p.is_required and not n.are_inputs_drawn
      union all
      select n.index, n.form_data, d.name
      from drawn as d join node as n on n.index = d.index
      where d.side = 'target' and d.is_required and n.type = 'native' and n.are_inputs_drawn and not n.draws_inputs
    ),
    acting as materialized (
      select n.index, n.id, n.draws_inputs, n.node_id
      from private.acting_nodes(
        flow_warnings.nodes, flow_warnings.edges, flow_warnings.acting_flows, flow_warnings.definitions
      ) as a
      join node as n on n.id = a.node_id
    ),
    -- The edges whose output may stay unset although the source succeeds.
    unset as (
      select w.index
      from wired as w
      where (w.side = 'source' or w.has_expression) and case
        when w.has_expression or w.is_error or w.source_id in ('switch', 'fileexplorer')
          or private.is_script(w.source_id) then true
        when w.is_source_drawn then (w.source_index, w.source_name) in (
          select d.index, d.name from drawn as d where d.side = 'source' and d.may_be_unset
        )
        else (w.source_id, w.source_name) in (select p.node_id, p.name from defined_port as p where p.may_be_unset)
      end
    ),
    -- The edges whose value may be missing while another edge into the same node brings one, and the node runs.
    lacking as materialized (
      select w.index, w.target_index, w.source_name, w.target_name
      from wired as w
      join node as s on s.index = w.source_index
      join node as t on t.index = w.target_index
      join (
        select o.target_index, count(distinct o.source_index) as sources from wired as o
        where o.source_name is not null and o.target_name is not null
        group by o.target_index having count(*) > 1
      ) as others on others.target_index = w.target_index
      where w.source_name is not null and w.target_name is not null and w.is_target_known
        and t.node_id not in ('merge', 'collect') and t.index not in (select a.index from acting as a)
        and (
          -- A constant and a flow input never fail. Two outputs of one node are missing together if the node fails.
          others.sources > 1 and s.node_id not in ('const', 'flow_input') or w.index in (select u.index from unset as u)
        )
        and (w.target_index, w.target_name) not in (
          select d.index, d.name from drawn as d where d.side = 'target' and (d.is_required or d.runs_when_absent)
        )
        and (t.draws_inputs or (w.target_id, w.target_name) not in (
          select p.node_id, p.name from defined_port as p where p.side = 'target' and p.is_required
        ))
    ),
    before_effect as materialized (
      select unnest(private.nodes_from(flow_warnings.edges, array(select a.id from acting as a), true)) as id
      where exists (select from lacking)
    ),
    warning (place, index, code, member, message) as (
      select 0, 0, 'flow_empty', '', 'the flow has no nodes, so its runs do nothing'
      where jsonb_array_length(flow_warnings.nodes) = 0
      union all
      select 1, n.index, 'node_not_implemented', '.data.node_id', case
        when n.type = 'native'
          then format('this project has no node %s, so the run fails at it', to_jsonb(private.shorten(n.name)))
        when private.is_described(n.type) then format(
          'neither you nor this project has a definition of type %s with this node_id (%s) and version, so the run '
            || 'fails at the node',
          n.type, to_jsonb(private.shorten(n.name))
        )
        when n.type = 'deno' then
          'nodes of type deno are not executed, so the run fails at this one; the node javascript runs JavaScript'
        else format('nodes of type %s are not executed, so the run fails at this one', n.type)
      end
      from node as n
      where (n.type <> 'native' or v_knows_nodes) and n.node_id not in (select d.node_id from definition as d)
      union all
      select 1, c.index, 'constant_invalid', '.data.targets_form.form_data', 'the run fails at the node: ' || c.fault
      from (
        select n.index, private.constant_fault(n.form_data) as fault
        from node as n where n.node_id = 'const' and n.type = 'native'
      ) as c
      where c.fault is not null
      union all
      -- Values that come by an edge bring no names of their own (runner/postgrest/names.ts).
      select distinct 1, n.index, 'names_missing', '.data.targets_form.form_data.' || k.listed_in, format(
        'an edge brings the values of %s, so the form data must list their names in %s; without the list, '
          || 'the run fails at the node',
        to_jsonb(k.input), to_jsonb(k.listed_in)
      )
      from (values
        ('postgrest_builder_match', 'filter', 'columns'), ('postgrest_builder_insert', 'body', 'columns'),
        ('postgrest_builder_update', 'body', 'columns'), ('postgrest_builder_upsert', 'body', 'columns'),
        ('postgrest_new_rpc', 'params', 'param_names'), ('sql_function', 'params', 'param_names')
      ) as k (node_id, input, listed_in)
      join wired as w on w.target_id = k.node_id and w.target_name = k.input
      join node as n on n.index = w.target_index and n.type = 'native'
      where w.source_name is not null
        and coalesce(n.form_data -> k.listed_in in ('[]', 'null'), true) and n.form_data ? k.input is not true
      union all
      select 1, n.index, 'retry_without_effect', '.data.retry', case
        when private.is_script(n.node_id) then 'a script has no transient failures, so it is never tried again'
        else 'a called flow is not tried again as a whole; let its nodes try again instead'
      end
      from node as n
      where n.has_retry and n.type = 'native'
        -- If a script exceeds its timeout, a retry runs it again. A retry never runs a called flow again.
        and (n.node_id in ('interflow', 'interflow_instructions') or private.is_script(n.node_id) and not n.has_timeout)
      union all
      select 1, n.index, 'error_output_missing', '.data.on_error',
        'sources has no output named error, so a failure of the node is not handled'
      from node as n where n.handles_errors and n.has_error_output is not true and n.node_id <> ''
      union all
      select 1, n.index, 'error_output_unused', '.data.on_error',
        'failures of the node go to its output error, which has no edge; so the run goes on as if nothing had failed'
      from node as n
      where n.handles_errors and n.has_error_output and n.index not in (select w.source_index from wired as w where w.is_error)
      union all
      select 1, n.index, 'answered_by_invalid', '.data.targets_form.form_data.answered_by', f.fault
      from node as n cross join lateral (select private.answered_by_fault(n.form_data) as fault) as f
      where n.node_id = 'api_input' and n.type = 'native' and f.fault is not null
      union all
      select 1, v.index, 'value_type_differs', '.data.targets_form.form_data.' || v.name, v.fault
      from (
        select n.index, p.name, private.form_value_fault(n.form_data -> p.name, p.types) as fault
        from defined_port as p join node as n on n.node_id = p.node_id
        where p.side = 'target' and not n.are_inputs_drawn and jsonb_typeof(n.form_data) = 'object'
          and n.form_data ? p.name and p.types not in ('["free"]', '["json"]', '[]')
          and (n.index, p.name) not in (
            select w.target_index, w.target_name from wired as w
            where w.source_name is not null and w.target_name is not null
          )
      ) as v
      where v.fault is not null
      union all
      select 1, u.node_index, 'connection_url_open', '.data.targets_form.form_data.connection', format(
        'url depends on a flow input, so whoever starts the flow chooses the URL that gets the secret of connection %s,'
          || ' within its hosts',
        to_jsonb(private.shorten(u.name))
      )
      from private.open_connection_urls(flow_warnings.nodes, flow_warnings.edges) as u
      union all
      select 1, l.node_index, 'acts_on_owner_data', '',
        'the node may send to another server what nodes before it read from your rows, files or key-value stores'
      from private.owner_data_leaks(flow_warnings.nodes, flow_warnings.edges, flow_warnings.acting_flows) as l
      union all
      select 1, max(n.index), 'input_label_duplicate', '.data.targets_form.form_data.label',
        format('two flow inputs have the label %s, and get the same value', to_jsonb(private.shorten(n.label)))
      from node as n where n.node_id = 'flow_input' and n.label is not null
      group by n.label having count(*) > 1
      union all
      -- In this branch, `member` is the name of the input. The query at the end stores it in the warning's member
      -- `port` and leaves it out of `path`.
      select distinct 1, r.index, 'input_missing', r.name, format(
        'the input %s is required, and has neither an edge nor a value, so the run fails at the node',
        to_jsonb(private.shorten(r.name))
      )
      from required as r
      where case jsonb_typeof(r.form_data) when 'object' then not r.form_data ? r.name else true end
        and (r.index, r.name) not in (
          select w.target_index, w.target_name from wired as w
            where w.source_name is not null and w.target_name is not null
        )
      union all
      select 2, w.index, 'edge_source_handle_unknown', '.sourceHandle', case
        when w.source_name is null then 'no port has this id, so the edge is left out'
        else format(
          'the port with this id belongs to another node, so the run takes the source''s port %s instead',
          to_jsonb(private.shorten(w.source_name))
        )
      end
      from wired as w where w.is_own_source is not true
      union all
      select 2, w.index, 'edge_target_handle_unknown', '.targetHandle', case
        when w.target_name is null then 'no port has this id, so the edge is left out'
        else format(
          'the port with this id belongs to another node, so the run takes the target''s port %s instead',
          to_jsonb(private.shorten(w.target_name))
        )
      end
      from wired as w where w.is_own_target is not true
      union all
      select 2, w.index, 'edge_source_port_unknown', '.sourceHandle', format(
        case w.side when 'source' then 'the node has no output %s, so the run fails at it'
          else 'the node does not pass its input %s on, so the run fails at it' end,
        to_jsonb(private.shorten(w.source_name))
      )
      from wired as w
      where w.source_name is not null and w.target_name is not null and w.is_source_known and not w.is_error
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
      where w.source_name is not null and w.target_name is not null and w.is_target_known
        and w.target_id <> 'flow_output'
        and not (w.is_target_drawn and w.is_own_target is true)
        and case when w.is_target_drawn
          then (w.target_index, w.target_name) not in (select d.index, d.name from drawn as d where d.side = 'target')
          else (w.target_id, w.target_name) not in (
            select p.node_id, p.name from defined_port as p where p.side = 'target'
          )
        end
      union all
      select 2, w.index, case when d.is_decided then 'effect_skipped_by_branch' else 'effect_may_be_skipped' end, '',
        case when d.is_decided then format(
          'the target runs only if the node before it chooses the output %s', to_jsonb(private.shorten(w.source_name))
        ) else format(
          case when w.has_expression then 'the expression of output %s may have no result'
            else 'the output %s may give no value' end
            || '; then the target, a node with effects, does not run, unless "Without a value of %s" says otherwise',
          to_jsonb(private.shorten(w.source_name)), private.shorten(w.target_name)
        ) end
      from wired as w
      cross join lateral (
        select w.source_id in ('branch', 'switch', 'gate') and not w.has_expression and not w.is_error as is_decided
      ) as d
      join acting as a on a.index = w.target_index
      where w.source_name is not null and w.target_name is not null and w.index in (select u.index from unset as u)
        and case when a.draws_inputs
          then (w.target_index, w.target_name) in (
            select d.index, d.name from drawn as d where d.side = 'target' and not d.is_required
          )
          else (w.target_id, w.target_name) in (
            select p.node_id, p.name from defined_port as p where p.side = 'target' and not p.is_required
          )
        end
        and (w.target_index, w.target_name) not in (select d.index, d.name from drawn as d where d.runs_when_absent)
      union all
      select 2, l.index, 'effect_may_lack_value', '', format(
        'if the output %s gives no value, the target runs without its input %s, and a node with effects behind it acts; '
          || 'choose at "Without a value of %s" what the target does',
        to_jsonb(private.shorten(l.source_name)), to_jsonb(private.shorten(l.target_name)),
        private.shorten(l.target_name)
      )
      from lacking as l join node as n on n.index = l.target_index
      where n.id in (select b.id from before_effect as b)
      union all
      select 2, t.index, 'edge_types_differ', '', format(
        'the port %s gives %s, but the input %s takes %s; the value can''t be converted, so the run fails at the target',
        to_jsonb(private.shorten(t.source_name)),
        array_to_string(array(select jsonb_array_elements_text(t.given)), ' or '),
        to_jsonb(private.shorten(t.target_name)),
        array_to_string(array(select jsonb_array_elements_text(t.wanted)), ' or ')
      )
      from typed as t join unlike as u on u.given = t.given and u.wanted = t.wanted and u.is_passed_on = t.is_passed_on
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'code', first.code,
      'path', case first.place
        when 0 then 'nodes'
          else format('%s[%s]%s', case first.place when 1 then 'nodes' else 'edges' end, first.index,
            case when first.code <> 'input_missing' then first.member end)
      end,
      'message', first.message
    ) || case when first.code = 'input_missing' then jsonb_build_object('port', first.member) else '{}' end
      order by first.place, first.index, first.code, first.message), '[]')
    from (
      select w.* from warning as w
      order by w.place, w.index, w.code, w.message limit private.limit_listed_warnings()
    ) as first
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.form_value_fault (
  value jsonb,
  types jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_names constant text[] := array(select jsonb_array_elements_text(form_value_fault.types));
  v_kind constant text := jsonb_typeof(form_value_fault.value);
  v_text constant text := form_value_fault.value #>> '{}';
  v_numbers constant text[] := array(select n.name from unnest(v_names) as n (name) where n.name ~ '^([uif][0-9]+|decimal)$');
begin
  if v_kind = 'null' or v_names = '{}' or exists (
    select from unnest(v_names) as n (name)
    where n.name in ('free', 'json') or n.name not in (select t.name from private.port_types() as t)
  ) then
    return null;
  end if;
  return case when not case v_kind
    when 'boolean' then 'bool' = any (v_names)
    when 'number' then
      'bytes' = any (v_names) or private.value_of_number(v_text::numeric, v_numbers) is not null
    when 'array' then v_names && '{array,bytes,pubkey,keypair,signature}'
    when 'object' then v_names && '{object,pubkey,keypair}'
    else v_names && '{string,address,bytes}'
      or 'decimal' = any (v_numbers) and pg_input_is_valid(v_text, 'numeric')
      or v_names && '{pubkey,keypair}' and private.is_base58(v_text, 32)
      or v_names && '{pubkey,keypair,signature}' and private.is_base58(v_text, 64)
  end
    then format(
      'must be %s, but is %s; the run fails at the node', private.words_of_types(form_value_fault.types),
      -- Texts may be secrets, so the message does not quote them.
      case v_kind when 'boolean' then v_text when 'number' then private.shorten(v_text, 40)
        when 'array' then 'a list' when 'object' then 'a map' when 'string' then 'a text' end
    )
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.input_description (
  form_data jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_object_agg(m.name, form_data -> m.name), '{}')
  from unnest('{type,title,help,required,choices}'::text[]) as m (name)
  -- An editor may store an empty field.
  where coalesce(form_data -> m.name, 'null') not in ('null', '""', 'false', '[]');
$function$;

CREATE OR REPLACE FUNCTION private.input_types()
  RETURNS TABLE (
    name      text,
    port_type text,
    tags      text[],
    format    text,
    words     text
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return query values
    ('text', 'string', '{S}'::text[], null, 'a text'),
    ('number', 'decimal', '{U,I,U1,I1,F,D}'::text[], null, 'a number'),
    ('integer', 'i128', '{U,I,U1,I1}'::text[], null, 'a whole number'),
    ('boolean', 'bool', '{B}'::text[], null, 'true or false'),
    ('date', 'string', '{S}'::text[], 'date', 'a date such as 2026-11-29'),
    ('email', 'string', '{S}'::text[], 'email', 'an e-mail address'),
    ('url', 'string', '{S}'::text[], 'uri', 'an http or https address'),
    ('list', 'array', '{A}'::text[], null, 'a list'),
    ('object', 'object', '{M}'::text[], null, 'an object'),
    ('public_key', 'pubkey', '{B3,S}'::text[], null, 'a public key: base58 of 32 bytes'),
    ('json', 'json', null::text[], null, 'JSON');
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
        private.snapshot_interface((inputs_of_start.deployment).snapshot_hash, inputs_of_start.waits),
        (inputs_of_start.deployment).typed_inputs
      );
    perform private.check_inputs(v_inputs);
  end if;
  perform private.check_input_names(v_inputs, (inputs_of_start.deployment).input_names);
  if (inputs_of_start.deployment).typed_inputs is not null then
    v_inputs := private.complete_inputs(
      v_inputs, (inputs_of_start.deployment).typed_inputs,
      case when inputs_of_start.plain is null then 'inputs' else 'values' end
    );
    perform private.check_inputs(v_inputs);
  end if;
  return v_inputs;
end;
$function$;

CREATE OR REPLACE FUNCTION private.inputs_of_values (
  plain     jsonb,
  interface private.flow_snapshot_interfaces,
  typed     jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_most constant integer := 100;
  v_inputs jsonb;
  v_faults jsonb;
  v_names text[];
begin
  with given as materialized (
    select v.key as name, i.input is not null as is_known,
      array(select jsonb_array_elements_text(i.input -> 'type_bounds')) as types,
      private.value_of_input(
        v.value, array(select jsonb_array_elements_text(i.input -> 'type_bounds')),
        coalesce((i.input ->> 'required')::boolean, false)
      ) as value
    from jsonb_each(inputs_of_values.plain) as v
    left join jsonb_array_elements((inputs_of_values.interface).inputs) as i (input) on i.input ->> 'name' = v.key
  )
  select
    -- Build the object as text, because jsonb_object_agg takes quadratic time for values that are objects with many
    -- members.
    (select json_object_agg(g.name, g.value)::jsonb from given as g where g.value is not null),
    (
      select jsonb_agg(jsonb_build_object('path', 'values.' || private.shorten(f.name), 'message', case
        when f.is_known then coalesce(
          private.plain_value_fault(inputs_of_values.plain -> f.name, inputs_of_values.typed -> f.name),
          'must be ' || array_to_string(f.types, ' or ')
        )
        else 'the flow has no such input' end)
          order by f.name)
      from (select g.* from given as g where g.value is null or not g.is_known order by g.name limit v_most) as f
    )
  into v_inputs, v_faults;
  if v_faults is not null then
    v_names := array(
      select i.input ->> 'name'
        from jsonb_array_elements((inputs_of_values.interface).inputs) with ordinality as i (input, position)
      order by i.position
    );
    perform private.refuse_faults('inputs_invalid', v_faults, format(
      'The flow has these inputs: %s. GET /deployment/read returns the json_schema of each.',
      private.quote_input_names(v_names)
    ));
  end if;
  return coalesce(v_inputs, '{}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.limit_flow_input_choices()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 100;

CREATE OR REPLACE FUNCTION private.limit_flow_input_default_bytes()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 4096;

CREATE OR REPLACE FUNCTION private.limit_flow_input_help_characters()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 1000;

CREATE OR REPLACE FUNCTION private.limit_flow_input_title_characters()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 200;

CREATE OR REPLACE FUNCTION private.limit_input_answerers()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 50;

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
  -- First check all ports in one pass. Each row of the subquery has the nth source and the nth target of one node. If a
  -- port has a fault, the query below checks the ports of each node to name the fault.
  v_has_bad_ports constant boolean := coalesce((
    -- Measure only the texts of the few ports whose total number of bytes exceeds the character limit of a name.
    select bool_or(
      port.source is not null and (
        jsonb_typeof(port.source -> 'id') = 'string' and jsonb_typeof(port.source -> 'name') = 'string'
        and (
          pg_column_size(port.source) <= private.limit_port_name_characters()
            or greatest(length(port.source ->> 'id'), length(port.source ->> 'name'))
              <= private.limit_port_name_characters()
        )
      ) is not true
      or port.target is not null and (
        jsonb_typeof(port.target -> 'id') = 'string' and jsonb_typeof(port.target -> 'name') = 'string'
        and (
          pg_column_size(port.target) <= private.limit_port_name_characters()
            or greatest(length(port.target ->> 'id'), length(port.target ->> 'name'))
              <= private.limit_port_name_characters()
        )
        and jsonb_typeof(port.target -> 'type_bounds') = 'array'
        and jsonb_typeof(port.target -> 'required') = 'boolean'
          and jsonb_typeof(port.target -> 'passthrough') = 'boolean'
        and coalesce(port.target ->> 'when_absent', 'run') in ('run', 'run_unless_failed')
      ) is not true
    )
    from (
      select
        jsonb_array_elements(
          case when jsonb_typeof(d.data -> 'sources') = 'array' then d.data -> 'sources' end
        ) as source,
        jsonb_array_elements(
          case when jsonb_typeof(d.data -> 'targets') = 'array' then d.data -> 'targets' end
        ) as target
      from jsonb_array_elements(node_faults.nodes) as n (node)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
    ) as port
  ), false);
begin
  return query
  select (n.position - 1)::integer, f.fault
  from jsonb_array_elements(node_faults.nodes) with ordinality as n (node, position)
  -- Extract `data` once here instead of in each condition.
  cross join lateral (select n.node -> 'data' as data offset 0) as d
  cross join lateral (select case
    when jsonb_typeof(n.node) <> 'object' then 'a node must be an object'
    -- A single pattern for the whole id would take four times as long as these three tests.
    when (
      n.node ->> 'id' like '________-____-____-____-____________' and length(replace(n.node ->> 'id', '-', '')) = 32
      and n.node ->> 'id' !~ '[^-0-9a-f]'
    ) is not true
      then 'id: must be a UUID in lower case with hyphens'
    when jsonb_typeof(d.data) is distinct from 'object' then 'data: must be an object'
    when coalesce(d.data ->> 'type', '') not in ('native', 'deno', 'WASM', 'mock')
        and not private.is_described(d.data ->> 'type')
      then 'data.type: must be native, openapi, deno, WASM or mock'
    when jsonb_typeof(d.data -> 'node_id') is distinct from 'string' then 'data.node_id: must be a string'
    when length(d.data ->> 'node_id') > private.limit_node_id_characters()
      then format('data.node_id: must have at most %s characters', private.limit_node_id_characters())
    when private.is_described(d.data ->> 'type') and jsonb_typeof(d.data -> 'version') is distinct from 'string'
      then 'data.version: must be a string'
    when jsonb_typeof(d.data -> 'sources') is distinct from 'array' then 'data.sources: must be an array'
    when jsonb_typeof(d.data -> 'targets') is distinct from 'array' then 'data.targets: must be an array'
    when v_has_bad_ports and private.port_fault(d.data) is not null then private.port_fault(d.data)
    -- Editors may store null for a member that is not set.
    when d.data ? 'retry' and d.data -> 'retry' <> 'null' and private.retry_fault(d.data -> 'retry') is not null
      then private.retry_fault(d.data -> 'retry')
    when d.data ? 'on_error' and private.on_error_fault(d.data) is not null then private.on_error_fault(d.data)
    when d.data ? 'timeout_ms' and d.data -> 'timeout_ms' <> 'null' and (
      case jsonb_typeof(d.data -> 'timeout_ms') when 'number' then
        (d.data -> 'timeout_ms')::numeric between 1 and private.limit_timeout_ms()
          and (d.data -> 'timeout_ms')::numeric % 1 = 0
      end
    ) is not true
      then format('data.timeout_ms: must be an integer from 1 to %s', private.limit_timeout_ms())
    when d.data #> '{targets_form,form_data}' is null then 'data.targets_form.form_data: is missing'
    when d.data ->> 'node_id' in ('flow_input', 'flow_output')
        and length(d.data #>> '{targets_form,form_data,label}') > private.limit_port_name_characters()
      then format('data.targets_form.form_data.label: must have at most %s characters',
        private.limit_port_name_characters())
    when d.data ->> 'node_id' = 'flow_input' and d.data ->> 'type' = 'native'
        and private.typed_input_fault(d.data) is not null
      then private.typed_input_fault(d.data)
    when d.data ->> 'node_id' = 'switch' and d.data ->> 'type' = 'native' then private.switch_fault(d.data)
    when d.data ->> 'node_id' in ('rhai_script', 'javascript') and d.data ->> 'type' = 'native'
      then private.script_port_fault(d.data)
  end) as f (fault)
  where f.fault is not null
  order by n.position limit private.limit_listed_findings() + 1;
end;
$function$;

CREATE OR REPLACE FUNCTION private.plain_scalar (
  value jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_tag constant text := (select k.tag from jsonb_object_keys(plain_scalar.value) as k (tag) limit 1);
  v_text constant text := plain_scalar.value ->> v_tag;
begin
  return case
    when v_tag in ('S', 'B3', 'B6', 'B') then plain_scalar.value -> v_tag
    when v_tag in ('U', 'I', 'U1', 'I1', 'F', 'D') and length(v_text) <= private.limit_number_characters()
      and pg_input_is_valid(v_text, 'numeric') and v_text !~* '^[-+]?(nan|inf)' then to_jsonb(v_text::numeric)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.plain_value_fault (
  plain jsonb,
  typed jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_value constant jsonb := private.value_of_type(plain_value_fault.plain, plain_value_fault.typed ->> 'type');
begin
  return case
    when plain_value_fault.plain is null then null
    when v_value is null then 'must be ' || (
      select t.words from private.input_types() as t where t.name = plain_value_fault.typed ->> 'type'
    )
    else private.typed_value_fault(v_value, plain_value_fault.typed)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.severity_of_problem (
  code       text,
  is_finding boolean
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN is_finding THEN 'prevents_deploy'::text
             WHEN
               (code = ANY (ARRAY['answered_by_invalid'::text, 'connection_missing'::text, 'edge_source_port_unknown'::text, 'edge_target_port_unknown'::text,
               'edge_types_differ'::text, 'input_missing'::text, 'node_not_implemented'::text, 'value_type_differs'::text])) THEN 'fails_run'::text
             WHEN (code = 'effect_skipped_by_branch'::text) THEN 'note'::text
             ELSE 'warning'::text
         END
  AS "case";
END;

CREATE OR REPLACE FUNCTION private.snapshot_warnings (
  hash   bytea,
  flow   public.flows,
  strict boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_stored constant private.flow_snapshot_warnings := private.current_snapshot_warnings(snapshot_warnings.hash);
  v_warnings jsonb := private.first_elements(
    private.connection_warnings(v_stored.connections, snapshot_warnings.flow.user_id) || v_stored.warnings,
    private.limit_listed_warnings()
  );
  v_refused jsonb;
begin
  if v_warnings = '[]' then
    return '[]';
  end if;
  v_warnings := (
    select jsonb_agg(jsonb_build_object('flow_id', snapshot_warnings.flow.id) || w.warning order by w.position)
    from jsonb_array_elements(v_warnings) with ordinality as w (warning, position)
  );
  if snapshot_warnings.strict then
    -- Most authors want missing values to act as these warnings say, and know which data their own flow sends, so `strict`
    -- accepts these warnings.
    v_refused := jsonb_path_query_array(
      v_warnings,
      '$[*] ? (@.code != "effect_may_be_skipped" && @.code != "effect_skipped_by_branch"
        && @.code != "effect_may_lack_value" && @.code != "acts_on_owner_data")'
    );
    if v_refused <> '[]' then
      perform private.fail(
        'flow_invalid', format('The flow has warnings, which strict doesn''t allow: %s.', v_refused #>> '{0,message}'),
        v_refused
      );
    end if;
  end if;
  return v_warnings;
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_flow (
  flow_id             integer,
  inputs              jsonb,
  action_signer       text,
  idempotency_key     text,
  strict              boolean,
  "values"            jsonb,
  partial_config      jsonb,
  environment         jsonb,
  output_instructions boolean,
  priority            integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller private.caller;
  v_flow public.flows;
  -- Stands for a deployment of the flow as it is now. This deployment is not stored, so it has no id.
  v_deployment public.flow_deployments;
  v_warnings jsonb;
begin
  v_caller.user_id := private.lock_user();
  -- The lock delays a deletion of the flow until the run is stored, so that the deletion also deletes the run. The lock
  -- does not prevent edits. So read the flow only once: its network and graph must come from the same edit.
  select f.* into v_flow from public.flows as f
    where f.id = start_flow.flow_id and f.user_id = v_caller.user_id for key share;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  v_deployment.snapshot_hash := private.take_snapshot(v_flow);
  v_warnings := private.snapshot_warnings(v_deployment.snapshot_hash, v_flow, start_flow.strict);
  v_deployment.user_id := v_flow.user_id;
  v_deployment.entrypoint := v_flow.id;
  v_deployment.input_names := private.input_names(v_flow.nodes);
  v_deployment.typed_inputs := private.typed_inputs(v_flow.nodes);
  v_deployment.chain_network := v_flow.chain_network;
  v_deployment.fees := '[]';
  v_deployment.output_instructions := start_flow.output_instructions;
  return private.enqueue_run(
    v_deployment, v_caller, coalesce(start_flow.inputs, '{}'), start_flow."values", start_flow.action_signer,
    start_flow.idempotency_key,
    jsonb_build_object(
      'flow', start_flow.flow_id, 'inputs', start_flow.inputs, 'action_signer', start_flow.action_signer
    ) || (
      select coalesce(jsonb_object_agg(o.name, o.value), '{}')
      from (values
        ('values', start_flow."values"), ('partial_config', start_flow.partial_config),
        ('environment', start_flow.environment), ('output_instructions', to_jsonb(start_flow.output_instructions)),
        ('priority', to_jsonb(start_flow.priority))
      ) as o (name, value)
      where o.value is not null
    ),
    flow => v_flow, priority => start_flow.priority
  ) || jsonb_build_object('warnings', v_warnings);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- With this lock, deploys of the same flow wait for each other. A start only reads the flow, so it does not wait for
  -- the lock.
  perform from public.flows as f where f.id = new.entrypoint for no key update;
  new.id := private.uuid_v7_after((
    select d.id from public.flow_deployments as d
    where d.entrypoint = new.entrypoint and d.user_id = new.user_id
    order by d.id desc limit 1
  ));
  new.created_at := private.uuid_v7_time(new.id);
  select private.input_names(f.nodes), private.typed_inputs(f.nodes) into new.input_names, new.typed_inputs
  from (
    select s.data #> '{entry,nodes}' as nodes from private.flow_snapshots as s where s.hash = new.snapshot_hash offset 0
  ) as f;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if (new.id, new.created_at, new.user_id, new.entrypoint, new.snapshot_hash, new.input_names, new.typed_inputs)
    is distinct from (
      old.id, old.created_at, old.user_id, old.entrypoint, old.snapshot_hash, old.input_names, old.typed_inputs
    )
  then
    perform private.fail('column_read_only',
      'id, created_at, user_id, entrypoint, snapshot_hash, input_names and typed_inputs of a deployment can''t be '
      'changed.',
      hint => 'Deploy the flow again for a new deployment.');
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.typed_input_fault (
  data jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_form constant jsonb := case jsonb_typeof(typed_input_fault.data #> '{targets_form,form_data}')
    when 'object' then typed_input_fault.data #> '{targets_form,form_data}' else '{}' end;
  v_typed constant jsonb := private.input_description(v_form);
  v_default constant jsonb := nullif(v_form -> 'form_label', 'null');
  v_choice jsonb;
  v_fault text := case
    when v_typed = '{}' then null
    when v_typed ? 'type' and not exists (
      select from private.input_types() as t where to_jsonb(t.name) = v_typed -> 'type'
    ) then 'type: must be ' || (select string_agg(t.name, ', ') from private.input_types() as t)
    when v_typed ? 'title' and (
      jsonb_typeof(v_typed -> 'title') <> 'string'
        or length(v_typed ->> 'title') > private.limit_flow_input_title_characters()
    ) then format('title: must be a text of at most %s characters', private.limit_flow_input_title_characters())
    when v_typed ? 'help' and (
      jsonb_typeof(v_typed -> 'help') <> 'string'
        or length(v_typed ->> 'help') > private.limit_flow_input_help_characters()
    ) then format('help: must be a text of at most %s characters', private.limit_flow_input_help_characters())
    when v_typed ? 'required' and v_typed -> 'required' <> 'true' then 'required: must be true or false'
    when v_typed ? 'choices' and (
      jsonb_typeof(v_typed -> 'choices') <> 'array'
      or jsonb_array_length(v_typed -> 'choices') > private.limit_flow_input_choices()
      or jsonb_path_exists(
        v_typed -> 'choices', 'strict $[*] ? (@.type() != "string" && @.type() != "number" && @.type() != "boolean")'
      )
      or exists (
        select from jsonb_array_elements_text(v_typed -> 'choices') as c (choice)
        where length(c.choice) > private.limit_flow_input_title_characters()
      )
    ) then format(
      'choices: must be a list of at most %s texts, numbers or booleans of at most %s characters',
      private.limit_flow_input_choices(), private.limit_flow_input_title_characters()
    )
    when v_default is not null and octet_length(v_default::text) > private.limit_flow_input_default_bytes()
      then format('form_label: the default must have at most %s bytes of JSON', private.limit_flow_input_default_bytes())
    when v_default is not null and private.is_too_deep(v_default)
      then format('form_label: the default is nested deeper than %s levels', private.limit_value_levels())
  end;
begin
  if v_fault is null and v_typed ?| '{type,choices}' then
    for v_choice in select c.choice from jsonb_array_elements(v_typed -> 'choices') as c (choice) loop
      v_fault := coalesce(v_fault, 'choices: each ' || private.plain_value_fault(v_choice, v_typed - 'choices'));
    end loop;
    v_fault := coalesce(v_fault, 'form_label: the default ' || private.plain_value_fault(v_default, v_typed));
  end if;
  return 'data.targets_form.form_data.' || v_fault;
end;
$function$;

CREATE OR REPLACE FUNCTION private.typed_inputs (
  nodes jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select jsonb_object_agg(t.name, t.typed || case
    when t.default_value is null then '{}' else jsonb_build_object('default', t.default_value)
  end)
  from (
    select i.name, (array_agg(i.typed order by i.position) filter (where i.typed <> '{}'))[1] as typed,
      (array_agg(i.default_value order by i.position) filter (where i.default_value <> 'null'))[1] as default_value
    from (
      select private.port_label(n.node -> 'data') as name, n.position, private.input_description(f.form_data) as typed,
        f.form_data -> 'form_label' as default_value
      from jsonb_array_elements(typed_inputs.nodes) with ordinality as n (node, position)
      cross join lateral (select n.node #> '{data,targets_form,form_data}' as form_data offset 0) as f
      where n.node #>> '{data,type}' = 'native' and n.node #>> '{data,node_id}' = 'flow_input'
    ) as i
    group by i.name
  ) as t
  where t.typed is not null;
$function$;

CREATE OR REPLACE FUNCTION private.typed_value_fault (
  value jsonb,
  typed jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_tag constant text := (select k.tag from jsonb_object_keys(typed_value_fault.value) as k (tag) limit 1);
  v_text constant text := typed_value_fault.value ->> v_tag;
  v_tags text[];
  v_words text;
begin
  select t.tags, t.words into v_tags, v_words
  from private.input_types() as t where t.name = typed_value_fault.typed ->> 'type';
  if v_tag <> all (v_tags) or not (case typed_value_fault.typed ->> 'type'
    when 'date' then v_text ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' and pg_input_is_valid(v_text, 'date')
    when 'email' then length(v_text) <= 320 and v_text ~ '^[^\s@]+@[^\s@]+$'
    when 'url' then length(v_text) <= private.limit_url_characters() and v_text ~* '^https?://[^\s/?#]+[^\s]*$'
    when 'public_key' then private.is_public_key(v_text)
    else true
  end) then
    return 'must be ' || v_words;
  end if;
  if not coalesce(
    typed_value_fault.typed -> 'choices' @> jsonb_build_array(private.plain_scalar(typed_value_fault.value)),
    not typed_value_fault.typed ? 'choices'
  ) then
    return 'must be one of the choices: ' || (
      select string_agg(private.shorten(c.choice::text, 100), ', ' order by c.place)
        || case when jsonb_array_length(typed_value_fault.typed -> 'choices') > private.limit_listed_faults()
          then ' and others' else '' end
      from jsonb_array_elements(typed_value_fault.typed -> 'choices') with ordinality as c (choice, place)
      where c.place <= private.limit_listed_faults()
    );
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.value_of_type (
  plain jsonb,
  type  text
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select private.value_of_input(
    value_of_type.plain,
    array[coalesce((select t.port_type from private.input_types() as t where t.name = value_of_type.type), 'free')],
    false
  );
$function$;

CREATE OR REPLACE FUNCTION private.words_of_types (
  types jsonb
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(string_agg(w.words, ' or ' order by w.place), 'any value')
  from (
    select t.words, min(t.place) as place
    from (
      select b.place, case
        when p.name ~ '^[ui][0-9]+$' then format(
          'a whole number from %s to %s', s.range ->> 'minimum', s.range ->> 'maximum'
        )
        when p.name in ('decimal', 'f32', 'f64') then 'a number'
        when p.name in ('address', 'pubkey') then 'a public key'
        else (
          '{"bool": "true or false", "string": "a text", "keypair": "a wallet", "signature": "a signature",
            "bytes": "bytes", "object": "a map", "array": "a list"}'::jsonb
        ) ->> p.name
      end as words
      from jsonb_array_elements_text(words_of_types.types) with ordinality as b (name, place)
      left join private.port_types() as p on p.name = b.name
      cross join lateral (select coalesce(p.json_schema #> '{anyOf,0}', p.json_schema) as range) as s
    ) as t
    where t.words is not null
    group by t.words
  ) as w;
$function$;

COMMENT ON COLUMN "public"."flow_deployments"."typed_inputs" IS 'The inputs whose author chose a type, label, help, choices or `required`: {"<name>": {type, title, help, required, choices, default}}. Starts are checked by them. Null if there are none.';

COMMENT ON FUNCTION "private"."answered_by_fault"(jsonb) IS 'What is wrong with the choice of who may answer in the form of a node api_input; null if nothing is.';

COMMENT ON FUNCTION "private"."complete_inputs"(jsonb, jsonb, text) IS 'Checks the inputs of a start by the types of the flow''s inputs, and adds the defaults of those that are absent or null. `typed` is from private.typed_inputs(), and `member` the member of the start that an error names. 400 inputs_invalid.';

COMMENT ON FUNCTION "private"."form_value_fault"(jsonb, jsonb) IS 'What is wrong with a value in the form of a node for an input with these types; null if nothing is, or if only the run can tell.';

COMMENT ON FUNCTION "private"."input_description"(jsonb) IS 'The members with which the form data of a flow_input describes its input; {} for an input that is not typed.';

COMMENT ON FUNCTION "private"."input_types"() IS 'The types that an author may choose for an input of a flow. port_type: the type of ports as which the input counts. tags: the tags that its values may have; null for any. format: the format of its JSON Schema. words: what an error says after "must be".';

COMMENT ON FUNCTION "private"."inputs_of_start"(public.flow_deployments, jsonb, jsonb, boolean) IS 'The inputs of a start: its tagged inputs, its plain values converted by the flow''s input types, and the defaults of typed inputs. If waits is false, waits for no other transaction. 400 inputs_invalid, 413 inputs_too_large. Definer, because no API role may access snapshots.';

COMMENT ON FUNCTION "private"."inputs_of_values"(jsonb, private.flow_snapshot_interfaces, jsonb) IS 'Converts the plain values of a start to inputs, by the types of the flow''s inputs. 400 inputs_invalid lists the first 100 values that do not fit their input or that belong to no input, and the names of the flow''s inputs.';

COMMENT ON FUNCTION "private"."limit_flow_input_choices"() IS 'Limit in choices: `choices` of `flow_input`.';

COMMENT ON FUNCTION "private"."limit_flow_input_default_bytes"() IS 'Limit in bytes: the default of a `flow_input` with a type, as JSON.';

COMMENT ON FUNCTION "private"."limit_flow_input_help_characters"() IS 'Limit in characters: `help` of `flow_input`.';

COMMENT ON FUNCTION "private"."limit_flow_input_title_characters"() IS 'Limit in characters: `title` of `flow_input`, and one of its `choices`.';

COMMENT ON FUNCTION "private"."limit_input_answerers"() IS 'Limit in addresses: e-mail addresses in `answered_by` of `api_input`.';

COMMENT ON FUNCTION "private"."plain_scalar"(jsonb) IS 'The text, number or boolean in a tagged value as JSON; null for other values.';

COMMENT ON FUNCTION "private"."plain_value_fault"(jsonb, jsonb) IS 'What is wrong with readable JSON for an input with this type and these choices; null if nothing is.';

COMMENT ON FUNCTION "private"."snapshot_warnings"(bytea, public.flows, boolean) IS 'The first 100 warnings about the snapshot of a flow, [{flow_id, code, path, message}]. If `strict` is true and there are warnings other than effect_may_be_skipped, effect_skipped_by_branch, effect_may_lack_value and acts_on_owner_data, raises 422 flow_invalid with these warnings. Callers must check the permission. Definer, because no API role may access snapshots.';

COMMENT ON FUNCTION "private"."tg_flow_deployments__before_insert"() IS 'Locks the flow. Gives the deployment its inputs, and an id that is greater than the ids of the flow''s other deployments. Definer, because it must see the snapshot and all deployments of the flow.';

COMMENT ON FUNCTION "private"."typed_input_fault"(jsonb) IS 'The fault of a flow_input''s type, title, help, required, choices or default, or null. `data` is the node''s data. A default is checked only for an input with a type or choices.';

COMMENT ON FUNCTION "private"."typed_inputs"(jsonb) IS 'The typed inputs of a graph, {"<name>": {type, title, help, required, choices, default}}; null if no input is typed. If several nodes have the same label, the first that describes the input counts, and the first default. The nodes must have no faults.';

COMMENT ON FUNCTION "private"."typed_value_fault"(jsonb, jsonb) IS 'What is wrong with a tagged value for an input with this type and these choices; null if nothing is.';

COMMENT ON FUNCTION "private"."value_of_type"(jsonb, text) IS 'Converts readable JSON to a value for an input of this type, or of any type if it is null. Null if the JSON does not fit.';

COMMENT ON FUNCTION "private"."words_of_types"(jsonb) IS 'The types of an input in words, such as "a whole number from 0 to 255".';

COMMENT ON TABLE "public"."flow_deployments" IS 'Frozen flows. id, created_at, user_id, entrypoint, snapshot_hash, input_names and typed_inputs never change; the owner may change the other columns.';

REVOKE ALL ON FUNCTION "private"."answered_by_fault"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."answered_by_fault"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."answered_by_fault"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."complete_inputs"(jsonb, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."complete_inputs"(jsonb, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."complete_inputs"(jsonb, jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."form_value_fault"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."form_value_fault"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."form_value_fault"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."input_description"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."input_description"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."input_description"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."input_types"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."input_types"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."input_types"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."inputs_of_values"(jsonb, private.flow_snapshot_interfaces, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."inputs_of_values"(jsonb, private.flow_snapshot_interfaces, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."inputs_of_values"(jsonb, private.flow_snapshot_interfaces, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."limit_flow_input_choices"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_flow_input_choices"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_flow_input_choices"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_flow_input_choices"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_flow_input_choices"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."limit_flow_input_default_bytes"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_flow_input_default_bytes"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_flow_input_default_bytes"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_flow_input_default_bytes"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_flow_input_default_bytes"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."limit_flow_input_help_characters"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_flow_input_help_characters"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_flow_input_help_characters"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_flow_input_help_characters"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_flow_input_help_characters"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."limit_flow_input_title_characters"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_flow_input_title_characters"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_flow_input_title_characters"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_flow_input_title_characters"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_flow_input_title_characters"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."limit_input_answerers"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_input_answerers"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_input_answerers"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_input_answerers"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_input_answerers"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."plain_scalar"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."plain_scalar"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."plain_scalar"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."plain_value_fault"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."plain_value_fault"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."plain_value_fault"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."typed_input_fault"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."typed_input_fault"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."typed_input_fault"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."typed_inputs"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."typed_inputs"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."typed_inputs"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."typed_value_fault"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."typed_value_fault"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."typed_value_fault"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."value_of_type"(jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."value_of_type"(jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."value_of_type"(jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."words_of_types"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."words_of_types"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."words_of_types"(jsonb) TO "postgres";

-- Written by hand. The stored descriptions have help texts of branch, switch and gate, and the stored warnings have
-- other words. They are computed again when they are next read.
delete from private.flow_snapshot_interfaces where true;
delete from private.flow_snapshot_warnings where true;
