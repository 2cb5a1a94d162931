select plan(17);

select test.create_user('owner'), test.create_user('stranger');
select test.keep('flow', test.create_flow(test.user_id('owner'), '["kept"]'));
update public.flows set is_public = true, environment = '{"SECRET": "x"}' where true;
-- Delete the version that this update has stored.
delete from public.flow_versions where true;

select test.sign_in(test.user_id('owner'));
select test.keep('version', public.keep_flow_version(test.kept('flow')::integer, 'mine'));
select results_eq(
  $$ select id, name, nodes, environment from public.flow_versions $$,
  $$ values (test.kept('version')::bigint, 'mine', jsonb '["kept"]', jsonb '{"SECRET": "x"}') $$, 'the owner can read the version, with its environment'
);
select is(
  public.keep_flow_version(test.kept('flow')::integer), test.kept('version')::bigint, 'equal contents are the same version'
);
select is((select name from public.flow_versions), 'mine', 'the version keeps its name');
select lives_ok($$ update public.flow_versions set name = 'renamed' where true $$, 'the owner can rename the version');
select is(test.error_code(format('update public.flow_versions set %s where true', change)), 'column_read_only', format('the owner may not change another column: %s', change))
from unnest(array['nodes = ''[]''', 'saved_at = now() - interval ''1 day''', 'bytes = 0']) as change;
select is(test.error_code($$ update public.flow_versions set name = '' where true $$), 'column_invalid', 'an empty name is refused');
select is(
  test.error_code(format('select public.keep_flow_version(%s, %L)', test.kept('flow'), repeat('x', 201))), 'column_invalid', 'a name that is too long is refused'
);
select is(
  test.error_code($$ insert into public.flow_versions (user_id, flow_id, hash, nodes, edges, environment, chain_network, instructions_bundling, bytes, saved_at)
    select user_id, flow_id, sha256(''), nodes, edges, environment, chain_network, instructions_bundling, bytes, saved_at from public.flow_versions $$),
  '42501', 'users may not insert versions'
);

select test.sign_in(test.user_id('stranger'));
select is((select count(*) from public.flow_versions), 0::bigint, 'other users see no version, not even of a public flow');
select is(test.row_count('delete from public.flow_versions where true'), 0::bigint, 'other users delete no version');
select is(test.error_code(format('select public.keep_flow_version(%s)', test.kept('flow'))), 'flow_not_found', 'other users can not make a version');
select is(test.error_code(format('select public.restore_flow_version(%s)', test.kept('version'))), 'flow_version_not_found', 'other users can not restore a version');
select is(test.error_code(format('select public.flow_history(%s)', test.kept('flow'))), 'flow_not_found', 'other users can not read the history');

select test.sign_in(test.user_id('owner'));
select is(test.row_count('delete from public.flow_versions where true'), 1::bigint, 'the owner can delete the version');
select public.keep_flow_version(test.kept('flow')::integer, 'again');
delete from public.flows where true;
select is((select count(*) from public.flow_versions), 0::bigint, 'versions are deleted with their flow');

select * from finish();
