-- Brings a new cluster into the state of a new database of the Supabase platform, as far as this project depends on
-- that state. The stack runs this script once, as the superuser supabase_admin, and replaces `:password` by a literal.

-- Roles. On the platform, postgres is not a superuser.
create role postgres login createrole createdb replication bypassrls password :password;
create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
create role authenticator login noinherit password :password;
create role supabase_auth_admin login noinherit createrole password :password;

grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role to postgres with admin option;
grant authenticator, supabase_auth_admin to postgres with admin option;
grant pg_monitor, pg_signal_backend to postgres;

alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
alter role supabase_auth_admin set search_path = auth;
alter role postgres set search_path = "$user", public, extensions;

-- Lets postgres set PostgREST's in-database configuration (`alter role authenticator set pgrst.…`).
grant set on parameter "pgrst.db_pre_request" to postgres;

alter database postgres owner to postgres;

-- Schemas.
create schema extensions authorization postgres;
grant usage on schema extensions to anon, authenticated, service_role, authenticator;
create extension pgcrypto with schema extensions;

grant usage on schema public to anon, authenticated, service_role;
grant all on schema public to postgres;

-- The platform's default: the API roles get all rights to whatever postgres creates in public, unless a project revokes them.
alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on functions to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;

-- On the platform, PostgREST reads the schema again after a change, so that a new table is visible at once. Temporary
-- objects don't matter to it. The list of changed objects is empty for a statement that drops some.
create function extensions.reload_api_schema() returns event_trigger language plpgsql set search_path = '' as $$
begin
  if (
    select count(*) = 0 or bool_or(c.schema_name is distinct from 'pg_temp')
    from pg_catalog.pg_event_trigger_ddl_commands() as c
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;
create event trigger reload_api_schema on ddl_command_end execute function extensions.reload_api_schema();

create publication supabase_realtime;
alter publication supabase_realtime owner to postgres;

-- Auth: the schema belongs to the Auth server, which creates its tables. The helper functions are the platform's.
create schema auth authorization supabase_auth_admin;
grant usage on schema auth to anon, authenticated, service_role, postgres;

create function auth.uid() returns uuid language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;
create function auth.role() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )
$$;
create function auth.email() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )
$$;
create function auth.jwt() returns jsonb language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;
alter function auth.uid() owner to supabase_auth_admin;
alter function auth.role() owner to supabase_auth_admin;
alter function auth.email() owner to supabase_auth_admin;
alter function auth.jwt() owner to supabase_auth_admin;

alter default privileges for role supabase_auth_admin in schema auth grant all on tables to postgres;
alter default privileges for role supabase_auth_admin in schema auth grant all on sequences to postgres;
alter default privileges for role supabase_auth_admin in schema auth grant all on functions to postgres;
