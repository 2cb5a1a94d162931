select plan(8);

select test.create_user('owner');
select test.create_user('other');
select test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112');
select test.keep('flow', test.create_flow(
  test.user_id('owner'),
  jsonb_build_array(
    test.node('in', 'flow_input', '{out}', '{}', '{"label": "a", "form_label": 1.50}'),
    test.node('secret', 'const', '{out}', '{}', '{"type": "String", "value": {"S": "hidden"}}'),
    test.node('script', 'rhai_script_1x1', '{u}', '{source,a}', '{"source": "hidden"}'), test.node('out', 'flow_output', '{}', '{x}', '{"label": "b"}')
  ),
  jsonb_build_array(test.edge('in', 'out', 'script', 'a'), test.edge('script', 'u', 'out', 'x'))
));
update public.flows set name = 'Shop', description = 'Pays.', environment = '{"KEY": "hidden"}' where true;
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments
set start_permission = 'Authenticated', action_identity = 'So11111111111111111111111111111111111111112', icon_url = 'https://a.example/i.png',
  fees = '[["11111111111111111111111111111111", 18446744073709551615]]',
  chain_network = '{"url": "https://rpc.example.com/?key=hidden", "cluster": "testnet"}'
where true;
select test.keep('created_at', created_at) from public.flow_deployments;
-- Edit the flow after the deploy: what callers read must not change.
update public.flows set name = 'Closed', nodes = '[]', edges = '[]' where true;

select test.sign_in(test.user_id('other'));
select is(
  public.read_deployment(id => test.kept('deployment')::uuid) - 'created_at',
  jsonb_build_object('deployment_id', test.kept('deployment'), 'flow_id', test.kept('flow')::integer) || '{
    "name": "Shop", "description": "Pays.", "icon_url": "https://a.example/i.png", "start_permission": "Authenticated",
    "output_instructions": false, "action_identity": "So11111111111111111111111111111111111111112",
    "fees": [["11111111111111111111111111111111", 18446744073709551615]], "cluster": "testnet", "uses_solana": true, "node_count": 4,
    "inputs": [{"name": "a", "description": "", "type_bounds": ["free"], "required": false, "default": 1.50, "json_schema": {}}],
    "outputs": [{"name": "b", "type": "free"}]
  }',
  'a caller reads the inputs, outputs and settings of the deployment as they were frozen'
);
select unalike(public.read_deployment(flow => test.kept('flow')::integer)::text, '%hidden%', 'a caller reads nothing else of the flow');
select is(
  (public.read_deployment(id => test.kept('deployment')::uuid) ->> 'created_at')::timestamptz,
  test.kept('created_at')::timestamptz, 'the time is that of the deploy'
);

select test.sign_in(test.user_id('owner'));
update public.flow_deployments set start_permission = 'Owner' where true;
select isnt(public.read_deployment(flow => test.kept('flow')::integer, tag => 'latest'), null, 'the owner can always read the deployment');
select test.sign_in(test.user_id('other'));
select is(
  test.error($$ select public.read_deployment(id => test.kept('deployment')::uuid) $$),
  test.error($$ select public.start_deployment(id => gen_random_uuid()) $$), 'a caller who may not start the deployment gets the error of a start'
);
select is(test.error_code($$ select public.read_deployment() $$), 'start_target_ambiguous', 'the deployment must be named');
select test.sign_in_as_role('anon');
select is(test.error_code($$ select public.read_deployment(flow => test.kept('flow')::integer) $$), 'unauthenticated', 'the caller must have a credential');
select is(
  test.error_code($$ select public.read_deployment(flow => test.kept('flow')::integer, public_key => 'x') $$), 'public_key_invalid', 'the public key must be valid'
);

select * from finish();
