-- What a start comes to at the least: one row and one message. In a schema of the bench's own, so that no project has it.
-- Definer without a search_path, against the rule, since setting one costs time: the baseline is as bare as can be.
create schema bench;
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

-- PostgREST serves it beside public, for the baselines over HTTP.
alter role authenticator set pgrst.db_schemas = 'public, bench';
notify pgrst, 'reload config';
notify pgrst, 'reload schema';
