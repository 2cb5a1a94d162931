select plan(11);

select test.create_user('owner'), test.create_user('stranger');
select test.keep('flow', test.create_flow(test.user_id('owner'), (
  select jsonb_agg(test.node(name, 'note')) from unnest('{a,b,c,d,e,f,g,h,i,j,k,l}'::text[]) as name
)));
select test.keep('other_flow', test.create_flow(test.user_id('owner')));
select test.keep('foreign_flow', test.create_flow(test.user_id('stranger')));

create function pg_temp.start(person text, flow text, ended boolean default true) returns uuid language plpgsql volatile as $$
declare
  v_id uuid;
begin
  perform test.sign_in(test.user_id(person));
  v_id := public.start_flow(test.kept(flow)::integer) ->> 'flow_run_id';
  perform test.sign_out();
  if ended then
    perform private.end_flow_run(v_id, 'failed', errors => '{x}');
  end if;
  return v_id;
end;
$$;
select test.keep('ended', pg_temp.start('owner', 'flow'));
select test.keep('open', pg_temp.start('owner', 'flow', ended => false));
select test.keep('other', pg_temp.start('owner', 'other_flow'));
select test.keep('foreign', pg_temp.start('stranger', 'foreign_flow'));
select test.keep('called', gen_random_uuid());
insert into public.flow_run (
  id, user_id, flow_id, inputs, chain_network, parent_flow_run_id, parent_node_id, parent_times
)
select test.kept('called')::uuid, r.user_id, r.flow_id, '{"M": {}}', r.chain_network, r.id, gen_random_uuid(), 0
from public.flow_run as r where r.id = test.kept('ended')::uuid;
select test.keep('none', gen_random_uuid());

create function pg_temp.refusal(values_config jsonb) returns text language sql volatile as $$
  select format('%s: %s', e.error ->> 'status', e.error ->> 'code')
  from (select test.error(format(
    'select public.start_flow(%s, partial_config => %L)', test.kept('flow'),
    jsonb_build_object('only_nodes', jsonb_build_array(test.node_id('a')), 'values_config', values_config)
  ))) as e (error);
$$;
grant execute on function pg_temp.refusal(jsonb) to public;
select test.sign_in(test.user_id('owner'));
select is(
  pg_temp.refusal(jsonb_build_object('default_run_id', test.kept(run))), '404: flow_run_not_found', format('%s run: the same 404', run)
) from unnest('{none,other,foreign,called}'::text[]) as run;
select is(
  pg_temp.refusal('{"default_run_id": "no id of a run"}'), '404: flow_run_not_found', 'a text that is no id gets the same 404'
);
select is(
  pg_temp.refusal(jsonb_build_object('default_run_id', test.kept('open'))), '409: run_not_ended',
  'a run that has not ended is refused, because its outputs may change'
);
select is(
  pg_temp.refusal(jsonb_build_object('default_run_id', test.kept('ended'))), ': ', 'an ended run of this flow is accepted'
);
select is(
  pg_temp.refusal(jsonb_build_object('nodes', jsonb_build_object(test.node_id('a'), test.kept('ended')))),
  '400: partial_config_invalid', 'a run can not be named for a node that runs'
);
select is(
  pg_temp.refusal(jsonb_build_object('nodes', (
    select jsonb_object_agg(test.node_id(name), gen_random_uuid()) from unnest('{b,c,d,e,f,g,h,i,j,k,l}'::text[]) as name
  ))), '400: partial_config_invalid', 'a partial run may name at most ten runs'
);

select test.sign_out();
select test.keep('edges', test.create_flow(
  test.user_id('owner'),
  jsonb_build_array(test.node('a', 'print', '{}', '{print}'), test.node('b', 'note', '{out}')),
  jsonb_build_array(test.edge('b', 'out', 'a', 'print'))
));
select test.keep('source', pg_temp.start('owner', 'edges'));
create function pg_temp.start_again() returns text language sql volatile as $$
  select public.start_flow(test.kept('edges')::integer, idempotency_key => 'again', partial_config => jsonb_build_object(
    'only_nodes', jsonb_build_array(test.node_id('a')), 'values_config', jsonb_build_object('default_run_id', upper(test.kept('source')))
  )) ->> 'flow_run_id';
$$;
grant execute on function pg_temp.start_again() to public;
select test.sign_in(test.user_id('owner'));
select test.keep('started', pg_temp.start_again());
select test.sign_out();
select is(
  (select j.settings #> '{partial_config,runs}' from private.flow_run_jobs as j where j.flow_run_id = test.kept('started')::uuid),
  jsonb_build_object(test.node_id('b'), test.kept('source')), 'an id in upper case is stored as the runner reads it'
);
delete from public.flow_run where id = test.kept('source')::uuid;
select test.sign_in(test.user_id('owner'));
select is(pg_temp.start_again(), test.kept('started'), 'a repeated start returns its run, even if the run that it names was deleted');

select * from finish();
