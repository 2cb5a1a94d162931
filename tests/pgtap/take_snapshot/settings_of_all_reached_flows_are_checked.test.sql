select plan(6);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('called', test.create_flow(test.user_id('owner')));
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('call', 'interflow', form_data => jsonb_build_object('id', test.kept('called')::integer))
)));
select is(test.error_code(format('select public.deploy_flow(%s)', test.kept('flow'))), null, 'two flows without settings are deployed');

update public.flows as f set environment = '{"PRIORITY_FEE": "much"}' where f.id = test.kept('called')::integer;
update public.flows as f set environment = '{"OVERWRITE_FEEPAYER": "11111111111111111111111111111111"}' where f.id = test.kept('flow')::integer;
select is(
  test.error(format('select public.deploy_flow(%s)', test.kept('flow'))) - 'hint',
  jsonb_build_object(
    'code', 'flow_invalid', 'status', 422, 'message', 'The flow can''t run: OVERWRITE_FEEPAYER must be the public key of one of your HARDCODED wallets: none of them has this key.', 'details', jsonb_build_array(
      jsonb_build_object('flow_id', test.kept('flow')::integer, 'code', 'environment_wallet_unknown', 'path', 'environment.OVERWRITE_FEEPAYER', 'message', 'OVERWRITE_FEEPAYER must be the public key of one of your HARDCODED wallets: none of them has this key'),
      jsonb_build_object('flow_id', test.kept('called')::integer, 'code', 'environment_value_invalid', 'path', 'environment.PRIORITY_FEE', 'message', 'PRIORITY_FEE must be auto, no or an integer from 0 to 2^64-1')
    )
  ),
  'a deploy refuses faults in the settings of the flow and of called flows'
);
select is(
  test.error(format('select public.start_flow(%s)', test.kept('flow'))), test.error(format('select public.deploy_flow(%s)', test.kept('flow'))),
  'a start of the flow refuses the same faults'
);
select is(count(*), 1::bigint, 'nothing was stored') from public.flow_deployments;
select is(count(*), 0::bigint, 'a refused start makes no run') from public.flow_run;

select test.sign_out();
select test.create_wallet(test.user_id('owner'), '11111111111111111111111111111111');
select test.sign_in(test.user_id('owner'));
update public.flows as f set environment = '{"PRIORITY_FEE": "100"}' where f.id = test.kept('called')::integer;
select is(test.error_code(format('select public.deploy_flow(%s)', test.kept('flow'))), null, 'corrected settings are deployed');

select * from finish();
