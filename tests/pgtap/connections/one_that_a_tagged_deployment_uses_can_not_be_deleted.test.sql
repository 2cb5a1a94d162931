select plan(9);

select test.create_user('owner');
select test.keep('id', test.create_connection(test.user_id('owner'), 'mail'));
select test.create_connection(test.user_id('owner'), 'unused');
select test.keep('flow', test.create_flow(
  test.user_id('owner'),
  jsonb_build_array(test.node('h', 'http_request', '{body}', '{url}', '{"url": "https://api.example.com", "connection": "mail"}'))
));
select test.sign_in(test.user_id('owner'));
select test.keep('first', test.deploy(test.kept('flow')::integer));
select test.keep('second', test.deploy(test.kept('flow')::integer));
insert into public.flow_deployments_tags (entrypoint, tag, deployment_id)
values (test.kept('flow')::integer, 'live', test.kept('first')::uuid);

create function pg_temp.delete_connection() returns text language sql as $$
  select format('delete from public.connections where id = %L', test.kept('id'));
$$;

select is(
  test.error(pg_temp.delete_connection()),
  jsonb_build_object(
    'code', 'connection_in_use', 'status', 409,
    'message', format('Tagged deployments use the connection: %s.', test.kept('second')),
    'details', jsonb_build_array(
      jsonb_build_object('deployment_id', test.kept('second'), 'tags', '["latest"]'::jsonb),
      jsonb_build_object('deployment_id', test.kept('first'), 'tags', '["live"]'::jsonb)
    ),
    'hint', 'First move the tags to deployments that do not use the connection.'
  ), 'the tagged deployments are listed with their tags'
);
select is(test.row_count($$ delete from public.connections where name = 'unused' $$), 1::bigint, 'a connection that no tagged deployment uses can be deleted');
select test.sign_in_as_role('service_role');
select is(test.error_code(pg_temp.delete_connection()), 'connection_in_use', 'the service role can''t delete the used connection either');

select test.sign_in(test.user_id('owner'));
delete from public.flow_deployments_tags where tag = 'live';
update public.flows set nodes = '[]' where true;
select test.deploy(test.kept('flow')::integer);
savepoint untagged;
select is(test.row_count(pg_temp.delete_connection()), 1::bigint, 'deployments without tags do not prevent the deletion');
select test.sign_out();
select is(count(*), 0::bigint, 'the deployments do not name the deleted connection any more') from private.flow_deployment_connections;
select is(count(*), 3::bigint, 'the deployments stay') from public.flow_deployments;
rollback to untagged;

select test.sign_out();
select is(count(*), 2::bigint, 'each deployment that names the connection is mapped to it') from private.flow_deployment_connections as c
  where c.name = 'mail' and c.connection_id = test.kept('id')::uuid;
delete from auth.users where id = test.user_id('owner');
select is(count(*), 0::bigint, 'the deletion of the user deletes the connection, too') from public.connections;
select is(count(*), 0::bigint, 'the rows that map deployments to connections are deleted, too') from private.flow_deployment_connections;

select * from finish();
