select plan(22);

select test.create_user('owner'), test.create_user('writer');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('change')));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.sign_out();
-- The names of the columns are names that the trigger function uses itself.
create table public.notes (id integer, n text, r numeric, v_key text, row text, primary key (id));
grant select, insert, update, delete on public.notes to authenticated;
select test.keep('start', private.start_flow_on_rows('public.notes', '{insert,update,delete}', test.kept('flow')::integer, null, 'change'));
select test.keep('watching', private.start_flow_on_rows(
  'public.notes', '{update}', test.kept('flow')::integer, null, 'change', columns => '{n,r}'
));
select test.keep('counting', private.start_flow_on_rows(
  'public.notes', '{insert,update}', test.kept('flow')::integer, null, 'change', 'statement'
));

-- The changes that a row start has turned into runs since the last call.
create function pg_temp.changes(start text) returns setof jsonb language plpgsql volatile as $$
begin
  return query select r.inputs #> '{M,change}' from public.flow_run as r
    where r.row_start_id = test.kept(changes.start)::uuid order by r.id;
  delete from private.flow_run_jobs where flow_run_id in (select id from public.flow_run where row_start_id = test.kept(changes.start)::uuid);
  delete from public.flow_run where row_start_id = test.kept(changes.start)::uuid;
end;
$$;

select test.sign_in(test.user_id('writer'));
insert into public.notes (id, n, r) values (1, 'first', 1.50), (2, 'second', null);
select test.sign_out();
select is(count(*), 2::bigint, 'each row starts a run') from public.flow_run where row_start_id = test.kept('start')::uuid;
select is(
  array_agg(distinct array[r.user_id, r.started_by, r.deployment_id]),
  array[array[test.user_id('owner'), test.user_id('owner'), test.kept('deployment')::uuid]], 'the owner of the flow starts the run'
) from public.flow_run as r where r.row_start_id = test.kept('start')::uuid;
select is(
  r.inputs, private.inputs_of_start(
    (select d from public.flow_deployments as d where d.id = test.kept('deployment')::uuid), '{}',
    jsonb_build_object('change', jsonb_build_object(
      'operation', 'insert', 'schema', 'public', 'table', 'notes', 'user_id', test.user_id('writer'),
      'row', '{"id": 1, "n": "first", "r": 1.50, "v_key": null, "row": null}'::jsonb, 'old_row', null
    ))
  ), 'the input gets the change as plain JSON'
) from (
  select q.inputs -> 'M' as inputs from public.flow_run as q where q.row_start_id = test.kept('start')::uuid order by q.id limit 1
) as r;
select is(count(*), 2::bigint, 'inserts start the flow') from pg_temp.changes('start');
select is(jsonb_array_length(c #> '{M,rows,A}'), 2, 'a statement starts one run with all its rows') from pg_temp.changes('counting') as c;
select is_empty('select pg_temp.changes(''watching'')', 'a row start for updates ignores inserts');

update public.notes set n = 'changed', id = id where id = 1;
select is(c #>> '{M,row,M,n,S}', 'changed', 'an update gives the new row') from pg_temp.changes('start') as c;
select is(c #>> '{M,old_row,M,n,S}', 'first', 'an update gives the old row') from pg_temp.changes('watching') as c;
select is(c #>> '{M,rows,A,0,M,old_row,M,n,S}', 'first', 'a statement gives pairs of rows') from pg_temp.changes('counting') as c;

update public.notes set v_key = 'x', r = case id when 1 then 1.5 end, n = case id when 2 then 'new' else n end where true;
select is(array_agg(c #>> '{M,row,M,id,U}'), '{2}', 'only rows with a change in the columns start the flow') from pg_temp.changes('watching') as c;
select is(array_agg(c #>> '{M,row,M,id,U}' order by c), '{1,2}', 'without columns each updated row starts the flow') from pg_temp.changes('start') as c;
update public.notes set n = n where true;
select is_empty('select pg_temp.changes(''watching'')', 'an update that changes no value starts nothing');
select is(count(*), 2::bigint, 'without columns such an update starts the flow') from pg_temp.changes('start');
update public.notes set id = 3 where id = 2;
select is(c #> '{M,old_row}', '{"N": 0}', 'the old row is unknown if the primary key changes') from pg_temp.changes('start') as c;
update public.notes set n = '' where false;
select is_empty('select pg_temp.changes(''start'')', 'a statement that changes no row starts nothing');

delete from public.notes where id = 3;
select is(c #>> '{M,old_row,M,n,S}', 'new', 'a delete gives the old row') from pg_temp.changes('start') as c;

select test.sign_in(test.user_id('writer'));
select is_empty('select from public.flow_run', 'the writer does not see the runs');
select test.sign_out();
insert into public.notes (id) values (4);
select is(c #> '{M,user_id}', '{"N": 0}', 'without a user, user_id is null') from pg_temp.changes('start') as c;

select pg_temp.changes(start) from unnest('{watching,start,counting}'::text[]) as start;
alter table public.notes rename column n to m;
update public.notes set m = 'renamed' where id = 4;
select is_empty('select pg_temp.changes(''watching'')', 'without its column a row start starts nothing');
select is(last_error, 'row_start_invalid: columns: public.notes has no column "n".', 'the missing column is recorded')
from public.flow_row_starts where id = test.kept('watching')::uuid;
select is(c #>> '{M,row,M,m,S}', 'renamed', 'the row has the present names of the columns') from pg_temp.changes('start') as c;

select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.kept('deployment')::uuid);
insert into public.notes (id) values (5);
select is(
  public.find_flow_runs(starter => 'row_start') #>> '{runs,0,row_start_id}', r.row_start_id::text, 'find_flow_runs finds runs by this kind of starter'
) from public.flow_run as r where r.row_start_id is not null order by r.id desc limit 1;

select * from finish();
