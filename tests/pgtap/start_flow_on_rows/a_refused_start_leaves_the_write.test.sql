select plan(20);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('change')));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.sign_out();
create table public.notes (id integer primary key, text text);
select test.keep('start', private.start_flow_on_rows('public.notes', '{insert}', test.kept('flow')::integer, null, 'change'));
create function pg_temp.runs() returns bigint language sql volatile as 'select count(*) from public.flow_run where row_start_id is not null';

savepoint written;
insert into public.notes (id) values (1);
select is(pg_temp.runs(), 1::bigint, 'the run commits with the write');
rollback to written;
select is(pg_temp.runs(), 0::bigint, 'an aborted write leaves no run');

-- The second row is too large for an input.
insert into public.notes (id, text) values (1, 'a'), (2, repeat('x', 1100000)), (3, 'c');
select is(count(*), 3::bigint, 'all rows are written') from public.notes;
select is(pg_temp.runs(), 2::bigint, 'the other rows start runs');
select is((refused, split_part(last_error, ':', 1))::text, '(1,inputs_too_large)', 'the refusal is recorded') from public.flow_row_starts;
select ok(last_refused_at is not null, 'the time is recorded') from public.flow_row_starts;

insert into public.notes (id) select g from generate_series(10, 509) as g;
select is(pg_temp.runs(), 502::bigint, 'a bulk insert starts a run for each row');
select is(count(distinct inputs #>> '{M,change,M,row,M,id,U}'), 502::bigint, 'each run gets its row') from public.flow_run;
insert into public.notes (id) select g from generate_series(1000, 11000) as g;
select is(pg_temp.runs(), 502::bigint, 'a statement of 10,001 rows starts nothing');
select is(
  (refused, last_error)::text, '(2,"row_start_invalid: The statement changes more than 10000 rows.")', 'its refusal is recorded'
) from public.flow_row_starts;

update auth.users set banned_until = now() + interval '1 day' where id = test.user_id('owner');
insert into public.notes (id) values (600);
select is(last_error, 'token_invalid: The owner of this flow has been deleted or banned.', 'a banned owner starts nothing') from public.flow_row_starts;
update auth.users set banned_until = null where id = test.user_id('owner');
delete from public.flow_deployments where id = test.kept('deployment')::uuid;
insert into public.notes (id) values (601);
select is(last_error, format('deployment_not_found: Flow %s has no deployment with the tag latest.', test.kept('flow')), 'a missing deployment is recorded')
from public.flow_row_starts;
update public.flow_row_starts set on_refusal = 'abort' where true;
select is(test.error_code('insert into public.notes (id) values (602)'), 'deployment_not_found', 'with abort the write fails');
select is_empty('select from public.notes where id = 602', 'nothing is written');
update public.flow_row_starts set on_refusal = 'record' where true;

-- A claim that Postgres can not read.
select set_config('request.jwt.claims', 'not json', true);
select lives_ok('insert into public.notes (id) values (603)', 'an unexpected error leaves the write');
select set_config('request.jwt.claims', '', true);
select matches(last_error, '^internal: 22P02 ', 'the unexpected error is recorded') from public.flow_row_starts;

select test.sign_in(test.user_id('owner'));
select test.deploy(test.kept('flow')::integer);
select test.sign_out();
alter table public.notes drop constraint notes_pkey;
select test.keep('before', pg_temp.runs());
insert into public.notes (id) values (604);
select is(pg_temp.runs(), test.kept('before')::bigint + 1, 'inserts need no primary key');
select private.start_flow_on_rows('public.notes', '{update}', test.kept('flow')::integer, null, 'change', 'statement');
update public.notes set text = 'b' where id in (1, 3);
select is(
  inputs #> '{M,change,M,rows,A,1,M,old_row}', '{"N": 0}', 'without a primary key a statement has no old rows'
) from public.flow_run order by id desc limit 1;
drop table public.notes;
select private.sweep_runner(null);
select is(
  array_agg(distinct (is_active, last_error)::text), '{"(f,\"row_start_invalid: The table or its trigger was dropped.\")"}',
  'a dropped table ends its row starts'
) from public.flow_row_starts;
select test.sign_in(test.user_id('owner'));
select is(count(*), 2::bigint, 'the owner still sees them') from public.flow_row_starts;

select * from finish();
