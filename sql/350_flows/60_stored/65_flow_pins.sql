create table public.flow_pins (
  user_id uuid not null default auth.uid(),
  flow_id integer not null,
  node_id uuid not null,
  outputs jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (flow_id, node_id),
  constraint flow_pins_flow_id_fkey foreign key (flow_id, user_id)
    references public.flows (id, user_id) on delete cascade
);
comment on table public.flow_pins is
  'Pins: outputs that the owner has stored for a node, for tests. In a run of the saved flow, a node with a pin does not run, and gives these outputs. Runs of deployments ignore pins. Pins are stored apart from flows, so that they are never part of public_flows.';
comment on column public.flow_pins.user_id is 'The owner of the flow.';
comment on column public.flow_pins.node_id is
  'A node of the flow. A pin has no effect if its node was removed from the flow.';
comment on column public.flow_pins.outputs is 'The tagged value of each output, such as {"result": {"S": "text"}}.';

create index flow_pins_user_id_idx on public.flow_pins (user_id);
create index flow_pins_flow_id_user_id_idx on public.flow_pins (flow_id, user_id);

alter table public.flow_pins enable row level security;
create policy flow_pins_select_owner on public.flow_pins for select to authenticated
  using (user_id = (select auth.uid()));
-- The insert and update policies check the owner of the flow. Otherwise, a user could try to insert a pin for another
-- user's flow. Postgres checks the primary key before the foreign key, so the error would reveal whether that flow
-- already has a pin for the node.
create policy flow_pins_insert_owner on public.flow_pins for insert to authenticated
  with check (
    user_id = (select auth.uid())
    and exists (select from public.flows as f where f.id = flow_id and f.user_id = (select auth.uid()))
  );
create policy flow_pins_update_owner on public.flow_pins for update to authenticated
  using (user_id = (select auth.uid()))
  with check (
    user_id = (select auth.uid())
    and exists (select from public.flows as f where f.id = flow_id and f.user_id = (select auth.uid()))
  );
create policy flow_pins_delete_owner on public.flow_pins for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, insert, update, delete on public.flow_pins to authenticated;
grant select, insert, update, delete on public.flow_pins to service_role;

create trigger _200_touch before update on public.flow_pins
  for each row execute function private.tg_any__before_update_touch();

create function private.tg_flow_pins__after_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
  v_bytes bigint;
begin
  perform private.check_inputs(new.outputs, 'outputs');
  -- The lock prevents two concurrent writes from exceeding the limits together.
  perform from public.flows as f where f.id = new.flow_id for no key update;
  select count(*), sum(octet_length(p.outputs::text)) into v_count, v_bytes
  from public.flow_pins as p where p.flow_id = new.flow_id;
  if v_count > private.limit_flow_pins() or v_bytes > private.limit_flow_pins_bytes() then
    perform private.refuse_column('outputs', format('a flow may have at most %s pins, with at most %s in total',
      private.limit_flow_pins(), private.size_text(private.limit_flow_pins_bytes())));
  end if;
  return null;
end;
$$;
comment on function private.tg_flow_pins__after_write() is
  'Refuses outputs that are not tagged values. Refuses a pin if its flow would have too many pins, or pins that are too large in total. Runs after the policies, so that only the owner gets these errors. Definer, so that it locks the flow whatever rights the writer has.';
create trigger _500_check after insert or update on public.flow_pins
  for each row execute function private.tg_flow_pins__after_write();

create function private.pins_of_flow(flow public.flows)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_pins constant jsonb := (
    select jsonb_object_agg(p.node_id::text, p.outputs) from public.flow_pins as p
    where p.flow_id = (pins_of_flow.flow).id
  );
begin
  -- Most flows have no pins. Do not read the nodes of these flows.
  if v_pins is null then
    return '{}';
  end if;
  return (
    select coalesce(jsonb_object_agg(n.id, v_pins -> n.id), '{}')
    from jsonb_array_elements((pins_of_flow.flow).nodes) as e (node)
    cross join lateral (select e.node ->> 'id' as id offset 0) as n
    where v_pins ? n.id
  );
end;
$$;
comment on function private.pins_of_flow(public.flows) is
  'The pinned outputs of the flow''s nodes, {"<node id>": {"<output>": value}}. Definer, because it reads the pins of any user. The calling functions have checked the owner.';
