-- Written by hand: pg-delta, which generates the other migrations from sql/, does not see what a function made (the queue) and
-- mistakes default privileges. Equal to sql/000_platform.sql.

create extension if not exists pgmq;

create schema private;
comment on schema private is
  'Storage and rules that no API role touches directly: PostgREST does not expose it. The roles may only execute what is granted by name.';
grant usage on schema private to anon, authenticated, service_role;

alter default privileges for role postgres revoke execute on functions from public;
alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on functions from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on sequences from anon, authenticated, service_role;

select pgmq.create('flow_runs');
