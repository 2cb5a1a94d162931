-- The smallest possible start: bench.start stores one row and sends one message. The schema bench exists only in the
-- database of the bench. Definer functions of the project set a search_path. bench.start sets none, because setting one
-- takes time. The owner of bench.start is the owner of the project's own functions. If a superuser owned it, Postgres
-- would skip the check of privileges, which takes a twentieth of a start.
create schema bench authorization postgres;
set role postgres;
create extension if not exists pgmq;
grant usage on schema bench to anon, authenticated;
select pgmq.create('bench');

create table bench.runs (
  id uuid primary key,
  deployment_id uuid not null,
  inputs jsonb not null,
  created_at timestamptz not null,
  output jsonb,
  end_time timestamptz
);
create index runs_deployment_id_idx on bench.runs (deployment_id, id);

create table bench.node_runs (
  run_id uuid not null,
  node integer not null,
  data jsonb not null,
  primary key (run_id, node)
);

create table bench.documents (id integer generated always as identity primary key, data jsonb not null);

create function bench.start(deployment_id uuid, inputs jsonb)
returns jsonb
language plpgsql volatile security definer
as $$
declare
  v_id uuid := gen_random_uuid();
begin
  insert into bench.runs (id, deployment_id, inputs, created_at) values (v_id, start.deployment_id, start.inputs, now());
  perform pgmq.send('bench', jsonb_build_object('flow_run_id', v_id));
  return jsonb_build_object('flow_run_id', v_id);
end;
$$;
grant execute on function bench.start(uuid, jsonb) to anon, authenticated;

reset role;

-- Does nothing. A call of this function stands for a call that a run makes after its start: the bench measures only the
-- round trip to the database.
create function bench.nothing()
returns jsonb
language plpgsql volatile
as $$
begin
  return '{}'::jsonb;
end;
$$;
grant execute on function bench.nothing() to anon, authenticated;

-- PostgREST serves the schema bench in addition to public, so that the bench can measure its baselines over HTTP.
alter role authenticator set pgrst.db_schemas = 'public, bench';
notify pgrst, 'reload config';
notify pgrst, 'reload schema';

-- Empties the queues, and replaces all runs by 5,000 ended runs, so that the planner uses the indexes, as in a project
-- that is in use. On empty tables, the planner would choose sequential scans, and cached plans would keep these scans
-- when the tables have grown.
create procedure bench.reset(user_id uuid)
language plpgsql
as $$
begin
  perform pgmq.purge_queue('bench');
  -- Lock the jobs before the runs, as claims do. A worker may be making a claim now.
  truncate private.flow_run_jobs, public.flow_run, bench.runs, bench.node_runs cascade;
  insert into bench.runs (id, deployment_id, inputs, created_at, end_time)
  select gen_random_uuid(), gen_random_uuid(), '{}', now(), now() from generate_series(1, 5000);
  insert into bench.node_runs (run_id, node, data) select r.id, 0, '{}' from bench.runs as r;
  insert into public.flow_run (user_id, flow_id, deployment_id, status, inputs, output, start_time, end_time, chain_network)
  select reset.user_id, 1, gen_random_uuid(), 'succeeded', '{"M": {}}', '{"M": {}}', now(), now(), '{"cluster": "devnet"}'
  from generate_series(1, 5000);
  insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings, state)
  select r.id, r.user_id, s.hash, '{"chain_network": {"url": "http://127.0.0.1:9"}}', 'ended'
  from public.flow_run as r cross join (select hash from private.flow_snapshots limit 1) as s;
  insert into public.node_run (flow_run_id, node_id, times, user_id, start_time, end_time, input)
  select r.id, r.id, 0, r.user_id, now(), now(), '{"M": {}}' from public.flow_run as r;
end;
$$;
