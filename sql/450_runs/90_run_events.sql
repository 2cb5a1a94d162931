-- The events of a run, for the clients that watch it. Events are numbered without gaps, in the order in which they
-- were stored. A transaction that stores an event holds the lock of the root run's job. So the events of a tree of
-- runs are committed in the order of their numbers. A client that has seen number 7 has seen all events up to 7, and
-- continues with 8.
--
-- The table stores only numbers and keys, one row for each transaction. The contents of an event are read on request,
-- from the rows that the keys name. The start of the root run is number 1, and its end is the last number. The table
-- does not store these two events, because flow_run has the start time and the end time.
--
-- Most runs are short. A short run calls no flows, requests no inputs, and has at most 100 node runs and log lines. A
-- single transaction stores all of its events and ends it. Before this transaction, clients see none of these events.
-- After the transaction, the run gets no more events, so their numbers can be computed at any time. So the table has no
-- rows for a short run, and private.unnumbered_events computes the events on request.

create type private.run_event as (
  event text, flow_run_id uuid, node_id uuid, times integer, log_index integer, request_id bigint, input_id uuid
);
comment on type private.run_event is
  'The kind of an event, and the key of the row with its contents: a run (run_start, run_finish), a node execution (node_start, node_finish), a log line (log) or a request to somebody outside (signature_request, api_input).';

create table private.flow_run_events (
  root_flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  first_number integer not null,
  last_number integer not null,
  events private.run_event[] not null,
  primary key (root_flow_run_id, last_number),
  constraint flow_run_events_numbers check (first_number >= 2 and last_number - first_number + 1 = cardinality(events))
);
comment on table private.flow_run_events is
  'The keys of the events of root runs and their called runs, one row for each transaction that stored events. A short run has no rows, if the transaction that ended it stored all its events. Rows are deleted with their run.';
comment on column private.flow_run_events.root_flow_run_id is
  'The root run. Clients that watch the root run get the events of all runs in its tree.';
comment on column private.flow_run_events.first_number is
  'The number of the first event in `events`. Number 1 is the start of the root run.';

create type private.new_run_event as (
  root_flow_run_id uuid, position integer, "time" timestamptz, event private.run_event
);
comment on type private.new_run_event is
  'An event to add to a root run. Events that one claim stores together are ordered by position. Events without a position are ordered by time.';

create function private.add_run_events(events private.new_run_event[])
returns void
language plpgsql volatile security definer
set search_path = ''
-- With a generic plan, Postgres plans the statements once. Otherwise it would plan them again for the arrays of each
-- call, and planning takes longer than executing.
set plan_cache_mode = force_generic_plan
as $$
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
$$;
comment on function private.add_run_events(private.new_run_event[]) is
  'Adds events to their root runs. The caller has locked the jobs of the root runs and stored the rows that the events name. Definer, because no API role may write events.';

create function private.unnumbered_events(root_flow_run_id uuid)
returns private.run_event[]
language sql stable security definer
set search_path = ''
as $$
  select array_agg(
    (
      e.event, unnumbered_events.root_flow_run_id, e.node_id, e.times, e.log_index, null, null
    )::private.run_event order by
    e.time, array_position('{node_start,log,node_finish}', e.event), e.node_id, e.times, e.log_index
  )
  from (
    select t.event, n.node_id, n.times, null::integer as log_index, t.time
    from public.node_run as n
    cross join lateral (values ('node_start', n.start_time), ('node_finish', n.end_time)) as t (event, "time")
    where n.flow_run_id = unnumbered_events.root_flow_run_id and t.time is not null
    union all
    select 'log', l.node_id, l.times, l.log_index, l.time
    from public.flow_run_logs as l where l.flow_run_id = unnumbered_events.root_flow_run_id
  ) as e;
$$;
-- Call this for a root run that has ended and has no rows in flow_run_events. The transaction that ended the run stored
-- all rows of the run in node_run and flow_run_logs, at most a hundred. The worker gave these rows different times, in
-- the order of the events.
comment on function private.unnumbered_events(uuid) is
  'For an ended root run that has no rows in flow_run_events: its events from number 2 on, without the end of the run. Definer, because it reads the runs of any user. The calling functions check the user.';

create function private.event_value(value jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- Test the stored size first, because it is known without reading the value. Stored values may be compressed, so a
  -- value with a small stored size may still have a long text.
  if pg_column_size(event_value.value) > private.limit_event_value_bytes()
    or octet_length(event_value.value::text) > private.limit_event_value_bytes()
  then
    return null;
  end if;
  return event_value.value;
end;
$$;
comment on function private.event_value(jsonb) is
  'The value to show in an event: the value itself, or null if it has more than limit_event_value_bytes() bytes.';

create function private.run_events(root public.flow_run, after integer, max_bytes integer)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  -- The maximum number of events in a page.
  v_max_events constant integer := 200;
  -- The number of the last event before the end of the root run.
  v_last integer;
  v_end integer;
  -- The events between the start and the end of the root run, if the run has ended and private.flow_run_events has no
  -- rows for it. Otherwise null.
  v_unnumbered private.run_event[];
  -- The number of the last event of the last transaction that this page reads.
  v_until integer;
  v_page jsonb;
begin
  select max(e.last_number) into v_last from private.flow_run_events as e where e.root_flow_run_id = root.id;
  if v_last is null and root.end_time is not null then
    v_unnumbered := private.unnumbered_events(root.id);
  end if;
  v_last := coalesce(v_last, 1 + cardinality(v_unnumbered), 1);
  v_end := case
    when root.end_time is not null then v_last + 1
    -- Until the run starts, pages are empty. Events that were stored before the start get greater numbers than the
    -- start event.
    when root.start_time is null then 0
    else v_last
  end;
  if run_events.after >= v_end then
    return jsonb_build_object(
      'events', '[]'::jsonb, 'last', run_events.after, 'newest', v_end, 'has_more', false, 'has_ended',
      root.end_time is not null
    );
  end if;

  select coalesce(min(e.last_number), v_last) into v_until from private.flow_run_events as e
  where e.root_flow_run_id = root.id and e.last_number >= run_events.after + v_max_events;

  with told as (
    select 1 as number, 'run_start' as event, root.id as flow_run_id, null::uuid as node_id, null::integer as times,
      null::integer as log_index, null::bigint as request_id, null::uuid as input_id
    where run_events.after < 1 and root.start_time is not null
    union all
    select e.first_number + k.position::integer - 1,
      k.event, k.flow_run_id, k.node_id, k.times, k.log_index, k.request_id, k.input_id
    from (
      select s.first_number, s.events from private.flow_run_events as s
      where s.root_flow_run_id = root.id and s.last_number > run_events.after and s.last_number <= v_until
      union all
      select 2, v_unnumbered
    ) as e
    cross join lateral unnest(e.events) with ordinality
      as k (event, flow_run_id, node_id, times, log_index, request_id, input_id, position)
    where e.first_number + k.position - 1 > run_events.after
      and e.first_number + k.position - 1 <= run_events.after + v_max_events
    union all
    select v_end, 'run_finish', root.id, null, null, null, null, null
    where root.end_time is not null and run_events.after < v_end and v_end <= run_events.after + v_max_events
  ), run as materialized (
    select r.*
    from (select distinct t.flow_run_id from told as t) as d
    cross join lateral (select f.* from public.flow_run as f where f.id = d.flow_run_id offset 0) as r
  ), graph as materialized (
    -- Read each flow only once, for the names of its nodes.
    select r.is_entry, r.flow_id, case
      when r.is_entry then s.data #> '{entry,nodes}' else s.data #> array['flows', r.flow_id::text, 'nodes']
    end as nodes
    from (select distinct run.id = root.id as is_entry, run.flow_id from run) as r
    join private.flow_run_jobs as j on j.flow_run_id = root.id
    join private.flow_snapshots as s on s.hash = j.snapshot_hash
  ), node as materialized (
    select g.is_entry, g.flow_id, (n.node ->> 'id')::uuid as id,
      coalesce(nullif(n.node #>> '{data,display_name}', ''), n.node #>> '{data,node_id}') as name
    from graph as g cross join lateral jsonb_array_elements(g.nodes) as n (node)
    where (n.node ->> 'id')::uuid = any (array(select t.node_id from told as t where t.node_id is not null))
  ), described as (
    select t.number,
      case when t.event = 'node_finish' and x.errors is not null then 'node_error' else t.event end as event,
      jsonb_build_object(
        'flow_run_id', t.flow_run_id,
        'called_by', case when run.parent_flow_run_id is not null then jsonb_build_object(
          'flow_run_id', run.parent_flow_run_id, 'node_id', run.parent_node_id, 'times', run.parent_times
        ) end,
        'time', case t.event
          when 'run_start' then run.start_time when 'run_finish' then run.end_time when 'node_start' then x.start_time
          when 'node_finish' then x.end_time when 'log' then l.time when 'signature_request' then s.created_at
          when 'api_input' then i.created_at
        end
      )
      || case when t.event in ('run_start', 'run_finish') then '{}' else jsonb_build_object(
        'node_id', t.node_id, 'times', t.times, 'name', node.name
      ) end
      || case when t.event in ('node_start', 'node_finish')
        then jsonb_build_object('attempt', x.attempt, 'is_taken_over', x.is_taken_over) else '{}'
      end
      || case when t.event = 'node_finish' and x.errors is not null
        then jsonb_build_object('error_handled', x.error_handled) else '{}'
      end
      || case t.event
        when 'run_finish' then jsonb_build_object('status', run.status)
        when 'signature_request' then jsonb_build_object(
          'id', s.id, 'kind', s.kind, 'pubkey', s.pubkey, 'expires_at', s.expires_at
        )
        -- The event may contain the URL, because every caller who gets the event may also read the URL in
        -- pending_inputs.
        when 'api_input' then jsonb_build_object('id', i.id, 'url', i.url, 'expires_at', i.expires_at)
        else '{}'
      end as data,
      case
        when t.event = 'node_start' then jsonb_build_object('input', private.event_value(x.input))
        when t.event = 'node_finish' then jsonb_build_object('output', private.event_value(x.output))
          || case when x.errors is null then '{}' else jsonb_build_object('errors', x.errors) end
        when t.event = 'run_start' then jsonb_build_object('inputs', private.event_value(run.inputs))
        when t.event = 'run_finish' then jsonb_build_object(
          'output', private.event_value(run.output), 'errors', private.event_value(to_jsonb(run.errors))
        )
        when t.event = 'log' then jsonb_build_object(
          'log_index', l.log_index, 'log_level', l.log_level, 'module', l.module, 'content', l.content
        )
        else '{}'
      end as owner_data
    from told as t
    join run on run.id = t.flow_run_id
    left join node on node.id = t.node_id and node.flow_id = run.flow_id and node.is_entry = (run.id = root.id)
    left join lateral (
      select n.attempt, n.is_taken_over, n.error_handled, n.start_time, n.end_time, n.input, n.output, n.errors
      from public.node_run as n
      where t.event in ('node_start', 'node_finish')
        and n.flow_run_id = t.flow_run_id and n.node_id = t.node_id and n.times = t.times
      offset 0
    ) as x on true
    left join lateral (
      select g.* from public.flow_run_logs as g
      where t.event = 'log' and g.flow_run_id = t.flow_run_id and g.log_index = t.log_index offset 0
    ) as l on true
    left join lateral (
      select q.id, q.kind, q.created_at, q.pubkey, q.expires_at from public.signature_requests as q
      where t.event = 'signature_request' and q.id = t.request_id offset 0
    ) as s on true
    left join lateral (
      select a.id, private.uuid_v7_time(a.id) as created_at, a.expires_at, p.url
      from private.api_inputs as a
      left join public.pending_inputs as p on p.id = a.id and p.expires_at > now()
      where t.event = 'api_input' and a.id = t.input_id offset 0
    ) as i on true
  ), measured as (
    select d.*, sum(octet_length(d.data::text) + octet_length(d.owner_data::text)) over (order by d.number) as bytes,
      row_number() over (order by d.number) as position
    from described as d
  )
  select jsonb_build_object(
    'events', coalesce(jsonb_agg(jsonb_build_object(
      'id', m.number, 'event', m.event, 'data', m.data, 'owner', m.owner_data
    ) order by m.number), '[]'),
    'last', coalesce(max(m.number), run_events.after)
  ) into v_page
  from measured as m where m.bytes <= run_events.max_bytes or m.position = 1;

  return v_page || jsonb_build_object(
    'newest', v_end,
    'has_more', (v_page ->> 'last')::integer < v_end,
    'has_ended', root.end_time is not null and (v_page ->> 'last')::integer >= v_end
  );
end;
$$;
-- A page has at most 200 events and at most max_bytes. If the next event alone has more than max_bytes, the page has
-- only this event. In each event, `owner` holds the members that are added to `data` only for the flow's owner. The
-- next page continues after `last`. `newest` is the greatest number so far. `has_ended` is true if no more events will
-- follow.
comment on function private.run_events(public.flow_run, integer, integer) is
  'A page of a root run''s events, those with numbers greater than `after`: {events: [{id, event, data, owner}], last, newest, has_more, has_ended}. Definer, because it reads the runs of any user. The calling functions check the user.';

create function private.flow_run_events(flow_run_id uuid, after integer)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_root public.flow_run := private.run_for_caller(private.root_run_id(flow_run_events.flow_run_id));
  v_caller private.caller := private.caller();
  v_is_owner boolean := v_root.user_id is not distinct from v_caller.user_id;
  v_page jsonb;
begin
  if (flow_run_events.after >= 0) is not true then
    perform private.fail('request_invalid',
      'after: must be an integer from 0 to 2147483647: the id of an event, or 0.');
  end if;
  v_page := private.run_events(v_root, flow_run_events.after, 32768);
  if flow_run_events.after > (v_page ->> 'newest')::integer then
    perform private.fail('request_invalid',
      'after: must be the id of an event of this run, but it is greater than the id of the newest event.');
  end if;
  return (v_page - 'newest') || jsonb_build_object(
    'flow_run_id', v_root.id, 'is_owner', v_is_owner, 'owner_id', v_root.user_id,
    'caller', coalesce(v_caller.user_id, v_caller.run_id),
    'is_guest', v_caller.user_id is null or v_caller.is_anonymous,
    'is_overdue', private.is_overdue(v_root.id),
    'events', (
      select coalesce(jsonb_agg(
        case when v_is_owner
          then e.event || jsonb_build_object('data', (e.event -> 'data') || (e.event -> 'owner')) else e.event
        end - 'owner'
        order by e.position
      ), '[]')
      from jsonb_array_elements(v_page -> 'events') with ordinality as e (event, position)
      where v_is_owner or e.event ->> 'event' <> 'log'
    )
  );
end;
$$;
comment on function private.flow_run_events(uuid, integer) is
  'Implements public.flow_run_events. Definer, because no API role may call private.run_for_caller().';
grant execute on function private.flow_run_events(uuid, integer) to anon, authenticated, service_role;

create function public.flow_run_events(flow_run_id uuid, after integer default 0)
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.flow_run_events(flow_run_id, after);
$$;
-- flow_run_id may itself be a called run; the events are those of the whole tree. Only the owner of the flow gets
-- values, errors and log lines. `after` is `last` of the previous page. has_ended: no more events will follow.
-- is_overdue: as in flow_run_result. GET /flow/events/{flow_run_id} sends events as they happen. 400
-- request_invalid; 401; 404 flow_run_not_found.
comment on function public.flow_run_events(uuid, integer) is
  'A page of the events of a run''s tree, for those who may see the root run: {events: [{id, event, data}], last, has_more, has_ended, flow_run_id, is_owner, owner_id, caller, is_guest, is_overdue}. after: `last` of the previous page. 400 request_invalid; 401; 404 flow_run_not_found.';
grant execute on function public.flow_run_events(uuid, integer) to anon, authenticated, service_role;

create function private.watched_run_events(flow_run_ids uuid[], after integer[])
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(
      coalesce(p.page, '{"events": [], "has_more": false, "has_ended": true}')
        || jsonb_build_object('flow_run_id', w.id)
    ), '[]')
    from unnest(watched_run_events.flow_run_ids, watched_run_events.after) as w (id, after)
    left join lateral (
      -- All pages together have at most 4 MiB, except that each page may have one event of any size.
      select private.run_events(
        r, w.after, least(32768, 4194304 / greatest(cardinality(watched_run_events.flow_run_ids), 1))
      ) as page
      from public.flow_run as r where r.id = w.id offset 0
    ) as p on true
    where p.page is null or p.page -> 'events' <> '[]' or (p.page -> 'has_ended')::boolean
  );
end;
$$;
comment on function private.watched_run_events(uuid[], integer[]) is
  'Implements public.watched_run_events. Definer, because one call serves many clients, but policies apply to a single user. The Edge Functions have checked the clients.';
grant execute on function private.watched_run_events(uuid[], integer[]) to service_role;

create function public.watched_run_events(flow_run_ids uuid[], after integer[])
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.watched_run_events(flow_run_ids, after);
$$;
-- The Edge Functions watch on behalf of callers. `owner` has the members that the Edge Functions add to `data` only for
-- the owner of the flow. For a deleted run, the answer has no events, and has_ended is true.
comment on function public.watched_run_events(uuid[], integer[]) is
  'For the Edge Functions: the next events of these root runs, [{flow_run_id, events: [{id, event, data, owner}], last, has_more, has_ended}]. `after` has one number for each run; events with greater numbers are returned. Runs without new events are left out.';
grant execute on function public.watched_run_events(uuid[], integer[]) to service_role;
