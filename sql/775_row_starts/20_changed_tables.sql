create function private.is_table_of_system("table" regclass)
returns boolean
language sql stable security invoker
set search_path = ''
as $$
  select n.nspname in ('private', 'auth', 'storage', 'pg_catalog', 'information_schema')
    or n.nspname = 'public' and c.relname in (
      'api_keys', 'connections', 'flow_deployments', 'flow_deployments_tags', 'flow_pins', 'flow_row_starts',
      'flow_run', 'flow_run_logs', 'flow_schedules', 'flow_versions', 'flow_webhooks', 'flows', 'kv_items',
      'kv_stores', 'node_run', 'nodes', 'pending_inputs', 'public_flows', 'signature_requests', 'wallets',
      'webhook_deliveries'
    )
  from pg_catalog.pg_class as c
  join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  where c.oid = is_table_of_system."table";
$$;
comment on function private.is_table_of_system(regclass) is
  'True for tables of this project, of Supabase Auth, of Supabase Storage and of Postgres. Their rows start no flows.';

create function private.check_table_of_row_start("table" regclass)
returns void
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_owner oid;
  v_kind "char";
  -- The owner of the trigger function. The trigger function executes with the rights of this role.
  v_definer constant oid := (
    select p.proowner from pg_catalog.pg_proc as p where p.oid = 'private.tg_rows__start_flow()'::regprocedure
  );
begin
  select c.relowner, c.relkind into v_owner, v_kind
  from pg_catalog.pg_class as c where c.oid = check_table_of_row_start."table";
  if v_owner is null or v_kind not in ('r', 'p') then
    perform private.fail('row_start_invalid', format('table: %s is not a table.', check_table_of_row_start."table"));
  end if;
  if private.is_table_of_system(check_table_of_row_start."table") then
    perform private.fail('row_start_invalid', format(
      'table: %s belongs to this project, Auth, Storage or Postgres.', check_table_of_row_start."table"
    ), hint => 'Use a table of your own.');
  end if;
  if not pg_has_role(current_user, v_owner, 'USAGE') then
    perform private.fail('row_start_invalid', format(
      'table: %s belongs to %s, and %s does not have the rights of this role.',
      check_table_of_row_start."table", v_owner::regrole, quote_ident(current_user)
    ));
  end if;
  -- The trigger converts rows to JSON, and thereby calls a cast from a column's type to json, if the owner of the type
  -- has made one. The cast executes with the rights of the trigger function. So a table's owner who does not have
  -- these rights could gain them.
  if not pg_has_role(v_owner, v_definer, 'USAGE') then
    perform private.fail('row_start_invalid', format(
      'table: %s belongs to %s, who does not have the rights of %s.',
      check_table_of_row_start."table", v_owner::regrole, v_definer::regrole
    ), hint => format('alter table %s owner to %s;', check_table_of_row_start."table", v_definer::regrole));
  end if;
end;
$$;
comment on function private.check_table_of_row_start(regclass) is
  'Refuses a table that does not belong to the calling role, or whose owner does not have the rights of the trigger function, and tables of the system: 400 row_start_invalid. Invoker, so that current_user is the caller.';

create function private.check_changed_columns("table" regclass, events text[], per text, columns text[])
returns void
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_missing text;
begin
  select c.name into v_missing from unnest(check_changed_columns.columns) as c (name)
  where not exists (
    select from pg_catalog.pg_attribute as a
    where a.attrelid = check_changed_columns."table" and a.attname = c.name and a.attnum > 0 and not a.attisdropped
  )
  limit 1;
  if found then
    perform private.fail('row_start_invalid',
      format('columns: %s has no column %s.', check_changed_columns."table", to_json(v_missing)));
  end if;
  if 'update' = any (check_changed_columns.events)
    and (check_changed_columns.per = 'row' or check_changed_columns.columns is not null)
    and not exists (
      select from pg_catalog.pg_index as i where i.indrelid = check_changed_columns."table" and i.indisprimary
    )
  then
    perform private.fail('row_start_invalid',
      format('table: %s has no primary key, by which the old row of an update is found.',
        check_changed_columns."table"),
      hint => 'Add a primary key, or use per => ''statement'' without columns.');
  end if;
end;
$$;
comment on function private.check_changed_columns(regclass, text[], text, text[]) is
  'Refuses a row start if the table lacks one of the columns, or the primary key that updates need: 400 row_start_invalid. The trigger calls this function, too, because tables change.';
