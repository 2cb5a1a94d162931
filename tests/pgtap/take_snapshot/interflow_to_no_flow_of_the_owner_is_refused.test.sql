select plan(13);

select test.create_user('owner');
select test.create_user('other');
select test.keep('own', test.create_flow(test.user_id('owner')));
select test.keep('foreign', test.create_flow(test.user_id('other')));
update public.flows set is_public = true, start_shared = true, start_unverified = true where id = test.kept('foreign')::integer;
select test.keep('flow', test.create_flow(test.user_id('owner')));

create function pg_temp.refusal(form_data jsonb, node_id text default 'interflow', type text default 'native')
returns jsonb language plpgsql as $$
begin
  update public.flows set nodes = jsonb_build_array(test.node('a', 'x'), test.node('call', node_id, form_data => form_data, type => type))
  where id = test.kept('flow')::integer;
  return test.error('select test.take_snapshot(test.kept(''flow'')::integer)');
end;
$$;

select is(pg_temp.refusal(jsonb_build_object('id', test.kept('own')::integer)), null, 'a call of the owner''s own flow is accepted');
select is(
  pg_temp.refusal(jsonb_build_object('id', test.kept('foreign')::integer)),
  jsonb_build_object(
    'code', 'flow_invalid', 'status', 422, 'hint', null, 'message', 'The flow can''t run: you have no flow with this id.',
    'details', jsonb_build_array(jsonb_build_object(
      'flow_id', test.kept('flow')::integer, 'code', 'interflow_flow_unknown', 'path', 'nodes[1].data.targets_form.form_data.id',
      'message', 'you have no flow with this id'
    ))
  ),
  'a call of another owner''s flow is refused, though it is public'
);
select is(pg_temp.refusal(jsonb_build_object('id', -1)), pg_temp.refusal(jsonb_build_object('id', test.kept('foreign')::integer)),
  'a flow that doesn''t exist gets the same refusal'
);
select is(pg_temp.refusal(form_data) #>> '{details,0,code}', 'interflow_flow_unknown', format('form data %s is refused', form_data))
from (values
  (jsonb '{}'), ('{"id": null}'), ('{"id": ""}'), ('{"id": "own"}'), ('{"id": 1.5}'), ('{"id": 99999999999}'), ('{"id": {}}'), ('[]')
) as bad (form_data);
select is(
  pg_temp.refusal(jsonb_build_object('id', test.kept('foreign')::integer), 'interflow_instructions') #>> '{details,0,code}',
  'interflow_flow_unknown', 'a call by interflow_instructions is checked, too'
);
select is(pg_temp.refusal(jsonb_build_object('id', test.kept('foreign')::integer), type => 'mock'), null, 'a mock node calls nothing');

select * from finish();
