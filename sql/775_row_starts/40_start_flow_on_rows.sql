create function private.named_members(value jsonb, names text[])
returns jsonb
language sql immutable security invoker
begin atomic
  select jsonb_agg(named_members.value -> n.name) from unnest(named_members.names) as n (name);
end;
comment on function private.named_members(jsonb, text[]) is
  'The values of these members of an object, as an array; null if there are no names.';

create function private.tg_rows__start_flow()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
-- The table may have columns with the names of these variables.
#variable_conflict use_variable
declare
  v_start public.flow_row_starts;
  v_most constant integer := private.limit_row_start_rows();
  v_count bigint;
  v_key text[];
  v_rows jsonb[];
  v_change jsonb;
  v_error text;
begin
  select s.* into v_start from public.flow_row_starts as s where s.id = tg_argv[0]::uuid and s.is_active;
  if not found then
    return null;
  end if;
  begin
    if tg_op = 'INSERT' then
      v_count := (select count(*) from (select from new_rows limit v_most + 1) as r);
    else
      v_count := (select count(*) from (select from old_rows limit v_most + 1) as r);
    end if;
    if v_count = 0 then
      return null;
    elsif v_count > v_most then
      perform private.fail('row_start_invalid', format('The statement changes more than %s rows.', v_most));
    end if;
    case tg_op
      when 'INSERT' then
        v_rows := array(select jsonb_build_object('row', to_jsonb(n.*), 'old_row', null) from new_rows as n);
      when 'DELETE' then
        v_rows := array(select jsonb_build_object('row', null, 'old_row', to_jsonb(o.*)) from old_rows as o);
      when 'UPDATE' then
        perform private.check_changed_columns(tg_relid, '{update}', v_start.per, v_start.columns);
        v_key := public.primary_key_columns(tg_table_name, tg_table_schema);
        v_rows := array(
          select jsonb_build_object('row', n.row, 'old_row', o.row)
          from (select to_jsonb(r.*) as row, row_number() over () as place from new_rows as r) as n
          left join (select to_jsonb(r.*) as row from old_rows as r) as o
            on private.named_members(n.row, v_key) = private.named_members(o.row, v_key)
          where v_start.columns is null or private.named_members(n.row, v_start.columns)
            is distinct from private.named_members(o.row, v_start.columns)
          order by n.place
        );
    end case;
    if cardinality(v_rows) = 0 then
      return null;
    end if;
    v_change := jsonb_build_object(
      'operation', lower(tg_op), 'schema', tg_table_schema, 'table', tg_table_name, 'user_id', auth.jwt() ->> 'sub'
    );
    v_error := private.start_row_runs(v_start, private.deployment_of_row_start(v_start), case v_start.per
      when 'statement' then array[v_change || jsonb_build_object('rows', to_jsonb(v_rows))]
      else array(select v_change || r.change from unnest(v_rows) with ordinality as r (change, place) order by r.place)
    end);
  exception when others then
    if v_start.on_refusal = 'abort' then
      raise;
    end if;
    v_error := private.error_line(sqlstate, sqlerrm);
  end;
  if v_error is not null then
    perform private.note_row_refusal(v_start.id, v_error);
  end if;
  perform private.poke_runner_for_rows();
  return null;
end;
$$;
comment on function private.tg_rows__start_flow() is
  'Starts the flow of a row start for the rows that a statement has changed. The argument of the trigger is the id of the row start. A refusal does not abort the statement, unless on_refusal is abort. Definer, because the role that writes the rows may not start the flow.';

create function private.drop_idle_row_triggers("table" regclass)
returns integer
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_names text[] := array(
    select t.tgname from pg_catalog.pg_trigger as t
    where t.tgrelid = drop_idle_row_triggers."table" and t.tgfoid = 'private.tg_rows__start_flow()'::regprocedure
      and not t.tgisinternal
      and not exists (
        select from public.flow_row_starts as s where t.tgargs = convert_to(s.id::text, 'UTF8') || '\x00'
      )
  );
  v_name text;
begin
  foreach v_name in array v_names loop
    execute format('drop trigger %I on %s', v_name, drop_idle_row_triggers."table");
  end loop;
  return cardinality(v_names);
end;
$$;
comment on function private.drop_idle_row_triggers(regclass) is
  'For the owner of a table: drops the triggers of row starts that have been deleted, and returns their number. These triggers do nothing, but each statement calls them.';

-- For the owner of a table, who is usually the role postgres: from now on, changes of the table's rows start the
-- deployment of a flow that has the tag (default latest), as the flow's owner. `events` lists insert, update and
-- delete. The flow's input `input` gets {operation, schema, table, row, old_row, user_id}. user_id is the user who
-- wrote, or null. row is null for a delete, and old_row for an insert. With per => 'statement', all rows that a
-- statement changes start one run, which gets `rows`, [{row, old_row}], instead of row and old_row. With `columns`, an
-- update starts the flow only for rows in which one of these columns changes. With on_refusal => 'abort', the write
-- fails if a start is refused. Returns the id of the row start. 400 row_start_invalid, column_invalid, inputs_invalid;
-- 404 flow_not_found, deployment_not_found.
create function private.start_flow_on_rows(
  "table" regclass, events text[], flow integer, tag text, input text, per text default 'row',
  columns text[] default null, on_refusal text default 'record'
)
returns uuid
language plpgsql volatile security invoker
set search_path = ''
as $$
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
$$;
comment on function private.start_flow_on_rows(regclass, text[], integer, text, text, text, text[], text) is
  'For the owner of a table: from now on, changes of its rows start a deployment of the flow, as the flow''s owner. Returns the id of the row start. Invoker, so that current_user is the caller, and so that Postgres, too, checks the caller''s rights on the table.';

create function private.end_row_starts_without_table()
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update public.flow_row_starts as s
  set is_active = false, last_error = 'row_start_invalid: The table or its trigger was dropped.',
    last_refused_at = clock_timestamp()
  where s.id in (
    select free.id from public.flow_row_starts as free
    where free.is_active and not exists (
      select from pg_catalog.pg_trigger as t
      where t.tgfoid = 'private.tg_rows__start_flow()'::regprocedure
        and t.tgargs = convert_to(free.id::text, 'UTF8') || '\x00'
    )
    for no key update skip locked
  );
end;
$$;
comment on function private.end_row_starts_without_table() is
  'Pauses the row starts whose triggers do not exist any more, because the table was dropped, and records this in last_error. Definer, because no API role may write these columns.';
