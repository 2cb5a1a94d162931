select plan(9);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));

create temporary table cases (is_public boolean, start_shared boolean, start_unverified boolean, start_permission text, flow_id integer);
insert into cases values
  (false, false, false, 'Owner'),
  (false, false, true, 'Owner'),
  (false, true, false, 'Owner'),
  (false, true, true, 'Owner'),
  (true, false, false, 'Owner'),
  (true, false, true, 'Owner'),
  (true, true, false, 'Authenticated'),
  (true, true, true, 'Anonymous');
update cases set flow_id = test.create_flow(test.user_id('owner')) where true;
update public.flows as f
set is_public = c.is_public, start_shared = c.start_shared, start_unverified = c.start_unverified
from cases as c where f.id = c.flow_id;
select test.deploy(flow_id) from cases;

select is(
  d.start_permission, c.start_permission,
  format('public %s, shared %s, unverified %s gives %s', c.is_public, c.start_shared, c.start_unverified, c.start_permission)
)
from cases as c join public.flow_deployments as d on d.entrypoint = c.flow_id order by c.flow_id;

update public.flows set is_public = not is_public where true;
select results_eq(
  'select start_permission from public.flow_deployments order by entrypoint', 'select start_permission from cases order by flow_id',
  'later changes of the flow do not change the deployment'
);

select * from finish();
