select plan(27);

select test.create_user('owner');
select test.create_user('other');
insert into public.kv_stores (user_id, name) values (test.user_id('owner'), 'mine'), (test.user_id('other'), 'theirs');
select test.keep('run', test.claimed_run(test.user_id('owner')));
select test.keep('effect', test.begin_node(test.kept('run')::uuid, 'a'));
select test.keep('foreign', test.begin_node(test.claimed_run(test.user_id('other')), 'a'));

create function pg_temp.statements(claim_number integer, effect text default 'effect') returns table (title text, statement text) language sql as $$
  select v.title, format(v.call, jsonb_build_object('flow_run_id', test.kept('run'), 'claim_number', statements.claim_number), test.kept(effect))
  from (values
    ('create', 'select public.kv_create_store(%L, %L, ''new'')'),
    ('delete', 'select public.kv_delete_store(%L, %L, ''mine'')'),
    ('write', 'select public.kv_write_item(%L, %L, ''mine'', ''key'', ''{"N": 0}'')'),
    ('read', 'select public.kv_read_item(%1$L, ''mine'', ''key'')')
  ) as v (title, call);
$$;
grant execute on function pg_temp.statements(integer, text) to public;

select test.sign_in(test.user_id('owner'));
select is(test.error_code(statement), '42501', format('a user may not %s', title)) from pg_temp.statements(1);
select test.sign_in_as_role('anon');
select is(test.error_code(statement), '42501', format('anon may not %s', title)) from pg_temp.statements(1);

select test.sign_in_as_role('service_role');
select is(test.error_code(statement), 'claim_lost', format('claim 0 can''t %s', title)) from pg_temp.statements(0);
select is(test.error_code(statement), 'claim_lost', format('claim 2, which nobody has, can''t %s', title)) from pg_temp.statements(2);
select is(test.error_code(statement), 'claim_lost', format('no claim can''t %s', title)) from pg_temp.statements(null);
select is(test.error_code(statement), 'internal', format('a claim can''t %s in the name of another user''s node run', title))
from pg_temp.statements(1, 'foreign') where title <> 'read';
select is(
  test.error(replace(statement, test.node_id('a')::text, test.node_id('b')::text)),
  '{"code": "internal", "status": 500, "message": "The node run that makes this change is not stored.", "details": null, "hint": null}',
  'a node run that is not stored makes no change'
)
from pg_temp.statements(1) where title = 'write';
select is(test.error_code(statement), null, 'the newest claim can read') from pg_temp.statements(1) where title = 'read';

select test.sign_out();
select private.end_flow_run(test.kept('run')::uuid, 'stopped');
select test.sign_in_as_role('service_role');
select is(array_agg(distinct test.error_code(statement)), '{claim_lost}', 'a run that has ended changes nothing') from pg_temp.statements(1);
select results_eq('select name from public.kv_stores order by name', $$ values ('mine'), ('theirs') $$, 'the refused calls have changed nothing');

select * from finish();
