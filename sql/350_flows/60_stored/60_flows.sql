create table public.flows (
  id integer generated always as identity primary key,
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name text not null default '',
  description text not null default '',
  folder text not null default '',
  nodes jsonb not null default '[]',
  edges jsonb not null default '[]',
  environment jsonb not null default '{}',
  chain_network jsonb not null default '{"url": "https://api.devnet.solana.com", "cluster": "devnet"}',
  instructions_bundling text not null default 'Off',
  is_public boolean not null default false,
  start_shared boolean not null default false,
  start_unverified boolean not null default false,
  tool_name text,
  tool_tag text not null default 'latest',
  tool_description text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint flows_id_user_id_key unique (id, user_id),
  constraint flows_name_length check (
    char_length(name) <= private.limit_name_characters()
    or private.refuse_column('name', format('must have at most %s characters', private.limit_name_characters()))
  ),
  constraint flows_folder_form check (
    char_length(folder) <= private.limit_name_characters() and folder !~ '[/[:cntrl:]]|^\s|\s$'
    or private.refuse_column('folder', format(
      'must be the name of a folder, at most %s characters without / and line breaks', private.limit_name_characters()
    ))
  ),
  constraint flows_description_length check (
    char_length(description) <= private.limit_flow_description_characters()
    or private.refuse_column(
      'description', format('must have at most %s characters', private.limit_flow_description_characters())
    )
  ),
  constraint flows_nodes_array check (
    jsonb_typeof(nodes) = 'array' or private.refuse_column('nodes', 'must be an array')
  ),
  constraint flows_edges_array check (
    jsonb_typeof(edges) = 'array' or private.refuse_column('edges', 'must be an array')
  ),
  constraint flows_environment_strings check (
    private.is_string_map(environment)
      or private.refuse_column('environment', 'must be an object whose members are all strings')
  ),
  constraint flows_environment_size check (
    pg_column_size(environment) <= private.limit_environment_bytes() or private.refuse_column(
      'environment', format('must have at most %s', private.size_text(private.limit_environment_bytes()))
    )
  ),
  constraint flows_chain_network_valid check (
    private.is_chain_network(chain_network) or private.refuse_column('chain_network', format(
      'must be an object with url, an http or https address of at most %s characters, '
      'and cluster: devnet, testnet or mainnet-beta', private.limit_url_characters()
    ))
  ),
  -- Editors may store more members than url and cluster.
  constraint flows_chain_network_size check (
    octet_length(chain_network::text) <= private.limit_flow_network_bytes() or private.refuse_column(
      'chain_network', format('must have at most %s', private.size_text(private.limit_flow_network_bytes()))
    )
  ),
  constraint flows_instructions_bundling_known check (
    instructions_bundling in ('Off', 'Automatic')
      or private.refuse_column('instructions_bundling', 'must be Off or Automatic')
  ),
  constraint flows_tool_name_form check (
    tool_name is null
    or char_length(tool_name) <= private.limit_tool_name_characters() and tool_name ~ '^[A-Za-z0-9_-]+$'
      and tool_name not in ('read_run', 'stop_run', 'list_runs')
    or private.refuse_column('tool_name', format(
      'must be 1 to %s letters, digits, underscores and hyphens, and not read_run, stop_run or list_runs',
      private.limit_tool_name_characters()
    ))
  ),
  constraint flows_tool_tag_form check (
    char_length(tool_tag) <= private.limit_tag_characters() and tool_tag ~ '^[A-Za-z0-9][A-Za-z0-9._-]*$'
    or private.refuse_column('tool_tag', 'must be a tag of a deployment')
  ),
  constraint flows_tool_description_length check (
    char_length(tool_description) <= private.limit_tool_description_characters()
    or private.refuse_column(
      'tool_description', format('must have at most %s characters', private.limit_tool_description_characters())
    )
  )
);
comment on table public.flows is
  'Flows as saved by the editor. A run executes either a deployment, which is a frozen copy of a flow, or a flow as it is when the run starts.';
comment on column public.flows.folder is
  'The folder in which the owner''s list shows the flow; empty for none. Folders have one level, and exist as long as a flow names them.';
comment on column public.flows.nodes is
  'The editor''s node objects. A run reads only the id and the data of each node.';
comment on column public.flows.edges is 'The editor''s edge objects: source, sourceHandle, target, targetHandle.';
comment on column public.flows.environment is
  'Settings of the flow''s runs, an object of strings. Scripts of the flow can read them. Only the owner can read the column.';
comment on column public.flows.chain_network is 'The Solana network of the flow''s runs: {url, cluster}.';
comment on column public.flows.instructions_bundling is
  'Off: each node sends its own transaction. Automatic: a run puts the instructions of several nodes into one transaction.';
comment on column public.flows.is_public is
  'If true, signed-in users can read the flow in public_flows, without its environment and without the address of its network.';
comment on column public.flows.start_shared is
  'If start_shared and is_public are true, every user who has signed up may start new deployments of the flow.';
comment on column public.flows.start_unverified is
  'If start_unverified, start_shared and is_public are true, anybody may start new deployments of the flow.';
comment on column public.flows.tool_name is
  'The name under which assistants call the flow as a tool (MCP). Null: the flow is no tool.';
comment on column public.flows.tool_tag is 'The tag of the deployment that the tool starts.';
comment on column public.flows.tool_description is
  'The description of the tool for assistants. If it is empty, the tool has the description or the name of the flow.';

create index flows_user_id_idx on public.flows (user_id);
create unique index flows_user_id_tool_name_idx on public.flows (user_id, tool_name) where tool_name is not null;

alter table public.flows enable row level security;
create policy flows_select_owner on public.flows for select to authenticated
  using (user_id = (select auth.uid()));
create policy flows_insert_owner on public.flows for insert to authenticated
  with check (user_id = (select auth.uid()));
create policy flows_update_owner on public.flows for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy flows_delete_owner on public.flows for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, insert, update, delete on public.flows to authenticated;
grant select, insert, update, delete on public.flows to service_role;

create function private.tg_flows__before_update()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if (new.user_id, new.created_at) is distinct from (old.user_id, old.created_at) then
    perform private.fail('column_read_only', 'user_id and created_at of a flow can''t be changed.');
  end if;
  return new;
end;
$$;
comment on function private.tg_flows__before_update() is 'Refuses changes to a flow''s read-only columns.';
create trigger _100_refuse_read_only before update on public.flows
  for each row execute function private.tg_flows__before_update();
-- A move to another folder is no change of the flow: an open editor and a pulled file stay current.
create trigger _200_touch before update of
    id, user_id, name, description, nodes, edges, environment, chain_network, instructions_bundling, is_public,
    start_shared, start_unverified, tool_name, tool_tag, tool_description, created_at, updated_at
  on public.flows
  for each row execute function private.tg_any__before_update_touch();

create function private.check_graph_column(name text, graph jsonb)
returns bigint
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if pg_column_size(check_graph_column.graph) > private.limit_flow_jsonb_bytes() then
    perform private.refuse_column(check_graph_column.name, format(
      'must take at most %s as jsonb: it has too many numbers', private.size_text(private.limit_flow_jsonb_bytes())
    ));
  end if;
  return private.check_json_column(check_graph_column.name, check_graph_column.graph, private.limit_flow_bytes());
end;
$$;
comment on function private.check_graph_column(text, jsonb) is
  'Checks nodes or edges: first their size as jsonb, then their content with private.check_json_column(). The first check bounds the memory that the second check uses.';
grant execute on function private.check_graph_column(text, jsonb) to authenticated, service_role;

create function private.tg_flows__before_write()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_most constant integer := private.limit_flow_bytes();
  v_most_written constant integer := private.limit_written_flow_bytes();
  v_nodes_bytes bigint := private.check_graph_column('nodes', new.nodes);
  v_edges_bytes bigint := private.check_graph_column('edges', new.edges);
  v_rest_bytes bigint := private.check_json_column('environment', new.environment, v_most)
    + private.check_json_column('chain_network', new.chain_network, v_most)
    + octet_length(new.name) + octet_length(new.description);
  v_written_bytes bigint;
begin
  if v_nodes_bytes + v_edges_bytes + v_rest_bytes > v_most then
    perform private.refuse_column(case when v_nodes_bytes > v_edges_bytes then 'nodes' else 'edges' end,
      format('must be at most %s of JSON text, together with the other columns of the flow', private.size_text(v_most))
    );
  end if;

  if tg_op = 'UPDATE' then
    -- If the JSON text of a column is unchanged, assign the old value. The new row then refers to the stored value, so
    -- Postgres does not store a large value again. Compare the texts too, because equal jsonb values may have different
    -- texts: 1.0 equals 1.
    if new.nodes = old.nodes and new.nodes::text = old.nodes::text then
      new.nodes := old.nodes;
      v_nodes_bytes := 0;
    end if;
    if new.edges = old.edges and new.edges::text = old.edges::text then
      new.edges := old.edges;
      v_edges_bytes := 0;
    end if;
  end if;

  -- This condition limits the bytes that one transaction writes. Otherwise, one update could write the same large graph
  -- to a thousand flows. The service role and administrators have no limit.
  if row_security_active('public.flows') then
    v_written_bytes := v_nodes_bytes + v_edges_bytes
      + coalesce(nullif(current_setting('flows.written_bytes', true), ''), '0')::bigint;
    if v_written_bytes > v_most_written then
      perform private.fail('flows_too_large',
        format('One request may write at most %s of nodes and edges, in all flows together.',
          private.size_text(v_most_written)),
        hint => 'Change fewer flows at once.');
    end if;
    perform set_config('flows.written_bytes', v_written_bytes::text, true);
  end if;
  return new;
end;
$$;
comment on function private.tg_flows__before_write() is
  'Refuses a flow whose JSON is too large, is nested too deeply or contains a number with too many digits: 400 column_invalid. Refuses a request that writes too much in total: 413 flows_too_large. If nodes or edges are unchanged, keeps the stored value instead of writing it again.';
create trigger _300_bound_json before insert or update of nodes, edges, environment, chain_network on public.flows
  for each row execute function private.tg_flows__before_write();

create trigger _800_check_quota after insert on public.flows
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('flows', 'flow_bytes');

create function private.tg_flows__after_update()
returns trigger
language plpgsql volatile security definer
set search_path = ''
-- If Postgres makes a plan while the table is empty, it may choose a sequential scan and cache this plan. Each save of
-- a flow would then read all flows.
set enable_seqscan = off
as $$
declare
  v_user_id uuid;
begin
  -- Compare compressed sizes. The trigger could also get the statement's new rows directly, but these are not
  -- compressed yet, so read the rows from the table.
  for v_user_id in
    select distinct f.user_id
    from former as o
    join public.flows as f on f.id = o.id
    where pg_column_size(f.nodes) + pg_column_size(f.edges) + pg_column_size(f.environment)
      > pg_column_size(o.nodes) + pg_column_size(o.edges) + pg_column_size(o.environment)
    order by f.user_id
  loop
    perform private.check_quota('flow_bytes', v_user_id);
  end loop;
  return null;
end;
$$;
comment on function private.tg_flows__after_update() is
  'Checks once per statement that updated flows did not grow beyond their owner''s quota. A flow that shrinks is saved even if its owner exceeds the quota. Definer, because users may not call private.check_quota().';
create trigger _800_check_growth after update on public.flows
  referencing old table as former
  for each statement execute function private.tg_flows__after_update();

create function private.tg_flows__before_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- If the user's row is gone, the deletion of the user has deleted this flow by cascade, so do not refuse it.
  if exists (select from auth.users as u where u.id = old.user_id)
    and exists (select from public.flow_deployments as d where d.entrypoint = old.id)
  then
    perform private.fail('flow_has_deployments', format('Flow %s has deployments, so it can''t be deleted.', old.id),
      hint => 'Delete its deployments first.');
  end if;
  return old;
end;
$$;
comment on function private.tg_flows__before_delete() is
  'Refuses to delete a flow that has deployments. Definer, because users can''t read auth.users.';
create trigger _100_refuse_deployed before delete on public.flows
  for each row execute function private.tg_flows__before_delete();
