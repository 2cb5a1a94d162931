select plan(32);

select test.create_user(name) from unnest('{owner,starter,listed,unconfirmed,other}'::text[]) as name;
update auth.users set email_confirmed_at = now() where id <> test.user_id('unconfirmed');
update auth.users set email = 'Listed@Example.com' where id = test.user_id('listed');
select test.keep('listed', id) from auth.users where email = 'Listed@Example.com';
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
update public.flow_deployments set start_permission = 'Anonymous' where id = test.kept('deployment')::uuid;
select test.sign_in(test.user_id('starter'));
select test.start_and_keep('run', test.kept('deployment')::uuid);
select test.sign_in_as_role('anon');
select test.keep('guest', public.start_deployment(
  id => test.kept('deployment')::uuid, public_key => 'So11111111111111111111111111111111111111112'
) ->> 'flow_run_id');
select test.sign_out();
select test.claim_all();

select test.ask_input(test.kept('run')::uuid, a.node, answering => a.answering)
from (values
  ('anyone', '{}'::jsonb), ('owner', '{"answered_by": "owner"}'), ('starter', '{"answered_by": "starter"}'),
  ('listed', '{"answered_by": "listed", "answerers": ["LISTED@example.com", "unconfirmed@example.com"]}')
) as a (node, answering);
select test.ask_input(test.kept('guest')::uuid, 'guest', answering => '{"answered_by": "starter"}');
insert into public.node_run (flow_run_id, node_id, times, user_id, start_time, input)
select a.flow_run_id, a.node_id, a.times, test.user_id('owner'), now(), '{"M": {}}' from private.api_inputs as a;

create function pg_temp.id_of(name text) returns uuid language sql as $$
  select case when name = 'listed' then test.kept('listed')::uuid when name <> 'nobody' then test.user_id(name) end;
$$;

-- Answers as the Edge Function does, for a user and the holder of the token of a run.
create function pg_temp.answer(token text, name text, token_of text default null) returns text language plpgsql as $$
declare
  v_as jsonb := jsonb_build_object('user_id', pg_temp.id_of(name), 'run_id', test.kept(token_of));
  v_error text;
begin
  perform test.sign_in_as_role('service_role');
  v_error := test.error_code(format(
    'select public.submit_input(%L, value => %L, answered_as => %L)', token, '{"N": 0}', v_as
  ));
  perform test.sign_out();
  return v_error;
end;
$$;

select is(pg_temp.answer('owner', name), 'pending_input_not_found', name || ' may not answer for the owner')
from unnest('{nobody,starter,listed,unconfirmed,other}'::text[]) as name;
select is(pg_temp.answer('owner', 'nobody', 'run'), 'pending_input_not_found', 'nor may the holder of the run token');
select is(pg_temp.answer('owner', 'owner'), null, 'the owner may');

select is(pg_temp.answer('starter', name), 'pending_input_not_found', name || ' may not answer for the starter')
from unnest('{nobody,owner,listed,unconfirmed,other}'::text[]) as name;
select is(
  pg_temp.answer('starter', 'other', 'run'), 'pending_input_not_found', 'nor may another user with the token of the run'
);
select is(pg_temp.answer('starter', 'starter'), null, 'the starter may');

select is(
  pg_temp.answer('guest', name, token_of), 'pending_input_not_found', concat(name, ' may not answer for a guest, with the token of ', coalesce(token_of, 'no run'))
)
from (values ('nobody', null::text), ('owner', null), ('nobody', 'run')) as caller (name, token_of);
select is(pg_temp.answer('guest', 'nobody', 'guest'), null, 'the holder of the run token may answer for a guest');

select is(pg_temp.answer('listed', name), 'pending_input_not_found', name || ' may not answer for the listed people')
from unnest('{nobody,owner,starter,unconfirmed,other}'::text[]) as name;
select is(pg_temp.answer('listed', 'listed'), null, 'a listed user with a confirmed address may');
select is(pg_temp.answer('anyone', 'nobody'), null, 'anyone with the link may');

select is(pg_temp.answer('listed', 'other'), 'pending_input_not_found', 'others do not learn that an input is answered');
select is(pg_temp.answer('listed', 'listed'), 'pending_input_answered', 'those who may answer do');
update auth.users set email_confirmed_at = null where id = test.kept('listed')::uuid;
select is(pg_temp.answer('listed', 'listed'), 'pending_input_not_found', 'the address must be confirmed when the answer comes');

select results_eq(
  $$ select n.node_id, n.answered_by from public.node_run as n where n.answered_at is not null order by n.answered_at $$,
  $$ values (test.node_id('owner'), 'owner@example.com'), (test.node_id('starter'), 'starter@example.com'),
    (test.node_id('guest'), 'a guest'), (test.node_id('listed'), 'listed@example.com'), (test.node_id('anyone'), null) $$,
  'node_run keeps who answered'
);

-- The Edge Function learns who calls.
select test.sign_in(test.user_id('starter'));
select is(
  public.input_answerer('starter'), jsonb_build_object('user_id', test.user_id('starter'), 'run_id', null),
  'input_answerer names the caller'
);
select is(test.error_code($$ select public.input_answerer('owner') $$), 'pending_input_not_found', 'if they may answer');
select test.sign_in_as_role('service_role');
select is(
  public.input_answerer('anyone'), '{"user_id": null, "run_id": null}', 'the service role stands for a caller without a credential'
);

select * from finish();
