select plan(8);

select test.create_user('owner');
select test.create_user('other');
select test.keep('nodes', jsonb_build_array(test.node('a', 'x', '{out}'), test.node('b', 'x', '{}', '{in}')));
select test.keep('edges', jsonb_build_array(test.edge('a', 'out', 'b', 'in')));
select test.keep(name, test.create_flow(test.user_id(owner), test.kept('nodes')::jsonb, test.kept('edges')::jsonb))
from (values ('flow', 'owner'), ('twin', 'owner'), ('foreign', 'other')) as flow (name, owner);
update public.flows set chain_network = '{"url": "http://127.0.0.1:8899", "cluster": "devnet"}', name = 'Twin', is_public = true
where id = test.kept('twin')::integer;

select test.keep('hash', test.take_snapshot(test.kept('flow')::integer));
select results_eq(
  'select hash, sha256(convert_to(data::text, ''UTF8'')) from private.flow_snapshots',
  $$ select test.kept('hash')::bytea, test.kept('hash')::bytea $$,
  'a snapshot''s key is the SHA-256 of its text'
);
select is(test.take_snapshot(test.kept('flow')::integer), test.kept('hash')::bytea, 'the same flow has the same snapshot');
select is(
  test.take_snapshot(test.kept('twin')::integer), test.kept('hash')::bytea,
  'another flow with the same graph has the same snapshot, whatever its name and network'
);
select is(test.take_snapshot(test.kept('foreign')::integer), test.kept('hash')::bytea, 'an equal flow of another owner has the same snapshot');
select results_eq('select count(*) from private.flow_snapshots', 'values (1::bigint)', 'the snapshot is stored once');

create temporary table changed (title text, assignment text);
insert into changed values
  ('environment', $$ environment = '{"a": "1"}' $$),
  ('bundling', $$ instructions_bundling = 'Automatic' $$),
  ('form data', $$ nodes = jsonb_set(nodes, '{0,data,targets_form,form_data}', '{"a": 1}') $$);
create function pg_temp.snapshot_with(assignment text) returns bytea language plpgsql as $$
begin
  update public.flows set environment = '{}', instructions_bundling = 'Off', nodes = test.kept('nodes')::jsonb
  where id = test.kept('flow')::integer;
  execute format('update public.flows set %s where id = test.kept(''flow'')::integer', assignment);
  return test.take_snapshot(test.kept('flow')::integer);
end;
$$;
select isnt(pg_temp.snapshot_with(assignment), test.kept('hash')::bytea, format('another %s makes another snapshot', title)) from changed;

select * from finish();
