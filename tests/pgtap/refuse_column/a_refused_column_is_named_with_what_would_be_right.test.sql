select plan(2);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));

select is(
  test.error($$ insert into public.flows (name, instructions_bundling) values ('mine', 'Manual') $$),
  '{
    "code": "column_invalid", "status": 400, "hint": null, "message": "instructions_bundling: must be Off or Automatic.",
    "details": [{"path": "instructions_bundling", "message": "must be Off or Automatic"}]
  }',
  'the error of an insert names the column and the right form'
);

select test.create_flow(test.user_id('owner'));
select is(
  test.error($$ update public.flows set nodes = '{}' where true $$),
  '{
    "code": "column_invalid", "status": 400, "hint": null, "message": "nodes: must be an array.",
    "details": [{"path": "nodes", "message": "must be an array"}]
  }',
  'the error of an update names the column and the right form'
);

select * from finish();
