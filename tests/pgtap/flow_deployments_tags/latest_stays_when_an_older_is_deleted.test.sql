select plan(3);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('neighbour', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('d' || n, test.deploy(test.kept('flow')::integer)) from generate_series(1, 3) as n;
select test.keep('other', test.deploy(test.kept('neighbour')::integer));
update public.flow_deployments_tags set description = 'What runs now' where entrypoint = test.kept('flow')::integer;

create temporary view latest with (security_invoker = true) as
  select deployment_id, description from public.flow_deployments_tags
  where tag = 'latest' and entrypoint = test.kept('flow')::integer;
select test.keep('expected', $$ values (test.kept('d3')::uuid, 'What runs now') $$::text);

delete from public.flow_deployments where id = test.kept('d2')::uuid;
select results_eq('select * from latest', test.kept('expected'), 'latest stays when the deployment before it is deleted');

delete from public.flow_deployments where id = test.kept('d1')::uuid;
select results_eq('select * from latest', test.kept('expected'), 'latest stays when it names the only deployment that is left');

delete from public.flow_deployments where id = test.kept('other')::uuid;
select results_eq('select * from latest', test.kept('expected'), 'latest stays when a newer deployment of another flow is deleted');

select * from finish();
