select plan(6);

select test.create_user('owner');
select test.create_user('other');

select test.sign_in(test.user_id('owner'));
select is(test.error($$ insert into public.flows (name) values ('mine') $$), null, 'a user inserts without naming themselves');

select test.sign_in(test.user_id('other'), is_anonymous => true);
select is(test.error($$ insert into public.flows (name) values ('theirs') $$), null, 'so does an anonymous sign-in');
select is(
  test.error_code($$ insert into public.flows (user_id, name) values (test.user_id('owner'), 'foisted') $$), '42501',
  'a flow for another user is refused'
);
select is(
  test.error_code($$ update public.flows set user_id = test.user_id('owner') $$), 'column_read_only',
  'nor can a flow be given away later'
);

select test.sign_in_as_role('service_role');
select is(
  test.error_code($$ insert into public.flows (name) values ('nobody''s') $$), '23502',
  'the service role is nobody: it has to name the user'
);

select test.sign_out();
select results_eq(
  'select name, user_id from public.flows order by id',
  $$ values ('mine', test.user_id('owner')), ('theirs', test.user_id('other')) $$,
  'each flow belongs to whom it was inserted by'
);

select * from finish();
