create table public.flow_row_starts (
  id uuid primary key default private.uuid_v7(),
  user_id uuid not null references auth.users (id) on delete cascade,
  flow integer not null,
  tag text not null,
  input text not null,
  schema_name text not null,
  table_name text not null,
  events text[] not null,
  columns text[],
  per text not null,
  on_refusal text not null,
  is_active boolean not null default true,
  refused integer not null default 0,
  last_error text,
  last_refused_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint flow_row_starts_flow_fkey foreign key (flow, user_id) references public.flows (id, user_id)
    on delete cascade,
  constraint flow_row_starts_tag_form check (private.check_tag(tag)),
  constraint flow_row_starts_input_length check (
    char_length(input) <= private.limit_port_name_characters() or private.refuse_column('input', format(
      'must be the name of an input, at most %s characters', private.limit_port_name_characters()
    ))
  ),
  constraint flow_row_starts_events_known check (
    events <@ '{insert,update,delete}' and cardinality(events) between 1 and 3
    or private.refuse_column('events', 'must be a list of insert, update and delete')
  ),
  constraint flow_row_starts_columns_with_updates check (
    columns is null or 'update' = any (events) and cardinality(columns) between 1 and 100
    or private.refuse_column('columns', 'must be a list of columns, and events must contain update')
  ),
  constraint flow_row_starts_per_known check (
    per in ('row', 'statement') or private.refuse_column('per', 'must be row or statement')
  ),
  constraint flow_row_starts_on_refusal_known check (
    on_refusal in ('record', 'abort') or private.refuse_column('on_refusal', 'must be record or abort')
  ),
  constraint flow_row_starts_last_error_length check (char_length(last_error) <= 2200)
);
comment on table public.flow_row_starts is
  'Row starts: changes of rows of a table start a deployment, as the flow''s owner. private.start_flow_on_rows makes them. A row start is deleted with its user and its flow. Without its row here, the triggers of a row start do nothing.';
comment on column public.flow_row_starts.user_id is 'The owner of the flow, who sees, pauses and deletes the row start.';
comment on column public.flow_row_starts.flow is 'The flow whose deployment is started; tag selects the deployment.';
comment on column public.flow_row_starts.tag is
  'The tag that selects one of the flow''s deployments, looked up at each start.';
comment on column public.flow_row_starts.input is
  'The flow''s input that gets each change as JSON, converted to the input''s types: {operation, schema, table, row, old_row, user_id}, or {…, rows: [{row, old_row}]} instead of row and old_row if per is statement.';
comment on column public.flow_row_starts.schema_name is 'The schema of the table when the row start was made.';
comment on column public.flow_row_starts.table_name is 'The name of the table when the row start was made.';
comment on column public.flow_row_starts.events is 'The events that start the flow: insert, update, delete.';
comment on column public.flow_row_starts.columns is
  'If given, an update starts the flow only for rows in which the value of one of these columns changes.';
comment on column public.flow_row_starts.per is
  'row: a run for each changed row. statement: one run for all rows that a statement changes.';
comment on column public.flow_row_starts.on_refusal is
  'record: if a start is refused, the write succeeds, and refused and last_error record the refusal. abort: the write fails with the error.';
comment on column public.flow_row_starts.is_active is 'If false, changes of rows start nothing. The owner may change it.';
comment on column public.flow_row_starts.refused is
  'The number of statements of which at least one start was refused. If several transactions are refused at the same time, only one of them is counted.';
comment on column public.flow_row_starts.last_error is
  'The error of the last refusal, "<code>: <message>"; null if no start was refused.';
comment on column public.flow_row_starts.last_refused_at is 'The time of the last refusal.';

create index flow_row_starts_user_id_idx on public.flow_row_starts (user_id);
create index flow_row_starts_flow_idx on public.flow_row_starts (flow, user_id);

alter table public.flow_row_starts enable row level security;
create policy flow_row_starts_select_owner on public.flow_row_starts for select to authenticated
  using (user_id = (select auth.uid()));
create policy flow_row_starts_update_owner on public.flow_row_starts for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy flow_row_starts_delete_owner on public.flow_row_starts for delete to authenticated
  using (user_id = (select auth.uid()));

-- There is no grant to insert: private.start_flow_on_rows makes the rows.
grant select, update, delete on public.flow_row_starts to authenticated;
grant select, update, delete on public.flow_row_starts to service_role;

create function private.tg_flow_row_starts__before_update_read_only()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if to_jsonb(new) - 'is_active' is distinct from to_jsonb(old) - 'is_active' then
    perform private.fail('column_read_only', 'Of a row start, only is_active can be changed.',
      hint => 'Leave the other columns out. To change them, the owner of the table makes another row start.');
  end if;
  new.updated_at := now();
  return new;
end;
$$;
comment on function private.tg_flow_row_starts__before_update_read_only() is
  'Refuses writes of clients to columns other than is_active. The trigger does not apply to the system''s functions, which write as the owner of the schema.';
create trigger _100_refuse_read_only before update on public.flow_row_starts
  for each row when (current_user in ('authenticated', 'service_role'))
  execute function private.tg_flow_row_starts__before_update_read_only();
