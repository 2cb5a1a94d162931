select plan(7);

select test.create_user('owner');
create function pg_temp.large_flow(letter text, environment jsonb default '{}') returns integer language sql as $$
  -- updated_at is an hour ago, as if an earlier transaction had stored the flow.
  insert into public.flows (user_id, nodes, environment, updated_at) values (
    test.user_id('owner'),
    jsonb_build_array(test.node('a', 'x', form_data => (
      -- Texts that can't be compressed.
      select jsonb_agg(encode(sha256(convert_to(letter || i, 'UTF8')), 'hex')) from generate_series(1, 4000) as i
    ))),
    large_flow.environment, now() - interval '1 hour'
  ) returning id;
$$;
-- Stores `other` as the current snapshot of the flow, and then takes a snapshot of the flow. If the result is `other`,
-- the flow was not frozen again.
create function pg_temp.swap_snapshot(flow_id integer) returns bytea language sql as $$
  update private.flow_current_snapshots as c set snapshot_hash = test.kept('other')::bytea
  where c.flow_id = swap_snapshot.flow_id;
  select test.take_snapshot(swap_snapshot.flow_id);
$$;
select test.keep('other', test.take_snapshot(test.create_flow(test.user_id('owner'))));

select test.keep('flow', pg_temp.large_flow('a'));
select test.keep('hash', test.take_snapshot(test.kept('flow')::integer));
select is(
  pg_temp.swap_snapshot(test.kept('flow')::integer), test.kept('other')::bytea,
  'a start of an unchanged large flow uses the snapshot of its last start'
);
update public.flows set edges = edges where id = test.kept('flow')::integer;
select is(
  test.take_snapshot(test.kept('flow')::integer), test.kept('hash')::bytea, 'after an edit the flow is frozen again'
);
-- Set updated_at to a minute ago, as if an earlier transaction had made the edit.
alter table public.flows disable trigger user;
update public.flows set updated_at = now() - interval '1 minute' where id = test.kept('flow')::integer;
alter table public.flows enable trigger user;
select is(
  test.take_snapshot(test.kept('flow')::integer), test.kept('hash')::bytea, 'an edit in another transaction changes the snapshot'
);

select test.keep('wallet', test.create_wallet(test.user_id('owner'), '11111111111111111111111111111112'));
select test.keep('paying', pg_temp.large_flow('b', '{"OVERWRITE_FEEPAYER": "11111111111111111111111111111112"}'));
select test.take_snapshot(test.kept('paying')::integer);
delete from public.wallets where id = test.kept('wallet')::integer;
select is(
  test.error(format('select test.take_snapshot(%s)', test.kept('paying'))) #>> '{details,0,code}', 'environment_wallet_unknown',
  'a wallet that was deleted after the last start is reported as missing'
);

select test.keep('caller', pg_temp.large_flow('c'));
update public.flows set nodes = nodes || jsonb_build_array(test.node(
  'call', 'interflow', form_data => jsonb_build_object('id', test.kept('flow')::integer)
)) where id = test.kept('caller')::integer;
select is(
  (select count(*) from private.flow_current_snapshots where flow_id = test.kept('caller')::integer), 0::bigint,
  'a flow that this transaction has edited is frozen at each start'
);
alter table public.flows disable trigger user;
update public.flows set updated_at = now() - interval '1 hour' where id = test.kept('caller')::integer;
alter table public.flows enable trigger user;
select test.take_snapshot(test.kept('caller')::integer);
select is(
  (select count(*) from private.flow_current_snapshots where flow_id = test.kept('caller')::integer), 0::bigint,
  'a flow that calls another flow is frozen at each start, because the called flow may change'
);

select test.take_snapshot(test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('a', 'x'))));
select is((select count(*) from private.flow_current_snapshots), 2::bigint, 'no snapshot of a small flow is stored for its next start');

select * from finish();
