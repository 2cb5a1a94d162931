create schema private;
comment on schema private is
  'Tables and functions that PostgREST does not expose. API roles may execute only the functions that are granted to them by name.';
grant usage on schema private to anon, authenticated, service_role;

-- From here on, a role has a privilege on a new object only if a file grants it.
alter default privileges for role postgres revoke execute on functions from public;
alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on functions
  from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on sequences
  from anon, authenticated, service_role;
