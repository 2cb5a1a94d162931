-- An entry of `hosts` is a host in lower case, with an optional port and path prefix: api.example.com:8443/v1. A prefix
-- has no dot segments and no percent-encoding, so each prefix can be written in only one way.
create function private.are_connection_hosts(hosts text[])
returns boolean
language sql immutable security invoker
begin atomic
  select cardinality(are_connection_hosts.hosts) between 1 and private.limit_connection_hosts()
    and array_ndims(are_connection_hosts.hosts) = 1
    and (
      select bool_and(coalesce(
        char_length(host) <= private.limit_connection_host_characters()
          and host ~ '^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[1-9][0-9]{0,4})?(/[A-Za-z0-9._~!$&''()*+,;=:@-]+)*/?$'
          and host !~ '^[._-]|^[^:/]*[._-](:|/|$)'
          and host !~ '/[.]{1,2}(/|$)',
        false
      ))
      from unnest(are_connection_hosts.hosts) as h (host)
    );
end;
comment on function private.are_connection_hosts(text[]) is
  'True if the list is a valid value of connections.hosts: hosts, each with an optional port and path prefix.';

create table public.connections (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  name text not null,
  kind text not null,
  hosts text[] not null,
  header text,
  parameter text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz,
  last_tested_at timestamptz,
  last_test_status smallint,
  constraint connections_user_id_name_key unique (user_id, name),
  constraint connections_name_length check (char_length(name) between 1 and private.limit_name_characters()),
  constraint connections_kind_known check (
    kind in ('bearer', 'basic', 'header', 'query', 'oauth2_client_credentials', 'oauth2_refresh_token')
  ),
  constraint connections_hosts_valid check (private.are_connection_hosts(hosts)),
  constraint connections_header_of_kind check (
    case kind when 'header' then coalesce(header ~ '^[a-z0-9!#$%&''*+.^_`|~-]{1,100}$', false) else header is null end
  ),
  constraint connections_last_test_status_of_test check (
    last_test_status is null or last_tested_at is not null and last_test_status between 100 and 999
  ),
  constraint connections_parameter_of_kind check (
    case kind when 'query' then coalesce(char_length(parameter) between 1 and 100, false) else parameter is null end
  )
);
comment on table public.connections is
  'The credentials of users for other servers, without secrets. POST /connections/upsert stores them. A node names its connection in data.targets_form.form_data.connection.';
comment on column public.connections.name is
  'The name by which nodes refer to the connection. A user has at most one connection with a name.';
comment on column public.connections.kind is
  'How a request carries the secret. bearer, basic and oauth2_*: in the header authorization. header: in the header that the column header names. query: in the URL parameter that the column parameter names.';
comment on column public.connections.hosts is
  'The hosts that get the secret, each with an optional port and path prefix. A request to any other host is refused.';
comment on column public.connections.header is 'The header of a connection of kind header, in lower case.';
comment on column public.connections.parameter is 'The query parameter of a connection of kind query.';
comment on column public.connections.updated_at is 'The time at which the connection and its secret were last stored.';
comment on column public.connections.last_used_at is
  'The time at which a run last read the secret. The stored time may be up to a minute earlier. Null if no run has read the secret.';
comment on column public.connections.last_tested_at is
  'The time at which POST /connections/test last tested the present secret; null if this secret has not been tested.';
comment on column public.connections.last_test_status is
  'The HTTP status of the last test''s answer; null if there was no test or no answer.';

alter table public.connections enable row level security;
create policy connections_select_owner on public.connections for select to authenticated
  using (user_id = (select auth.uid()));
create policy connections_delete_owner on public.connections for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, delete on public.connections to authenticated;
grant select, delete on public.connections to service_role;

create trigger _800_check_quota after insert on public.connections
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('connections');

create function private.refuse_connection_in_use(connection public.connections)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_deployments jsonb;
  v_max constant integer := private.limit_listed_connection_uses();
begin
  select jsonb_agg(jsonb_build_object('deployment_id', u.deployment_id, 'tags', u.tags) order by u.deployment_id desc)
  into v_deployments
  from (
    select t.deployment_id, jsonb_agg(t.tag order by t.tag) as tags
    from private.flow_deployment_connections as c
    join public.flow_deployments_tags as t on t.deployment_id = c.deployment_id
    where c.connection_id = refuse_connection_in_use.connection.id
    group by t.deployment_id
    order by t.deployment_id desc limit v_max + 1
  ) as u;
  if v_deployments is not null then
    perform private.fail('connection_in_use',
      format('Tagged deployments use the connection: %s.', v_deployments #>> '{0,deployment_id}')
        || case when jsonb_array_length(v_deployments) > v_max
          then format(' The details list %s of them.', v_max) else '' end,
      private.first_elements(v_deployments, v_max),
      'First move the tags to deployments that do not use the connection.');
  end if;
end;
$$;
comment on function private.refuse_connection_in_use(public.connections) is
  'Refuses to delete a connection that a tagged deployment uses: 409 connection_in_use, which lists the deployments. Lock the connection''s row before the call, so that deploys wait. Definer, because it must also see deployments that policies hide.';

create function private.tg_connections__before_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- If the user's row is gone, the user is being deleted, and the cascade deletes this connection. Allow this deletion,
  -- even if a tagged deployment uses the connection.
  if exists (select from auth.users as u where u.id = old.user_id) then
    perform private.refuse_connection_in_use(old);
  end if;
  return old;
end;
$$;
comment on function private.tg_connections__before_delete() is
  'Refuses to delete a connection that a tagged deployment uses. Definer, because users can''t read auth.users.';
create trigger _100_refuse_in_use before delete on public.connections
  for each row execute function private.tg_connections__before_delete();
