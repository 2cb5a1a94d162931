-- Extensions come first: what they make keeps the privileges that it has on every Supabase project.
create extension if not exists pgmq;

create schema private;
comment on schema private is
  'Storage and rules. PostgREST does not expose it, and API roles execute only those of its functions that are granted to them by name.';
grant usage on schema private to anon, authenticated, service_role;

-- Closed doors: from here on nothing is granted to anybody unless a file says so.
alter default privileges for role postgres revoke execute on functions from public;
alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on functions from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on sequences from anon, authenticated, service_role;

-- The queue of runs to execute; the runner claims its messages.
select pgmq.create('flow_runs');
