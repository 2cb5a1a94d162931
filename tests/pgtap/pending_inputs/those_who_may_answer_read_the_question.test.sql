select plan(13);

select test.create_user(name) from unnest('{owner,starter,listed,other}'::text[]) as name;
update auth.users set email_confirmed_at = now() where id <> test.user_id('other');
update auth.users set email = 'other@example.com' where id = test.user_id('other');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
update public.flows set name = 'Expenses' where true;
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments set start_permission = 'Authenticated' where true;
select test.sign_in(test.user_id('starter'));
select test.start_and_keep('run', test.kept('deployment')::uuid);
select test.sign_out();
update public.flow_run set inputs = jsonb_build_object('M', jsonb_build_object(
  'amount', '{"U": "7"}'::jsonb, 'secret', '{"S": "x"}'::jsonb, 'long', jsonb_build_object('S', repeat('a', 5000))
)) where true;
select test.claim_all();
select test.ask_input(test.kept('run')::uuid, a.node, answering => a.answering)
from (values
  ('anyone', '{}'::jsonb), ('owner', '{"answered_by": "owner"}'), ('starter', '{"answered_by": "starter"}'),
  ('listed', '{"answered_by": "listed", "answerers": ["listed@example.com", "other@example.com", "listed@example.com"], "shown_inputs": ["amount", "long", "none"]}')
) as a (node, answering);

create view pg_temp.nodes with (security_invoker = true) as
select array_agg(split_part(p.url, '/', 6) || case when public.may_answer(p) then '' else '-' end order by p.id) as names
from public.pending_inputs as p;
grant select on pg_temp.nodes to public;

select test.sign_in(test.user_id('owner'));
select is(names, '{anyone,owner,starter-,listed-}', 'the owner reads all inputs, and learns which to answer') from pg_temp.nodes;
select test.sign_in(test.user_id('starter'));
select is(names, '{anyone,starter}', 'the starter reads what the starter may answer') from pg_temp.nodes;
select test.sign_in(test.user_id('listed'));
select is(names, '{listed}', 'a listed user reads the input') from pg_temp.nodes;
select is((select count(*) from public.flow_run), 0::bigint, 'but not the run');
select is((select count(*) from public.flow_deployments), 0::bigint, 'nor the deployment');
select results_eq(
  'select flow_name, starter, inputs from public.pending_inputs',
  $$ values ('Expenses', 'starter@example.com', '{"M": {"amount": {"U": "7"}, "long": null}}'::jsonb) $$,
  'the input tells the flow, the starter and the inputs that the node shows'
);
select test.sign_in(test.user_id('other'));
select is(names, null, 'a listed user without a confirmed address reads nothing') from pg_temp.nodes;
select test.sign_out();
update auth.users set email_confirmed_at = now() where id = test.user_id('other');
select test.sign_in(test.user_id('other'));
select is(names, '{listed}', 'until the address is confirmed') from pg_temp.nodes;
select test.sign_out();
update auth.users set deleted_at = now() where id = test.user_id('other');
select is(private.confirmed_email(test.user_id('other')), null, 'a deleted user has no address');

select set_config('request.headers', json_build_object('x-flow-run-token', private.run_token(test.kept('run')::uuid))::text, true);
select test.sign_in_as_role('anon');
select is(names, '{anyone}', 'the token of a run that a user started shows what anyone may answer') from pg_temp.nodes;
select is(test.error_code('select from private.api_input_answerers'), '42501', 'nobody reads the addresses');
select test.sign_in(test.user_id('listed'));
select is(test.error_code('select from private.api_input_answerers'), '42501', 'users do not, either');
select test.sign_out();
delete from private.api_inputs where true;
select is((select count(*) from private.api_input_answerers), 0::bigint, 'addresses are deleted with their input');

select * from finish();
