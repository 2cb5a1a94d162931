select plan(4);

select test.create_user('owner');
select test.create_user('starter');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112', 'ADAPTER');
select test.create_wallet(test.user_id('starter'), 'SysvarC1ock11111111111111111111111111111111', 'ADAPTER');

-- Makes a run with this starter, and lets the run ask for a signature by this key. Returns the user who is asked.
create function pg_temp.asked(started_by uuid, pubkey text) returns text language plpgsql as $$
declare
  v_run_id uuid := test.create_run(test.kept('flow')::integer, asked.started_by);
begin
  update public.flow_run as r set status = 'running', start_time = now() where r.id = v_run_id;
  insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings, claim_number)
  values (v_run_id, test.user_id('owner'), test.take_snapshot(test.kept('flow')::integer), '{"chain_network": {"url": "https://rpc.example.com"}}', 1);
  perform test.ask(v_run_id, test.request(asked.pubkey));
  return (select split_part(u.email, '@', 1) from public.signature_requests as s join auth.users as u on u.id = s.user_id where s.flow_run_id = v_run_id);
end;
$$;

select is(pg_temp.asked(test.user_id('starter'), 'So11111111111111111111111111111111111111112'), 'owner', 'the owner is asked for the key of one of the owner''s wallets');
select is(pg_temp.asked(test.user_id('starter'), 'SysvarC1ock11111111111111111111111111111111'), 'starter', 'any other key is asked of the starter of the run');
select is(pg_temp.asked(null, 'SysvarC1ock11111111111111111111111111111111'), null, 'if the starter sent only a public key, no user is asked');
select is(pg_temp.asked(null, 'So11111111111111111111111111111111111111112'), 'owner', 'a run without a starting user may ask for the owner''s key, too');

select * from finish();
