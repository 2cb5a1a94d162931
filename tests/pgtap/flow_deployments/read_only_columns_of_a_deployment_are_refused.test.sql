select plan(20);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('other_flow', test.create_flow(test.user_id('owner'), nodes => jsonb_build_array(test.node('a', 'x'))));
select test.sign_in(test.user_id('owner'));
select test.deploy(test.kept('flow')::integer);
select test.keep('row', to_jsonb(d)) from public.flow_deployments as d;
select test.sign_out();
select test.keep('other_snapshot', test.take_snapshot(test.kept('other_flow')::integer));

create temporary view attempts as
  select * from (values
    ('id', 'gen_random_uuid()'),
    ('created_at', $$ created_at + interval '1 microsecond' $$),
    ('user_id', $$ test.user_id('other') $$),
    ('entrypoint', $$ test.kept('other_flow')::integer $$),
    ('snapshot_hash', $$ test.kept('other_snapshot')::bytea $$),
    ('input_names', $$ '{forged}'::text[] $$),
    ('typed_inputs', $$ '{}'::jsonb $$)
  ) as attempt (name, value);
grant select on attempts to public;

-- PostgREST writes every column of the payload, so a client that sends back a whole row also writes the read-only
-- columns.
select test.keep('whole_row', $$ update public.flow_deployments as d
  set (id, created_at, user_id, entrypoint, snapshot_hash, input_names, typed_inputs, start_permission, output_instructions, action_identity, fees, chain_network)
    = (select
        r.id, r.created_at, r.user_id, r.entrypoint, r.snapshot_hash, r.input_names, r.typed_inputs, r.start_permission, true, r.action_identity, r.fees, r.chain_network
      from jsonb_populate_record(d, test.kept('row')::jsonb) as r) where true $$::text);

select test.sign_in(test.user_id('owner'));
select is(test.error(test.kept('whole_row')), null, 'the owner can write a whole row back');
select is(
  test.error(format('update public.flow_deployments set %I = %s where true', name, value)) - 'hint',
  '{
    "code": "column_read_only", "status": 400, "details": null,
    "message": "id, created_at, user_id, entrypoint, snapshot_hash, input_names and typed_inputs of a deployment can''t be changed."
  }',
  name || ' can''t be changed'
)
from attempts;
select is(
  test.error_code($$ update public.flow_deployments set start_permission = 'Anonymous', user_id = test.user_id('other') where true $$),
  'column_read_only', 'a write that also names a writable column is refused'
);
select is(
  test.row_count($$ select from public.flow_deployments where start_permission = 'Owner' $$), 1::bigint, 'the refused write does not change the writable column'
);

select test.sign_in_as_role('service_role');
select is(test.error(test.kept('whole_row')), null, 'the service role can write a whole row back');
select is(
  test.error_code(format('update public.flow_deployments set %I = %s where true', name, value)), 'column_read_only',
  name || ' can''t be changed by the service role either'
)
from attempts;

select test.sign_out();
select is(to_jsonb(d) - 'output_instructions', test.kept('row')::jsonb - 'output_instructions', 'the other columns of the deployment have not changed')
from public.flow_deployments as d;
select is(output_instructions, true, 'the whole rows have changed only the setting') from public.flow_deployments;

select * from finish();
