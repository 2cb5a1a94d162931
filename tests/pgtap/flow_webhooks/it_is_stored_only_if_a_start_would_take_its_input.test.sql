select plan(9);

select test.create_user('owner'), test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('push')));
create function pg_temp.refusal(arguments text) returns jsonb language sql volatile set search_path = '' as $$
  select test.error(format('select public.create_webhook(%s)', replace(refusal.arguments, 'FLOW', 'flow => ' || test.kept('flow'))));
$$;

select is(pg_temp.refusal($$ 'push', FLOW $$) ->> 'message', format('Flow %s has no deployment with the tag latest.', test.kept('flow')), 'a flow that was never deployed is refused');
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select is(pg_temp.refusal($$ 'push', FLOW, tag => 'satble' $$) - 'details', jsonb_build_object(
  'code', 'deployment_not_found', 'status', 404, 'message', format('Flow %s has no deployment with the tag satble.', test.kept('flow')),
  'hint', 'Deploy the flow, or give one of its deployments this tag.'
), 'a tag that the flow does not have is refused');
select is(pg_temp.refusal($$ 'psuh', FLOW $$), test.error(format(
  $$ select public.start_deployment('%s', inputs => '{"psuh": {"S": "x"}}') $$, test.kept('deployment')
)), 'an input that the flow does not have gets the error of a start');
select is(pg_temp.refusal(format($$ 'psuh', deployment_id => '%s' $$, test.kept('deployment'))) ->> 'message',
  'inputs: the flow has no input "psuh"; it has "push".', 'an input that the given deployment does not have is refused');

select public.create_webhook('push', test.kept('flow')::integer);
select is(test.error_code(format('update public.flow_webhooks set %s where true', change)), code, change)
from (values ('tag = ''satble''', 'deployment_not_found'), ('input = ''psuh''', 'inputs_invalid')) as changes (change, code);
update public.flows set nodes = test.inputs('event') where id = test.kept('flow')::integer;
select test.deploy(test.kept('flow')::integer);
select lives_ok('update public.flow_webhooks set is_active = false, input = input, headers = ''{x}'' where true', 'columns that do not change are not checked again');
select lives_ok('update public.flow_webhooks set input = ''event'' where true', 'after a correction, the present deployment counts');

select test.sign_in(test.user_id('other'));
select is(pg_temp.refusal($$ 'psuh', FLOW, tag => 'satble' $$), test.error('select public.create_webhook(''push'', 2147483647)'),
  'a flow of another user counts as missing');

select * from finish();
