select plan(7);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
create function pg_temp.refusal(nodes jsonb) returns jsonb language plpgsql as $$
begin
  update public.flows as f set nodes = refusal.nodes where f.id = test.kept('flow')::integer;
  return test.error('select test.take_snapshot(test.kept(''flow'')::integer)');
end;
$$;

select test.keep('thousand', pg_temp.refusal(jsonb_agg(n))::text) from generate_series(1, 1000) as n;
select is(jsonb_array_length(test.kept('thousand')::jsonb -> 'details'), 1000, 'all of a thousand findings are listed');
select is(test.kept('thousand')::jsonb ->> 'message', 'The flow can''t run: a node must be an object.', 'the message does not say that there are more');

-- Adding a finding does not copy the earlier findings, so the statement ends long before the timeout of the API roles
-- (8 s).
set local statement_timeout = '20s';
select test.keep('malformed', pg_temp.refusal(jsonb_agg(n))::text) from generate_series(1, 10000) as n;
select test.keep('unknown', pg_temp.refusal(jsonb_agg(test.node('n' || n, 'interflow')))::text) from generate_series(1, 10000) as n;
select is(
  jsonb_array_length(test.kept(name)::jsonb -> 'details'), 1000, format('the first thousand findings are listed: %s', name)
)
from unnest('{malformed,unknown}'::text[]) as name;
select is(test.kept(name)::jsonb #>> '{details,999,path}', path, format('the last listed finding is that of %s', path))
from (values ('malformed', 'nodes[999]'), ('unknown', 'nodes[999].data.targets_form.form_data.id')) as last (name, path);
select is(
  test.kept('malformed')::jsonb ->> 'message',
  'The flow can''t run: a node must be an object. The details are the first 1000 findings.', 'the message says that there are more findings'
);

select * from finish();
