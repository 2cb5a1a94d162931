select plan(6);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_out();

select is(
  test.error(format('update private.flow_run_jobs set state = %L, due_at = %L where true', state, case when is_given then null else now() end))
    ->> 'constraint',
  'flow_run_jobs_due_at_given', format('due_at is %s if the state is %s', case when is_given then 'given' else 'null' end, state)
)
from (
  values ('ready', false), ('ended', false), ('held', true), ('lost', true), ('sleeping', true), ('waiting', true)
) as s (state, is_given);

select * from finish();
