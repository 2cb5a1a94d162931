select plan(14);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('change')));
select test.deploy(test.kept('flow')::integer);
select test.sign_out();
create function pg_temp.start("table" regclass, events text[], columns text[] default null) returns uuid
language sql volatile as $$
  select private.start_flow_on_rows(start."table", start.events, test.kept('flow')::integer, null, 'change', columns => start.columns);
$$;
-- The inputs of the runs that have been started since the last call.
create function pg_temp.changes() returns setof jsonb language plpgsql volatile as $$
begin
  return query select r.inputs #> '{M,change,M}' from public.flow_run as r order by r.id;
  delete from public.flow_run where true;
end;
$$;

create schema "o'neil";
create table "o'neil"."a ""table""; drop table x; $$ %I %s \" (
  "the 'key'" integer primary key, "a ""column"", %s" text, "$1" text
);
select pg_temp.start('"o''neil"."a ""table""; drop table x; $$ %I %s \"', '{insert,update,delete}', array['a "column", %s']);
insert into "o'neil"."a ""table""; drop table x; $$ %I %s \" values (1, 'a', 'b');
update "o'neil"."a ""table""; drop table x; $$ %I %s \" set "a ""column"", %s" = 'c' where true;
update "o'neil"."a ""table""; drop table x; $$ %I %s \" set "$1" = 'c' where true;
delete from "o'neil"."a ""table""; drop table x; $$ %I %s \" where true;
select is(
  array_agg(c #>> '{operation,S}'), '{insert,update,delete}', 'names with quotes and other characters start flows'
) from pg_temp.changes() as c;
select is(
  (schema_name, table_name, refused, last_error)::text, '(o''neil,"a ""table""; drop table x; $$ %I %s \\",0,)',
  'the row start has the names as they are'
) from public.flow_row_starts;

create table public.calculated (id integer primary key, price numeric, vat numeric generated always as (price * 0.19) stored);
select pg_temp.start('public.calculated', '{insert,update}', '{vat}');
insert into public.calculated (id, price) values (1, 100);
update public.calculated set price = 200 where id = 1;
update public.calculated set price = 200 where id = 1;
select is(
  array_agg(array[c #>> '{old_row,M,vat,D}', c #>> '{row,M,vat,D}']), '{{NULL,19.00},{19.00,38.00}}', 'generated columns have their values'
) from pg_temp.changes() as c;

create table public.parted (id integer, part integer, text text, primary key (part, id)) partition by list (part);
create table public.parted_1 partition of public.parted for values in (1);
create table public.parted_2 partition of public.parted for values in (2);
select pg_temp.start('public.parted', '{insert,update,delete}');
insert into public.parted values (1, 1, 'a'), (1, 2, 'b');
select is(array_agg(c #>> '{row,M,part,U}' order by c), '{1,2}', 'rows of all partitions start flows') from pg_temp.changes() as c;
update public.parted set text = 'c' where part = 2;
select is(c #>> '{old_row,M,text,S}', 'b', 'both columns of the primary key find the old row') from pg_temp.changes() as c;
update public.parted set part = 2, id = 7 where part = 1;
select ok(count(*) > 0, 'a row that moves to another partition starts flows') from pg_temp.changes();
insert into public.parted_1 values (9, 1, 'x');
select is_empty('select pg_temp.changes()', 'a write to a partition by its own name starts nothing');
delete from public.parted where true;
select is(count(*), 3::bigint, 'deletes of rows of all partitions start flows') from pg_temp.changes();

create table public.keyless (text text);
select pg_temp.start('public.keyless', '{insert,delete}');
insert into public.keyless values ('a'), ('a');
delete from public.keyless where true;
select is(array_agg(c #>> '{operation,S}'), '{insert,insert,delete,delete}', 'equal rows without a key start flows') from pg_temp.changes() as c;

create table public.large (id integer primary key, text text);
select pg_temp.start('public.large', '{insert,update,delete}', '{id}');
select lives_ok('insert into public.large values (1, repeat(''x'', 8000000)), (2, ''small'')', 'a row of 8 MB is written');
select is(array_agg(c #>> '{row,M,id,U}'), '{2}', 'it starts no flow, and the other row does') from pg_temp.changes() as c;
select is(
  (refused, split_part(last_error, ':', 1))::text, '(1,inputs_too_large)', 'the refusal is recorded'
) from public.flow_row_starts where table_name = 'large';
select lives_ok('update public.large set id = 3 where id = 1', 'it can be changed');
select lives_ok('delete from public.large where true', 'it can be deleted');

select * from finish();
