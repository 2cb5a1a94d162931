select plan(16);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('change')));
select test.deploy(test.kept('flow')::integer);
select test.sign_out();
create table public.notes (id integer primary key, text text);
create table public.keyless (text text);
create view public.seen as select * from public.notes;

create function pg_temp.fault(arguments text) returns text language plpgsql as $$
declare
  v_error jsonb := test.error(format('select private.start_flow_on_rows(%s)', replace(fault.arguments, '$flow', test.kept('flow'))));
begin
  return (v_error ->> 'code') || ': ' || (v_error ->> 'message');
end;
$$;

select is(pg_temp.fault($$'public.notes', '{insert}', $flow, null, 'change'$$), null, 'the owner of the table makes a row start');
select is(tag, 'latest', 'the tag is latest by default') from public.flow_row_starts;

create role author;
grant author to postgres;
create table public.authored (id integer primary key);
grant usage, create on schema public to author;
alter table public.authored owner to author;
select test.sign_in_as_role('service_role');
select is(
  test.error_code('select private.start_flow_on_rows(''public.notes'', ''{insert}'', 1, null, ''change'')'), '42501',
  'callers of the API may not call the function'
);
select test.sign_out();
select is(
  pg_temp.fault($$'public.authored', '{insert}', $flow, null, 'change'$$),
  'row_start_invalid: table: public.authored belongs to author, who does not have the rights of postgres.',
  'the owner of the table has the rights of the trigger function'
);
revoke author from postgres;
select is(
  pg_temp.fault($$'public.authored', '{insert}', $flow, null, 'change'$$),
  'row_start_invalid: table: public.authored belongs to author, and postgres does not have the rights of this role.',
  'a table of a stranger is refused'
);

select is(
  array(
    select c.oid::regclass::text from pg_class as c
    where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace, 'auth'::regnamespace, 'storage'::regnamespace)
      and c.relkind in ('r', 'p') and c.relname not in ('notes', 'keyless', 'authored') and not private.is_table_of_system(c.oid)
  ),
  '{}', 'all tables of this project, of Auth and of Storage are refused'
);
select is(
  pg_temp.fault($$'public.flow_run', '{insert}', $flow, null, 'change'$$),
  'row_start_invalid: table: public.flow_run belongs to this project, Auth, Storage or Postgres.', 'the message says why'
);
select is(pg_temp.fault($$'public.seen', '{insert}', $flow, null, 'change'$$), 'row_start_invalid: table: public.seen is not a table.', 'a view has no rows of its own');
select is(
  pg_temp.fault($$'public.keyless', '{update}', $flow, null, 'change'$$),
  'row_start_invalid: table: public.keyless has no primary key, by which the old row of an update is found.', 'updates per row need a primary key'
);
select is(pg_temp.fault($$'public.keyless', '{insert,delete}', $flow, null, 'change'$$), null, 'inserts and deletes need no primary key');
select is(pg_temp.fault($$'public.keyless', '{update}', $flow, null, 'change', 'statement'$$), null, 'updates per statement need no primary key');
select is(
  pg_temp.fault($$'public.notes', '{update}', $flow, null, 'change', columns => '{other}'$$),
  'row_start_invalid: columns: public.notes has no column "other".', 'the columns are columns of the table'
);
select is(
  pg_temp.fault(arguments), fault, arguments
)
from (values
  ($$'public.notes', '{truncate}', $flow, null, 'change'$$, 'column_invalid: events: must be a list of insert, update and delete.'),
  ($$'public.notes', '{insert}', $flow, null, 'other'$$, 'inputs_invalid: inputs: the flow has no input "other"; it has "change".'),
  ($$'public.notes', '{insert}', $flow, 'beta', 'change'$$, format('deployment_not_found: Flow %s has no deployment with the tag beta.', test.kept('flow'))),
  ($$'public.notes', '{insert}', 0, null, 'change'$$, 'flow_not_found: There is no such flow.')
) as v (arguments, fault);

select * from finish();
