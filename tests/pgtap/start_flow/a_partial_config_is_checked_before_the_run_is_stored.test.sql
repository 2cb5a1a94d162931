select plan(16);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('a', 'note'))));
select test.sign_in(test.user_id('owner'));

create function pg_temp.refusal(config jsonb) returns text language sql volatile as $$
  select format('%s %s', e.error ->> 'code', e.error ->> 'message')
  from (select test.error(format('select public.start_flow(%s, partial_config => %L)', test.kept('flow'), config))) as e (error);
$$;
create function pg_temp.only_a(values_config jsonb) returns jsonb language sql stable as $$
  select jsonb_build_object('only_nodes', jsonb_build_array(test.node_id('a')), 'values_config', values_config);
$$;
select matches(pg_temp.refusal(config), '^partial_config_invalid partial_config' || path, format('refused: %s', left(config::text, 60)))
from (values
  ('[]'::jsonb, ': must be \{only_nodes'),
  ('7', ': must be \{only_nodes'),
  ('{}', '\.only_nodes: must be a list'),
  ('{"only_nodes": null}', '\.only_nodes: must be a list'),
  ('{"only_nodes": "a"}', '\.only_nodes: must be a list'),
  ('{"only_nodes": [7]}', '\.only_nodes: must be a list'),
  ('{"only_nodes": ["a"], "other": 1}', ': must be \{only_nodes'),
  ('{"only_nodes": ["no node"]}', '\.only_nodes: the flow has no node no node\.'),
  (pg_temp.only_a('7'), '\.values_config: must be'),
  (pg_temp.only_a('{"other": {}}'), '\.values_config: must be'),
  (pg_temp.only_a('{"nodes": {"a": 7}}'), '\.values_config\.nodes: must be'),
  (pg_temp.only_a('{"nodes": {"b": "x"}}'), '\.values_config\.nodes: the flow has no node b'),
  (pg_temp.only_a('{"default_run_id": 7}'), '\.values_config\.default_run_id: must be'),
  (pg_temp.only_a('{"inline": {"b": {}}}'), '\.values_config\.inline: the flow has no node b')
) as refused (config, path);
select matches(
  pg_temp.refusal(pg_temp.only_a('{"inline": {"a": {"x": {"U": 7}}}}')),
  '^inputs_invalid partial_config\.values_config\.inline\.a\.M\.x\.U: must be a string', 'values given by hand are tagged values'
);
select test.sign_out();
select is((select count(*) from public.flow_run), 0::bigint, 'a refused start stores no run');

select * from finish();
