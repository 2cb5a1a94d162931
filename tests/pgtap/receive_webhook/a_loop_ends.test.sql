select plan(19);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('push')));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.keep('token', right(public.create_webhook('push', test.kept('flow')::integer) ->> 'url', 46));
update public.flow_deployments set on_end = '{"url": "https://example.com", "events": ["stopped"]}' where true;
select test.sign_out();

create function pg_temp.receive(depth text) returns jsonb language plpgsql volatile set search_path = '' as $$
declare
  v_answer jsonb;
begin
  perform test.sign_in_as_role('anon');
  perform set_config('response.status', '', true);
  v_answer := public.receive_webhook(test.kept('token'), '{}', jsonb_strip_nulls(jsonb_build_object('flow-chain-depth', receive.depth)));
  perform test.sign_out();
  return v_answer;
end;
$$;
create function pg_temp.depth(depth text) returns integer language plpgsql volatile as $$
declare
  v_run_id uuid := pg_temp.receive(depth.depth) ->> 'flow_run_id';
begin
  return (select j.chain_depth from private.flow_run_jobs as j where j.flow_run_id = v_run_id);
end;
$$;
select is(pg_temp.depth(given), depth, format('%L', given))
from (values (null, 0), ('1', 1), ('16', 16), ('-3', 3), ('', 0), ('none', 0), ('1, 1', 1), ('3, 16,2', 16), ('0016', 16)) as v (given, depth);

select is(pg_temp.receive('17') - 'hint', '{"code": "webhook_loop", "message": "17 runs have started one another by webhooks: it seems to be a loop.", "details": null}', 'the 17th run of a chain is refused');
select is(current_setting('response.status'), '409', 'the response has the status 409');
select is(pg_temp.receive(given) ->> 'code', 'webhook_loop', format('%L is beyond it', given))
from (values ('16, 17'), ('17,1'), ('1e100'), ('999999999999999999999'), ('0, x17y')) as v (given);

select private.end_flow_run(flow_run_id, 'stopped') from private.flow_run_jobs where chain_depth = 16;
select is(headers ->> 'flow-chain-depth', '17', 'messages about the run have the next number') from public.claim_webhook_deliveries(10, 60);

select * from finish();
