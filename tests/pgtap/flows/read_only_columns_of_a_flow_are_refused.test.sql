select plan(9);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));

select test.sign_in(test.user_id('owner'));
select is(
  test.error('update public.flows set user_id = user_id, created_at = created_at, name = ''written whole'''), null,
  'a write that sends unchanged read-only columns is accepted'
);
select is(
  test.error($$ update public.flows set created_at = created_at + interval '1 microsecond' $$) - 'message',
  '{"code": "column_read_only", "status": 400, "details": null, "hint": null}', 'created_at can''t be changed'
);
select is(
  test.error_code($$ update public.flows set user_id = test.user_id('other') $$), 'column_read_only', 'user_id can''t be changed'
);
select is(test.error_code('update public.flows set id = id + 1'), '428C9', 'id can''t be changed');
select is(
  test.error_code('insert into public.flows (id) values (1000)'), '428C9', 'a client can not choose the id of a flow'
);

select test.sign_in_as_role('service_role');
select is(
  test.error($$ update public.flows set created_at = created_at, name = 'service' $$), null,
  'a write of the service role that changes no read-only column is accepted'
);
select is(
  test.error_code($$ update public.flows set created_at = now() + interval '1 day' $$), 'column_read_only',
  'created_at can''t be changed by the service role either'
);
select is(
  test.error_code($$ update public.flows set user_id = test.user_id('other') $$), 'column_read_only',
  'user_id can''t be changed by the service role either'
);

select results_eq(
  'select user_id, created_at = now(), name from public.flows', $$ values (test.user_id('owner'), true, 'service') $$,
  'only the accepted writes have changed the flow'
);

select * from finish();
