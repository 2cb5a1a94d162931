-- Schedules and row starts act as the owner. Each webhook is a caller of its own.
select plan(20);
select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('change')));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments set max_running_per_key = 1, queue_key = 'caller' where true;
insert into public.flow_schedules (flow, cron, inputs) values (test.kept('flow')::integer, '0 6 * * *', '{"change": {"S": "scheduled"}}');
select test.keep('hook', right(public.create_webhook('change', test.kept('flow')::integer) ->> 'url', 46));
select test.keep('other_hook', right(public.create_webhook('change', test.kept('flow')::integer) ->> 'url', 46));
select test.sign_out();
create table public.notes (id serial primary key, text text);
select test.keep('row_start', private.start_flow_on_rows('public.notes', '{insert}', test.kept('flow')::integer, null, 'change'));

create function pg_temp.newest() returns uuid language sql as $$ select r.id from public.flow_run as r order by r.id desc limit 1; $$;
create function pg_temp.start(cause text, value text default 'owner') returns uuid language plpgsql as $$
declare
  v_id uuid;
begin
  case cause
    when 'owner' then
      perform test.sign_in(test.user_id('owner'));
      v_id := public.start_deployment(
        id => test.kept('deployment')::uuid, inputs => jsonb_build_object('change', jsonb_build_object('S', value))
      ) ->> 'flow_run_id';
      perform test.sign_out();
    when 'schedule' then
      update public.flow_schedules set next_start_at = now() - interval '1 s';
      perform private.start_due_schedules();
      v_id := (select s.last_flow_run_id from public.flow_schedules as s);
    when 'row' then
      insert into public.notes (text) values (value);
      v_id := pg_temp.newest();
    else
      perform test.sign_in_as_role('anon');
      v_id := public.receive_webhook(test.kept(cause), to_json(value)::text, '{}') ->> 'flow_run_id';
      perform test.sign_out();
  end case;
  return v_id;
end;
$$;
create function pg_temp.state(run text) returns text language sql as $$
  select j.state::text from private.flow_run_jobs as j where j.flow_run_id = test.kept(run)::uuid;
$$;
create function pg_temp.end_all() returns void language plpgsql as $$
begin
  perform private.end_flow_run(j.flow_run_id, 'stopped') from private.flow_run_jobs as j where j.state <> 'ended';
  set constraints all immediate;
  set constraints all deferred;
end;
$$;

select test.keep(cause, pg_temp.start(cause)) from unnest('{owner,schedule,row}'::text[]) as cause;
select test.keep('hook_run', pg_temp.start('hook')), test.keep('hook_again', pg_temp.start('hook'));
select test.keep('other_run', pg_temp.start('other_hook'));
select is(pg_temp.state('owner'), 'ready', 'a run of the owner has the place');
select is(pg_temp.state('schedule'), 'blocked', 'a run of a schedule waits for it');
select is(pg_temp.state('row'), 'blocked', 'and a run of a row start');
select is(pg_temp.state('hook_run'), 'ready', 'a webhook has a place of its own');
select is(pg_temp.state('hook_again'), 'blocked', 'its second run waits');
select is(pg_temp.state('other_run'), 'ready', 'another webhook is another caller');

-- The redrive of a run of a webhook has the webhook's key.
select private.end_flow_run(test.kept('hook_again')::uuid, 'failed', errors => '{x}');
select test.sign_in(test.user_id('owner'));
select test.keep('redrive', public.redrive_flow_run(test.kept('hook_again')::uuid) ->> 'flow_run_id');
select test.sign_out();
select is(pg_temp.state('redrive'), 'blocked', 'a redrive waits for a place of the webhook');
select private.end_flow_run(test.kept('hook_run')::uuid, 'stopped');
set constraints all immediate;
set constraints all deferred;
select is(pg_temp.state('redrive'), 'ready', 'and gets it');
select pg_temp.end_all();

-- A deletion of runs frees their places.
select test.keep('first', pg_temp.start('owner')), test.keep('second', pg_temp.start('owner'));
delete from public.flow_run as r where r.id = test.kept('first')::uuid;
set constraints all immediate;
set constraints all deferred;
select is(pg_temp.state('second'), 'ready', 'a run that is deleted frees its place');
select pg_temp.end_all();

update public.flow_deployments set debounce_seconds = 60, queue_key = null where true;
select test.keep('run', pg_temp.start('owner'));
select is(pg_temp.start('schedule'), test.kept('run')::uuid, 'a start by a schedule joins the run of the owner');
select is((select (r.schedule_id is not null, r.inputs #>> '{M,change,S}') from public.flow_run as r where r.id = test.kept('run')::uuid)::text, '(t,scheduled)', 'the run then names the schedule');
insert into public.notes (text) select n::text from generate_series(1, 3) as n;
select is(pg_temp.newest() <> test.kept('run')::uuid, true, 'a write of rows waits for no key');
-- Before the next claim, a newer start comes.
select is(pg_temp.start('owner', 'newer'), test.kept('run')::uuid, 'other starts join it at once');
select private.settle_queue_keys();
select is(
  (select r.inputs #>> '{M,change,S}' from public.flow_run as r where r.id = test.kept('run')::uuid), 'newer',
  'the rows join it at the next claim, and the newest start wins'
);
insert into public.notes (text) select n::text from generate_series(1, 3) as n;
select private.settle_queue_keys();
select is(
  (select (r.schedule_id, r.row_start_id, r.inputs #>> '{M,change,M,row,M,text,S}') from public.flow_run as r where r.id = test.kept('run')::uuid)::text,
  format('(,%s,3)', test.kept('row_start')), 'then the last row wins'
);
select is(pg_temp.newest(), test.kept('run')::uuid, 'the runs of the rows are gone');
select test.keep('hook_run', pg_temp.start('hook', 'one'));
select isnt(test.kept('hook_run'), test.kept('run'), 'a webhook does not join the run of the owner');
select is(pg_temp.start('hook', 'two'), test.kept('hook_run')::uuid, 'it joins its own run');
select isnt(pg_temp.start('other_hook', 'three'), test.kept('hook_run')::uuid, 'but not that of another webhook');
select is((select r.inputs #>> '{M,change,S}' from public.flow_run as r where r.id = test.kept('hook_run')::uuid), 'two', 'with the newest body');
select * from finish();
