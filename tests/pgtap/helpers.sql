-- What the pgTAP suites share; loaded into the template of the test databases only, never by a migration.
create schema tap;
create extension pgtap schema tap;
create schema test;
grant usage on schema tap, test to public;
alter default privileges in schema test grant execute on functions to public;

create function test.create_user(name text) returns uuid
language sql volatile security definer set search_path = ''
as $$
  insert into auth.users (id, email) values (gen_random_uuid(), create_user.name || '@example.com') returning id;
$$;

-- The rest of the transaction runs as this user, as PostgREST would run it.
create function test.sign_in(user_id uuid, is_anonymous boolean default false) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  perform set_config('request.jwt.claims', json_build_object(
    'sub', sign_in.user_id, 'role', 'authenticated', 'is_anonymous', sign_in.is_anonymous
  )::text, true);
  perform set_config('role', 'authenticated', true);
end;
$$;

create function test.sign_in_as_role(role text) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  perform set_config('request.jwt.claims', json_build_object('role', sign_in_as_role.role)::text, true);
  perform set_config('role', sign_in_as_role.role, true);
end;
$$;

create function test.sign_out() returns void
language plpgsql volatile set search_path = ''
as $$
begin
  perform set_config('request.jwt.claims', '', true);
  perform set_config('role', 'none', true);
end;
$$;

-- The code of the error that a statement raises, as a client would see it: ours, else the SQLSTATE; null when it passes.
create function test.error_code(statement text) returns text
language plpgsql volatile set search_path = ''
as $$
begin
  execute error_code.statement;
  return null;
exception
  when sqlstate 'PGRST' then return sqlerrm::json ->> 'code';
  when others then return sqlstate;
end;
$$;

-- A flow of the user, of no nodes unless given.
create function test.create_flow(user_id uuid, nodes jsonb default '[]', edges jsonb default '[]') returns integer
language sql volatile security definer set search_path = ''
as $$
  insert into public.flows (user_id, nodes, edges) values (create_flow.user_id, create_flow.nodes, create_flow.edges) returning id;
$$;

-- A node as the editor saves it; handle ids are `<name of the node>.<port>`, node ids derive from the name.
create function test.node_id(name text) returns uuid
language sql immutable set search_path = ''
as $$
  select md5(node_id.name)::uuid;
$$;

create function test.node(
  name text, node_id text, sources text[] default '{}', targets text[] default '{}', form_data jsonb default '{}', type text default 'native'
) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('id', test.node_id(node.name), 'width', 100, 'data', jsonb_build_object(
    'type', node.type, 'node_id', node.node_id, 'display_name', node.name,
    'sources', (select coalesce(jsonb_agg(jsonb_build_object('id', node.name || '.' || s, 'name', s, 'type', 'free')), '[]')
      from unnest(node.sources) as s),
    'targets', (select coalesce(jsonb_agg(jsonb_build_object('id', node.name || '.' || t, 'name', t,
      'type_bounds', '["free"]'::jsonb, 'required', true, 'passthrough', false)), '[]') from unnest(node.targets) as t),
    'targets_form', jsonb_build_object('form_data', node.form_data)
  ));
$$;

create function test.edge(source text, source_port text, target text, target_port text) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'source', test.node_id(edge.source), 'sourceHandle', edge.source || '.' || edge.source_port,
    'target', test.node_id(edge.target), 'targetHandle', edge.target || '.' || edge.target_port
  );
$$;
