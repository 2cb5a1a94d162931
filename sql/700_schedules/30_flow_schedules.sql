create table public.flow_schedules (
  id uuid primary key default private.uuid_v7(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  flow integer,
  tag text,
  deployment_id uuid references public.flow_deployments (id) on delete cascade,
  cron text not null,
  time_zone text not null default 'UTC',
  inputs jsonb not null default '{}',
  "values" jsonb not null default '{}',
  policy text not null default 'catch_up_one',
  is_active boolean not null default true,
  next_start_at timestamptz,
  last_start_at timestamptz,
  last_flow_run_id uuid,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint flow_schedules_flow_fkey
    foreign key (flow, user_id) references public.flows (id, user_id) on delete cascade,
  constraint flow_schedules_target check (
    num_nonnulls(flow, deployment_id) = 1 and (flow is null) = (tag is null)
    or private.refuse_column('flow', 'give either flow, with an optional tag, or deployment_id')
  ),
  constraint flow_schedules_tag_form check (private.check_tag(tag)),
  constraint flow_schedules_cron_length check (char_length(cron) <= private.limit_cron_characters()),
  constraint flow_schedules_time_zone_length check (char_length(time_zone) <= 64),
  -- Limit inputs and values, because each run of the schedule stores a copy of them.
  constraint flow_schedules_inputs_length check (
    octet_length(inputs::text) + octet_length("values"::text) <= private.limit_schedule_bytes()
    or private.refuse_column('inputs', format(
      'inputs and values together must be at most %s of JSON', private.size_text(private.limit_schedule_bytes())
    ))
  ),
  constraint flow_schedules_policy_known check (
    policy in ('skip', 'catch_up_one') or private.refuse_column('policy', 'must be skip or catch_up_one')
  ),
  constraint flow_schedules_next_start_at_while_active check ((next_start_at is not null) = is_active),
  constraint flow_schedules_last_error_length check (char_length(last_error) <= 2200)
);
comment on table public.flow_schedules is
  'Schedules start deployments at planned times, as their owner. A schedule is deleted with its user, and with the flow or deployment that it starts.';
comment on column public.flow_schedules.flow is 'The flow whose deployment is started; tag selects the deployment.';
comment on column public.flow_schedules.tag is
  'The tag that selects one of the flow''s deployments, looked up at each start; latest by default.';
comment on column public.flow_schedules.deployment_id is 'The deployment that is started, if flow and tag are null.';
comment on column public.flow_schedules.cron is
  'Minute, hour, day of month, month and day of week: numbers, ranges, lists, steps, names such as MON and JAN, and *. A day must match both day fields. But if neither of these fields begins with *, one match is enough.';
comment on column public.flow_schedules.time_zone is
  'The IANA time zone whose clocks decide when the schedule is due, such as Europe/Berlin.';
comment on column public.flow_schedules.inputs is 'The inputs of each start, an object of one-tag values.';
comment on column public.flow_schedules."values" is
  'Further inputs of each start, an object of plain JSON. Each start converts them to the types that the deployment has for its inputs.';
comment on column public.flow_schedules.policy is
  'How to treat planned times that were missed because the database or the driver of schedules was down. catch_up_one: one late start for all missed times. skip: no start if the planned time is more than a minute ago.';
comment on column public.flow_schedules.next_start_at is
  'The next planned time; null while the schedule is not active. Only the system writes this column.';
comment on column public.flow_schedules.last_start_at is
  'The time at which the schedule last started a run. Only the system writes this column.';
comment on column public.flow_schedules.last_flow_run_id is
  'The run that the schedule started last. There is no foreign key, so that the id stays when the run is deleted. Only the system writes this column.';
comment on column public.flow_schedules.last_error is
  'The error of the last planned time, "<code>: <message>"; null if the schedule started a run then. Only the system writes this column.';

create index flow_schedules_user_id_idx on public.flow_schedules (user_id);
create index flow_schedules_flow_idx on public.flow_schedules (flow, user_id) where flow is not null;
create index flow_schedules_deployment_id_idx on public.flow_schedules (deployment_id) where deployment_id is not null;
-- The index includes all columns that private.due_schedules reads, so the function can choose a thousand due schedules
-- without reading their rows.
create index flow_schedules_next_start_at_idx on public.flow_schedules (next_start_at, user_id, id) where is_active;

alter table public.flow_schedules enable row level security;
create policy flow_schedules_select_owner on public.flow_schedules for select to authenticated
  using (user_id = (select auth.uid()));
create policy flow_schedules_insert_owner on public.flow_schedules for insert to authenticated
  with check (user_id = (select auth.uid()));
create policy flow_schedules_update_owner on public.flow_schedules for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy flow_schedules_delete_owner on public.flow_schedules for delete to authenticated
  using (user_id = (select auth.uid()));

-- The default of the column id calls this function when a client omits the id.
grant execute on function private.uuid_v7(timestamptz) to authenticated, service_role;
grant select, insert, update, delete on public.flow_schedules to authenticated;
grant select, insert, update, delete on public.flow_schedules to service_role;

create function private.tg_flow_schedules__before_write_read_only()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    if num_nonnulls(new.next_start_at, new.last_start_at, new.last_flow_run_id, new.last_error) > 0 then
      perform private.fail('column_read_only',
        'next_start_at, last_start_at, last_flow_run_id and last_error of a schedule are kept by the system.',
        hint => 'Leave them out.');
    end if;
    new.created_at := now();
    new.updated_at := now();
  elsif (new.id, new.user_id, new.created_at,
      new.next_start_at, new.last_start_at, new.last_flow_run_id, new.last_error)
    is distinct from (old.id, old.user_id, old.created_at,
      old.next_start_at, old.last_start_at, old.last_flow_run_id, old.last_error)
  then
    perform private.fail('column_read_only',
      'id, user_id, created_at, next_start_at, last_start_at, last_flow_run_id and '
      'last_error of a schedule can''t be changed.',
      hint => 'Leave them out. next_start_at follows from cron, time_zone and is_active.');
  else
    new.updated_at := now();
  end if;
  return new;
end;
$$;
comment on function private.tg_flow_schedules__before_write_read_only() is
  'Refuses writes of clients to columns that only the system writes. The trigger does not apply to private.start_due_schedules, which writes as the owner of the schema.';
create trigger _100_refuse_read_only before insert or update on public.flow_schedules
  for each row when (current_user in ('authenticated', 'service_role'))
  execute function private.tg_flow_schedules__before_write_read_only();

create function private.check_schedule_times(cron text, time_zone text)
returns void
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_faults jsonb := (private.read_cron(check_schedule_times.cron)).faults;
begin
  if not private.is_time_zone(check_schedule_times.time_zone) then
    v_faults := v_faults || jsonb_build_object('path', 'time_zone', 'message', format(
      'must be UTC or an IANA time zone with an area and a place, such as Europe/Berlin, but it is %s',
      to_jsonb(private.shorten(check_schedule_times.time_zone, 64))
    ));
  end if;
  perform private.refuse_faults('column_invalid', v_faults);
end;
$$;
comment on function private.check_schedule_times(text, text) is
  'Refuses an invalid cron expression or time zone. The error has the fault and its path: 400 column_invalid.';

create function private.tg_flow_schedules__before_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if new.flow is not null then
    new.tag := coalesce(new.tag, 'latest');
  end if;
  if num_nulls(new.cron, new.time_zone, new.inputs, new."values", new.is_active) > 0 then
    perform private.refuse_column(
      case when new.cron is null then 'cron' when new.time_zone is null then 'time_zone'
        when new.inputs is null then 'inputs' when new."values" is null then 'values' else 'is_active' end,
      'must not be null'
    );
  end if;
  if (new.flow, new.deployment_id) is distinct from (old.flow, old.deployment_id) then
    perform private.check_own_target(new.user_id, new.flow, new.deployment_id);
  end if;
  if new.inputs is distinct from old.inputs then
    perform private.check_inputs(new.inputs);
  end if;
  if (new.inputs, new."values") is distinct from (old.inputs, old."values") then
    perform private.check_values(new."values", new.inputs);
  end if;
  if (new.cron, new.time_zone) is distinct from (old.cron, old.time_zone) then
    perform private.check_schedule_times(new.cron, new.time_zone);
  end if;
  if (new.cron, new.time_zone, new.is_active) is distinct from (old.cron, old.time_zone, old.is_active) then
    new.next_start_at := case
      when new.is_active then private.next_cron_time(new.cron, new.time_zone, clock_timestamp())
    end;
  end if;
  return new;
end;
$$;
-- Refuses an invalid schedule. The error has the fault and its path: 400 column_invalid, inputs_invalid; 413
-- inputs_too_large; 404 flow_not_found, deployment_not_found. Computes the next planned time if cron, time_zone or
-- is_active change.
comment on function private.tg_flow_schedules__before_write() is
  'Refuses an invalid schedule, and computes its next planned time. Definer, so that it finds the deployment whichever role writes the row.';
-- A policy refuses rows whose user_id is another user. The trigger skips such rows, because an error of its look-ups
-- could reveal which deployments that user has.
create trigger _200_check
  before insert or update of user_id, flow, tag, deployment_id, cron, time_zone, inputs, "values", is_active
  on public.flow_schedules
  for each row when (current_user <> 'authenticated' or new.user_id = auth.uid())
  execute function private.tg_flow_schedules__before_write();

create function private.tg_flow_schedules__after_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if (new.flow, new.tag, new.deployment_id, new.inputs, new."values")
    is distinct from (old.flow, old.tag, old.deployment_id, old.inputs, old."values")
  then
    perform private.inputs_of_start(
      private.own_deployment(new.flow, new.tag, new.deployment_id), new.inputs, nullif(new."values", '{}')
    );
  end if;
  -- Check the quota only if the stored size grows. So an owner who exceeds the quota can still make a row smaller.
  if tg_op = 'UPDATE'
    and pg_column_size(new.inputs) + pg_column_size(new."values")
      > pg_column_size(old.inputs) + pg_column_size(old."values")
  then
    perform private.check_quota('schedule_bytes', new.user_id);
  end if;
  return null;
end;
$$;
-- Refuses a schedule whose start would fail now: 404 deployment_not_found if no deployment has the tag, 400
-- inputs_invalid if the present deployment does not accept the inputs. Failures caused by later deploys appear in
-- last_error. Refuses inputs that grow beyond their owner's quota: 409 quota_exceeded. The trigger runs after the
-- policies have checked the write. So a user who may not write the row learns nothing about the objects that the row
-- names.
comment on function private.tg_flow_schedules__after_write() is
  'Refuses a schedule whose start would fail now, or that exceeds a quota. Definer, so that it finds the deployment whichever role writes the row.';
create trigger _300_check_start
  after insert or update of flow, tag, deployment_id, inputs, "values" on public.flow_schedules
  for each row execute function private.tg_flow_schedules__after_write();

create trigger _800_check_quota after insert on public.flow_schedules
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('schedules', 'schedule_bytes');

create function private.next_cron_times(cron text, time_zone text)
returns timestamptz[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_time timestamptz := clock_timestamp();
  v_times timestamptz[] := '{}';
  v_cron private.cron;
begin
  perform private.require_user();
  if num_nulls(next_cron_times.cron, next_cron_times.time_zone) > 0 then
    perform private.refuse_column(
      case when next_cron_times.cron is null then 'cron' else 'time_zone' end, 'must not be null'
    );
  end if;
  perform private.check_schedule_times(next_cron_times.cron, next_cron_times.time_zone);
  v_cron := (private.read_cron(next_cron_times.cron)).read;
  for v_place in 1..3 loop
    v_time := private.next_time_of_cron(v_cron, next_cron_times.time_zone, v_time);
    v_times := v_times || v_time;
  end loop;
  return v_times;
end;
$$;
comment on function private.next_cron_times(text, text) is
  'Implements public.next_cron_times. Definer, because API roles may not call the functions that parse cron expressions.';
grant execute on function private.next_cron_times(text, text) to anon, authenticated, service_role;

create function public.next_cron_times(cron text, time_zone text default 'UTC')
returns timestamptz[]
language sql volatile security invoker
begin atomic
  select private.next_cron_times(cron, time_zone);
end;
comment on function public.next_cron_times(text, text) is
  'The next three due times of a schedule with this cron expression and time zone, for users who write a schedule. 400 column_invalid; 401.';
grant execute on function public.next_cron_times(text, text) to anon, authenticated, service_role;
