select plan(15);

select test.create_user('owner'), test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('change')));
select test.deploy(test.kept('flow')::integer);
select test.sign_out();
create table public.notes (id serial primary key);
select test.keep('start', private.start_flow_on_rows('public.notes', '{insert,delete}', test.kept('flow')::integer, null, 'change'));
create function pg_temp.starts() returns boolean language plpgsql volatile as $$
declare
  v_before bigint := (select count(*) from public.flow_run);
begin
  insert into public.notes default values;
  return v_before < (select count(*) from public.flow_run);
end;
$$;

select test.sign_in(test.user_id('other'));
select is_empty('select from public.flow_row_starts', 'other users see no row starts');
select is(test.row_count('update public.flow_row_starts set is_active = false where true'), 0::bigint, 'other users pause none');
select is(test.row_count('delete from public.flow_row_starts where true'), 0::bigint, 'other users delete none');
select test.sign_in_as_role('anon');
select is(test.error_code('select from public.flow_row_starts'), '42501', 'anon may not read row starts');
select test.sign_in(test.user_id('owner'));
select is((schema_name, table_name, refused)::text, '(public,notes,0)', 'the owner of the flow sees the row start') from public.flow_row_starts;
select is(test.error_code(format('update public.flow_row_starts set %s where true', change)), 'column_read_only', format('the owner may not change %s', change))
from (values ('refused = 1'), ('tag = ''beta'''), ('user_id = gen_random_uuid()')) as v (change);
update public.flow_row_starts set is_active = false where true;
select test.sign_out();
select ok(not pg_temp.starts(), 'a paused row start starts nothing');
update public.flow_row_starts set is_active = true where true;
select ok(pg_temp.starts(), 'a resumed row start starts runs');

select test.sign_in(test.user_id('owner'));
delete from public.flow_row_starts where true;
select test.sign_out();
select ok(not pg_temp.starts(), 'a deleted row start starts nothing');
select is(private.drop_idle_row_triggers('public.notes'), 2, 'the owner of the table drops the triggers that are left');
select private.start_flow_on_rows('public.notes', '{insert}', test.kept('flow')::integer, null, 'change');
select is(private.drop_idle_row_triggers('public.notes'), 0, 'triggers of row starts stay');
delete from public.flow_deployments where entrypoint = test.kept('flow')::integer;
delete from public.flows where id = test.kept('flow')::integer;
select is_empty('select from public.flow_row_starts', 'a row start is deleted with its flow');
select lives_ok('insert into public.notes default values', 'writes go on without the flow');

select * from finish();
