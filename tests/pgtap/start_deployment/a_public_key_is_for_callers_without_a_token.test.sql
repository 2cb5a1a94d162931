select plan(10);

select test.create_user('owner');
select test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
update public.flow_deployments set start_permission = 'Anonymous' where true;
select test.keep('start', $$ select public.start_deployment(id => test.kept('deployment')::uuid, public_key => %L) $$::text);
select test.sign_out();
create temporary view starters as select started_by, started_by_public_key from public.flow_run order by id desc limit 1;

select test.sign_in_as_role('anon');
select is(test.error(format(test.kept('start'), 'So11111111111111111111111111111111111111112')), null, 'a caller with a public key starts the deployment');
select test.sign_out();
select results_eq(
  'select * from starters', $$ values (null::uuid, 'So11111111111111111111111111111111111111112') $$, 'the run keeps the key that was shown'
);

select test.sign_in(test.user_id('other'));
select is(test.error(format(test.kept('start'), 'So11111111111111111111111111111111111111112')), null, 'a user may send a public key, too');
select test.sign_out();
select results_eq('select * from starters', $$ values (test.user_id('other'), null::text) $$, 'if the caller is a user, the run has the user and not the public key');

select test.sign_in_as_role('anon');
select is(
  test.error(format(test.kept('start'), value)) - 'message', '{"code": "public_key_invalid", "status": 400, "details": null, "hint": null}',
  format('"%s" is refused', value)
)
from (values (''), ('no key'), ('1111111111111111111111111111111'), ('111111111111111111111111111111111')) as bad (value);

select test.sign_out();
select is(count(*), 2::bigint, 'a bad public key starts no run') from public.flow_run;

-- A start recognises keys of 44 digits without calling the function that checks keys. For the smallest and greatest of
-- these keys, the start and the function must agree.
create temporary table texts as
select edge.text, test.error_code(format(test.kept('start'), edge.text)) as code
from (values
  ('JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG'), ('JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH'),
  ('14uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofL'), ('14uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'),
  ('2' || repeat('1', 43)), ('1' || repeat('z', 43)), (repeat('1', 44)), ('zz' || repeat('1', 42)),
  ('20' || repeat('1', 42)), ('2' || repeat('1', 42) || 'l'), ('2' || repeat('1', 42) || 'é'), ('2' || repeat('1', 42)),
  ('2' || repeat('1', 44))
) as edge (text)
where set_config('request.jwt.claims', '{"role": "anon"}', true) is not null;
select bag_eq(
  'select t.text, t.code from texts as t',
  $$ select t.text, case when not private.is_public_key(t.text) then 'public_key_invalid' end from texts as t $$,
  'keys that the check refuses start no run, and the others start one'
);

select * from finish();
