select plan(2);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
update public.flows set name = 'Shop', description = 'P' || repeat('x', 19999) where id = test.kept('flow')::integer;
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flows set name = 'Closed', description = '' where true;

select is(d.name, 'Shop', 'the name is kept') from public.flow_deployments as d;
select is(d.description, 'P' || repeat('x', 1999), 'the description is cut to its first 2,000 characters') from public.flow_deployments as d;

select * from finish();
