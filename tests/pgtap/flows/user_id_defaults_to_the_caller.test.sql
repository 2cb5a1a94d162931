select plan(6);

select test.create_user('owner');
select test.create_user('other');

select test.sign_in(test.user_id('owner'));
select is(test.error($$ insert into public.flows (name) values ('mine') $$), null, 'a user can insert without user_id');

select test.sign_in(test.user_id('other'), is_anonymous => true);
select is(test.error($$ insert into public.flows (name) values ('theirs') $$), null, 'an anonymous sign-in can insert without user_id');
select is(
  test.error_code($$ insert into public.flows (user_id, name) values (test.user_id('owner'), 'foisted') $$), '42501',
  'a flow for another user is refused'
);
select is(
  test.error_code($$ update public.flows set user_id = test.user_id('owner') $$), 'column_read_only',
  'a flow can not be given to another user later'
);

select test.sign_in_as_role('service_role');
select is(
  test.error_code($$ insert into public.flows (name) values ('nobody''s') $$), '23502',
  'the service role must give a user_id'
);

select test.sign_out();
select results_eq(
  'select name, user_id from public.flows order by id',
  $$ values ('mine', test.user_id('owner')), ('theirs', test.user_id('other')) $$,
  'each flow belongs to the user who inserted it'
);

select * from finish();
