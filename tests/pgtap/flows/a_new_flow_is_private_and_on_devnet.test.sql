select plan(2);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
insert into public.flows default values;

select is(
  to_jsonb(f) - '{id,user_id,created_at,updated_at}'::text[],
  '{
    "name": "", "description": "", "folder": "", "nodes": [], "edges": [], "environment": {}, "instructions_bundling": "Off",
    "chain_network": {"url": "https://api.devnet.solana.com", "cluster": "devnet"},
    "is_public": false, "start_shared": false, "start_unverified": false,
    "tool_name": null, "tool_tag": "latest", "tool_description": ""
  }',
  'a flow without given values is empty, private, no tool, and runs on devnet'
)
from public.flows as f;

select results_eq(
  'select user_id, created_at, updated_at from public.flows', $$ select test.user_id('owner'), now(), now() $$,
  'the flow belongs to the caller and was created now'
);

select * from finish();
