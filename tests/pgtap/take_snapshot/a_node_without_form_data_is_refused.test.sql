select plan(4);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
create function pg_temp.refusal(node jsonb) returns text language plpgsql as $$
begin
  update public.flows set nodes = jsonb_build_array(node) where id = test.kept('flow')::integer;
  return test.error('select test.take_snapshot(test.kept(''flow'')::integer)') #>> '{details,0,message}';
end;
$$;

select is(pg_temp.refusal(test.node('a', 'x')), null, 'a node with form data is accepted');
select is(pg_temp.refusal(jsonb_set(test.node('a', 'x'), '{data,targets_form,form_data}', 'null')), null, 'form data may be null');
select is(
  pg_temp.refusal(test.node('a', 'x') #- '{data,targets_form,form_data}'), 'data.targets_form.form_data: is missing',
  'form data may be empty, but must not be missing'
);
select is(
  pg_temp.refusal(test.node('a', 'x') #- '{data,targets_form}'), 'data.targets_form.form_data: is missing', 'a node without targets_form gets the same finding'
);

select * from finish();
