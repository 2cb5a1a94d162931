select plan(16);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
-- Make the flow public, because users who may read it must still not be able to write it.
update public.flows set is_public = true where id = test.kept('flow')::integer;

select test.sign_in(test.user_id('owner'));
select is(
  test.row_count($$ update public.flows set name = 'owner' where id = test.kept('flow')::integer $$), 1::bigint, 'the owner can update a flow'
);
select is(
  test.row_count($$ insert into public.flows (user_id) values (test.user_id('owner')) $$), 1::bigint, 'the owner can insert a flow'
);
select is(
  test.row_count($$ delete from public.flows where id <> test.kept('flow')::integer $$), 1::bigint,
  'the owner deletes the inserted flow'
);

select test.sign_in(test.user_id('other'));
select is(test.row_count($$ select from public.public_flows $$), 1::bigint, 'another user sees the flow');
select is(test.row_count($$ update public.flows set name = 'other' $$), 0::bigint, 'another user updates nothing');
select is(test.row_count($$ delete from public.flows $$), 0::bigint, 'another user deletes nothing');
select is(
  test.error_code($$ insert into public.flows (user_id) values (test.user_id('owner')) $$), '42501',
  'another user inserts no flow for the owner'
);

select test.sign_in_as_role('anon');
select is(test.error_code($$ update public.flows set name = 'anon' $$), '42501', 'anon may not update flows');
select is(test.error_code($$ delete from public.flows $$), '42501', 'anon may not delete flows');
select is(
  test.error_code($$ insert into public.flows (user_id) values (test.user_id('owner')) $$), '42501', 'anon may not insert flows'
);
select is(test.error_code('truncate public.flows'), '42501', 'anon may not truncate the table');

select test.sign_in_as_role('service_role');
select is(test.error_code('truncate public.flows cascade'), '42501', 'the service role may not truncate the table');
select is(
  test.row_count($$ select from public.flows where name = 'owner' $$), 1::bigint, 'only the owner has changed the flow'
);
select is(test.row_count($$ update public.flows set name = 'service' $$), 1::bigint, 'the service role updates flows');
select is(
  test.row_count($$ insert into public.flows (user_id) values (test.user_id('other')) $$), 1::bigint,
  'the service role inserts flows for any user'
);
select is(test.row_count($$ delete from public.flows where true $$), 2::bigint, 'the service role deletes flows');

select * from finish();
