-- In JSON, 5000, 5000.0 and 5e3 are the same number, and clients use all three. The runner accepts only digits.
select plan(3);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));

create temporary table amounts (position integer, amount text, is_taken boolean);
insert into amounts values (1, '5000', null), (2, '5e3', null), (3, '5000.0', null);
update amounts set is_taken = test.error(format(
  $$ update public.flow_deployments set fees = '[["11111111111111111111111111111111", %s]]' where true $$, amount
)) is null where true;
create function pg_temp.reached(amount text) returns text language plpgsql as $$
begin
  execute format('update public.flow_deployments set fees = ''[["11111111111111111111111111111111", %s]]'' where true', amount);
  perform test.sign_in(test.user_id('owner'));
  perform public.start_deployment(id => test.kept('deployment')::uuid);
  perform test.sign_in_as_role('service_role');
  return (select settings #>> '{fees,0,1}' from public.claim_flow_runs(1, 60));
end;
$$;

select test.sign_out();
select is(case when is_taken then pg_temp.reached(amount) else '5000' end, '5000', amount || ' is refused, or reaches the runner as 5000')
from amounts order by position;

select * from finish();
