-- Functions that the pgTAP suites share. They are loaded only into the template of the test databases, never by a
-- migration.
create schema tap;
create extension pgtap schema tap;
create schema test;
grant usage on schema tap, test to public;
alter default privileges in schema test grant execute on functions to public;

create function test.create_user(name text) returns uuid
language sql volatile security definer set search_path = ''
as $$
  insert into auth.users (id, email) values (gen_random_uuid(), create_user.name || '@example.com') returning id;
$$;

-- Lets the rest of the transaction run as this user, with the settings that PostgREST makes for a request.
create function test.sign_in(user_id uuid, is_anonymous boolean default false) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  perform set_config('request.jwt.claims', json_build_object(
    'sub', sign_in.user_id, 'role', 'authenticated', 'is_anonymous', sign_in.is_anonymous
  )::text, true);
  perform set_config('role', 'authenticated', true);
end;
$$;

create function test.sign_in_as_role(role text) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  perform set_config('request.jwt.claims', json_build_object('role', sign_in_as_role.role)::text, true);
  perform set_config('role', sign_in_as_role.role, true);
end;
$$;

create function test.sign_out() returns void
language plpgsql volatile set search_path = ''
as $$
begin
  perform set_config('request.jwt.claims', '', true);
  perform set_config('role', 'none', true);
end;
$$;

-- Makes pg_stat_xact_user_functions count calls until the end of the transaction. Definer, because only a superuser may
-- do this.
create function test.track_functions() returns void
language sql volatile security definer
as $$
  select set_config('track_functions', 'all', true);
$$;

-- Executes a statement, and returns the code that a client sees in its error: a code of this project, or else the
-- SQLSTATE. Null if the statement succeeds.
create function test.error_code(statement text) returns text
language plpgsql volatile set search_path = ''
as $$
begin
  execute error_code.statement;
  return null;
exception
  when sqlstate 'PGRST' then return sqlerrm::json ->> 'code';
  when others then return sqlstate;
end;
$$;

-- Executes a statement, and returns its whole error: with status and details as JSON, or with the violated constraint.
-- Null if the statement succeeds.
create function test.error(statement text) returns jsonb
language plpgsql volatile set search_path = ''
as $$
declare
  v_detail text;
  v_constraint text;
begin
  execute error.statement;
  return null;
exception when others then
  get stacked diagnostics v_detail = pg_exception_detail, v_constraint = constraint_name;
  if sqlstate = 'PGRST' then
    return sqlerrm::jsonb || jsonb_build_object(
      'status', v_detail::jsonb -> 'status', 'details', (sqlerrm::jsonb ->> 'details')::jsonb
    );
  end if;
  return jsonb_build_object('code', sqlstate, 'message', sqlerrm, 'constraint', nullif(v_constraint, ''));
end;
$$;

-- Executes a statement, and returns the number of rows that it returns or writes. If row level security hides rows,
-- there is no error, only a smaller number.
create function test.row_count(statement text) returns bigint
language plpgsql volatile set search_path = ''
as $$
declare
  v_count bigint;
begin
  execute row_count.statement;
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;

-- Stores a value under a name. Later statements of the file read it with test.kept, also when they run as another user.
create function test.keep(name text, value anyelement) returns text
language sql volatile set search_path = ''
as $$
  select set_config('test.' || keep.name, keep.value::text, true);
$$;

create function test.kept(name text) returns text
language sql stable set search_path = ''
as $$
  select current_setting('test.' || kept.name);
$$;

create function test.user_id(name text) returns uuid
language sql stable security definer set search_path = ''
as $$
  select u.id from auth.users as u where u.email = user_id.name || '@example.com';
$$;

-- Makes a flow of the user, by default without nodes.
create function test.create_flow(user_id uuid, nodes jsonb default '[]', edges jsonb default '[]') returns integer
language sql volatile security definer set search_path = ''
as $$
  insert into public.flows (user_id, nodes, edges) values (create_flow.user_id, create_flow.nodes, create_flow.edges) returning id;
$$;

-- Makes a deployment of the caller's flow.
create function test.deploy(flow_id integer) returns uuid
language sql volatile set search_path = ''
as $$
  select (public.deploy_flow(deploy.flow_id) ->> 'deployment_id')::uuid;
$$;

-- Takes a snapshot of the flow as it is now.
create function test.take_snapshot(flow_id integer) returns bytea
language sql volatile set search_path = ''
as $$
  select private.take_snapshot(f) from public.flows as f where f.id = take_snapshot.flow_id;
$$;

-- Makes a wallet of the user. A HARDCODED wallet gets a meaningless secret.
create function test.create_wallet(user_id uuid, public_key text, type text default 'HARDCODED') returns integer
language sql volatile security definer set search_path = ''
as $$
  select (case when create_wallet.type = 'ADAPTER'
    then private.store_wallet(create_wallet.user_id, 'ADAPTER', 'wallet', create_wallet.public_key, null, null, null)
    else private.store_wallet(create_wallet.user_id, create_wallet.type, 'wallet', create_wallet.public_key,
      'test', decode(repeat('01', 12), 'hex'), decode(repeat('02', 48), 'hex'))
  end ->> 'id')::integer;
$$;

-- Stores a connection of kind bearer, with a secret that no key decrypts.
create function test.create_connection(user_id uuid, name text) returns uuid
language sql volatile security definer set search_path = ''
as $$
  select (private.store_connection(
    jsonb_build_object(
      'id', private.connection_id_to_store(create_connection.user_id, create_connection.name),
      'user_id', create_connection.user_id, 'name', create_connection.name, 'kind', 'bearer', 'hosts', '["api.example.com"]'::jsonb
    ),
    jsonb_build_object('key_id', 'test', 'nonce', '\x' || repeat('01', 12), 'ciphertext', '\x' || repeat('02', 40))
  ) ->> 'id')::uuid;
$$;

-- Makes a run that nobody has claimed, without a message in the queue.
create function test.create_run(flow_id integer, started_by uuid default null, deployment_id uuid default null, age interval default '0')
returns uuid
language sql volatile security definer set search_path = ''
as $$
  insert into public.flow_run (id, created_at, user_id, flow_id, started_by, deployment_id, inputs, chain_network)
  select private.uuid_v7(clock_timestamp() - create_run.age), clock_timestamp() - create_run.age, f.user_id, f.id, create_run.started_by,
    create_run.deployment_id, '{"M": {}}', '{"cluster": "devnet"}'
  from public.flows as f where f.id = create_run.flow_id
  returning id;
$$;

-- The id of a node derives from the name of the node. The ids of its handles are `<name of the node>.<port>`.
create function test.node_id(name text) returns uuid
language sql immutable
return md5(name)::uuid;

-- Makes a run of the user that a worker holds by its first claim. The lease never ends.
create function test.claimed_run(user_id uuid) returns uuid
language plpgsql volatile security definer set search_path = ''
as $$
declare
  v_flow_id integer := test.create_flow(claimed_run.user_id);
  v_run_id uuid := test.create_run(v_flow_id);
begin
  update public.flow_run as r set status = 'running', start_time = now() where r.id = v_run_id;
  insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings, claim_number, state, due_at)
  values (
    v_run_id, claimed_run.user_id, test.take_snapshot(v_flow_id), '{"chain_network": {"url": "https://api.devnet.solana.com"}}', 1, 'held',
    'infinity'
  );
  return v_run_id;
end;
$$;

-- Begins a node of the run: stores the node run, as the runner does before an effect. Returns the key of the node run,
-- which identifies the effect.
create function test.begin_node(flow_run_id uuid, name text, times integer default 0) returns jsonb
language sql volatile security definer set search_path = ''
as $$
  insert into public.node_run as n (flow_run_id, node_id, times, user_id, start_time, input)
  select r.id, test.node_id(begin_node.name), begin_node.times, r.user_id, now(), '{"M": {}}'
  from public.flow_run as r where r.id = begin_node.flow_run_id
  returning jsonb_build_object('flow_run_id', n.flow_run_id, 'node_id', n.node_id, 'times', n.times);
$$;

create function test.sources(node_name text, names text[]) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', sources.node_name || '.' || name, 'name', name, 'type', 'free')), '[]')
  from unnest(sources.names) as name;
$$;

create function test.targets(node_name text, names text[]) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', targets.node_name || '.' || name, 'name', name,
    'type_bounds', '["free"]'::jsonb, 'required', true, 'passthrough', false)), '[]')
  from unnest(targets.names) as name;
$$;

-- Tests make tens of thousands of nodes and edges. So test.node and test.edge are single expressions, which Postgres
-- inlines.
create function test.node(
  name text, node_id text, sources text[] default '{}', targets text[] default '{}', form_data jsonb default '{}',
  type text default 'native'
) returns jsonb
language sql stable
return jsonb_build_object('id', test.node_id(name), 'width', 100, 'data', jsonb_build_object(
  'type', type, 'node_id', node_id, 'display_name', name,
  'sources', case when sources = '{}' then '[]' else test.sources(name, sources) end,
  'targets', case when targets = '{}' then '[]' else test.targets(name, targets) end,
  'targets_form', jsonb_build_object('form_data', form_data)
));

create function test.edge(source text, source_port text, target text, target_port text) returns jsonb
language sql stable
return jsonb_build_object(
  'source', test.node_id(source), 'sourceHandle', source || '.' || source_port,
  'target', test.node_id(target), 'targetHandle', target || '.' || target_port
);

-- Returns the findings of a graph in their order. Each finding is a text `<code> <path>`.
create function test.findings(nodes jsonb, edges jsonb default '[]') returns text[]
language sql immutable set search_path = ''
as $$
  select coalesce(array_agg(format('%s %s', f.finding ->> 'code', f.finding ->> 'path') order by f.position), '{}')
  from jsonb_array_elements(private.flow_findings(findings.nodes, findings.edges)) with ordinality as f (finding, position);
$$;

-- Starts a deployment as the caller, and stores the id of the run by this name.
create function test.start_and_keep(name text, deployment_id uuid, idempotency_key text default null) returns uuid
language plpgsql volatile set search_path = ''
as $$
declare
  v_id uuid := public.start_deployment(id => start_and_keep.deployment_id, idempotency_key => start_and_keep.idempotency_key) ->> 'flow_run_id';
begin
  perform test.keep(start_and_keep.name, v_id);
  return v_id;
end;
$$;

-- Makes the nodes of a flow that takes inputs with these names.
create function test.inputs(variadic names text[]) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_agg(
    test.node('input ' || named.position, 'flow_input', '{out}', form_data => jsonb_build_object('label', named.name)) order by named.position
  )
  from unnest(inputs.names) with ordinality as named (name, position);
$$;

-- Returns the error for the inputs, or null. The inputs are checked twice: by private.check_inputs, and by a start of
-- the kept deployment. If the two results differ, raises an exception. Valid inputs start a run.
create function test.inputs_refusal(inputs text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  v_checked jsonb := test.error(format('select private.check_inputs(%L)', inputs_refusal.inputs));
  v_started jsonb := test.error(format(
    'select public.start_deployment(id => %L, inputs => %L)', test.kept('deployment'), inputs_refusal.inputs
  ));
begin
  if v_started is distinct from v_checked then
    raise exception 'A start says %, the check %', v_started, v_checked;
  end if;
  return v_checked;
end;
$$;

-- Ends a run with this status. The end_time is as far in the past as `age` says.
create function test.end_run(run_id uuid, status text default 'succeeded', age interval default '0') returns void
language sql volatile security definer set search_path = ''
as $$
  update public.flow_run as r
  set status = end_run.status, start_time = coalesce(r.start_time, now()), end_time = now() - end_run.age,
    errors = case when end_run.status = 'failed' then '{a failed}'::text[] end
  where r.id = end_run.run_id;
  update private.flow_run_jobs as j set state = 'ended', due_at = null where j.flow_run_id = end_run.run_id;
$$;

-- Makes one execution of a node as a worker reports it: begun in 2026 and, by default, ended.
create function test.node_run(node text, times integer default 0, is_ended boolean default true, output jsonb default '{"M": {}}')
returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'node_id', test.node_id(node_run.node), 'times', node_run.times, 'start_time', '2026-01-01T00:00:01Z', 'input', '{"M": {}}'::jsonb
  ) || case when node_run.is_ended then jsonb_build_object('end_time', '2026-01-01T00:00:02Z', 'output', node_run.output) else '{}' end;
$$;

-- Makes the progress of a run as a worker reports it. Rows that name no run get the id of this run.
create function test.progress(
  run_id uuid, node_runs jsonb default '[]', logs jsonb default '[]', children jsonb default '[]', work_ms bigint default 0,
  transactions jsonb default '[]'
) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('children', progress.children, 'work_ms', progress.work_ms) || (
    select jsonb_object_agg(list.name, (
      select coalesce(jsonb_agg(jsonb_build_object('flow_run_id', progress.run_id) || element order by position), '[]')
      from jsonb_array_elements(list.elements) with ordinality as e (element, position)
    ))
    from (values
      ('node_runs', progress.node_runs), ('logs', progress.logs), ('transactions', progress.transactions)
    ) as list (name, elements)
  );
$$;

-- Lets a node of the root run, or of a run that the root run called, ask for an input. The token of the input is the
-- name of the node.
create function test.ask_input(
  root_run_id uuid, node text default 'a', timeout_ms bigint default 180000, run_id uuid default null, claim_number integer default 1,
  webhook jsonb default null, question jsonb default null, answering jsonb default '{}'
) returns void
language sql volatile security definer set search_path = ''
as $$
  select private.checkpoint_flow_run(ask_input.root_run_id, ask_input.claim_number, 60, test.progress(ask_input.root_run_id) || jsonb_build_object(
    'inputs', jsonb_build_array(jsonb_build_object(
      'flow_run_id', coalesce(ask_input.run_id, ask_input.root_run_id), 'node_id', test.node_id(ask_input.node), 'times', 0,
      'token', ask_input.node, 'url', 'https://example.com/flow/submit/' || ask_input.node, 'timeout_ms', ask_input.timeout_ms, 'webhook', ask_input.webhook, 'question', ask_input.question
    ) || ask_input.answering)
  ));
$$;

-- Returns the outcome of a node's input, as its worker reads it: {outcome, value}.
create function test.take_input(run_id uuid, node text default 'a', claim_number integer default 1) returns jsonb
language sql volatile security definer set search_path = ''
as $$
  select (private.take_api_inputs(take_input.run_id, take_input.claim_number, jsonb_build_array(jsonb_build_object(
    'flow_run_id', take_input.run_id, 'node_id', test.node_id(take_input.node), 'times', 0
  )))::jsonb -> 0) - '{flow_run_id,node_id,times,left_ms}'::text[];
$$;

-- Returns a worker's report of a called run. If the status is `running`, the run has begun; otherwise it has also
-- ended.
create function test.child(id uuid, parent_id uuid, flow_id integer, status text default 'running', parent_node text default 'caller')
returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'id', child.id, 'flow_id', child.flow_id, 'status', child.status, 'inputs', '{"M": {"i": {"U": "1"}}}'::jsonb,
    'start_time', '2026-01-01T00:00:01Z', 'parent_flow_run_id', child.parent_id, 'parent_node_id', test.node_id(child.parent_node),
    'parent_times', 0
  ) || case when child.status = 'running' then '{}' else jsonb_build_object(
    'end_time', '2026-01-01T00:00:02Z', 'output', '{"M": {"o": {"U": "2"}}}'::jsonb, 'not_run', '[]'::jsonb,
    'errors', case when child.status = 'failed' then '["a failed"]'::jsonb end
  ) end;
$$;

-- Makes a run that was started and claimed.
create function test.queued_claim(deployment_id uuid, name text default 'run') returns uuid
language plpgsql volatile set search_path = ''
as $$
declare
  v_id uuid := test.start_and_keep(queued_claim.name, queued_claim.deployment_id);
begin
  perform test.claim_all();
  return v_id;
end;
$$;

create function test.claim_all() returns void
language sql volatile security definer set search_path = ''
as $$
  select private.claim_flow_runs(100, 60, '{}', null, 0);
$$;

-- Makes a transaction of a run as a worker stores it, with a meaningless message.
create function test.transaction(run_id uuid, node text default 'a', message text default 'AQID', wire text default null) returns jsonb
language sql immutable set search_path = ''
as $$
  select key.members -> 0 || jsonb_build_object(
    'members', jsonb_build_array(key.members -> 0 || '{"instruction_count": 2}'), 'message', transaction.message, 'wire', transaction.wire,
    'memo', null, 'has_fees', false, 'slot', '18446744', 'last_valid_block_height', '9007199254740993'
  )
  from (select jsonb_build_array(jsonb_build_object(
    'flow_run_id', transaction.run_id, 'node_id', test.node_id(transaction.node), 'times', 0
  )) as members) as key;
$$;

-- Makes a request for a signature as a worker makes it.
create function test.request(
  pubkey text default 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs', timeout_ms integer default 180000, signatures jsonb default null,
  msg text default 'AQID'
) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'pubkey', request.pubkey, 'msg', request.msg, 'signatures', request.signatures, 'timeout_ms', request.timeout_ms
  );
$$;

-- Stores a transaction and its requests for signatures, as a worker does. The transaction belongs to the run, or to the
-- called run child_id.
create function test.ask(run_id uuid, requests jsonb, node text default 'a', child_id uuid default null) returns json
language sql volatile security definer set search_path = ''
as $$
  select private.store_transaction(
    j.flow_run_id, j.claim_number, test.transaction(coalesce(ask.child_id, ask.run_id), ask.node),
    case jsonb_typeof(ask.requests) when 'array' then ask.requests else jsonb_build_array(ask.requests) end
  )
  from private.flow_run_jobs as j where j.flow_run_id = ask.run_id;
$$;

-- Suspends the run as its worker does.
create function test.suspend(run_id uuid) returns void
language sql volatile security definer set search_path = ''
as $$
  select private.suspend_flow_run(j.flow_run_id, j.claim_number, test.progress(suspend.run_id))
  from private.flow_run_jobs as j where j.flow_run_id = suspend.run_id;
$$;

-- Returns the seconds until a run may be claimed, rounded; 0 if it may be claimed now.
create function test.due_in(run_id uuid) returns integer
language sql volatile security definer set search_path = ''
as $$
  select greatest(round(extract(epoch from private.claimable_since(j) - clock_timestamp())), 0)::integer
  from private.flow_run_jobs as j where j.flow_run_id = due_in.run_id;
$$;

-- Releases all held runs, as their workers do.
create function test.release_all(seconds integer default 0) returns void
language sql volatile security definer set search_path = ''
as $$
  select private.release_flow_run(j.flow_run_id, j.claim_number, '{}', release_all.seconds) from private.flow_run_jobs as j where j.state in ('held', 'lost');
$$;

-- Lets the state of each job end that ends by itself, as if its time had passed.
create function test.let_time_pass() returns void
language sql volatile security definer set search_path = ''
as $$
  update private.flow_run_jobs set due_at = clock_timestamp() where due_at is not null;
$$;

-- Ends all leases, so that all workers are lost.
create function test.lose_workers() returns void
language sql volatile security definer set search_path = ''
as $$
  update private.flow_run_jobs set due_at = clock_timestamp() where state = 'held';
$$;

-- The next functions create stand-ins for pg_cron and other parts of hosted Supabase. A stand-in returns what the real
-- part returns, and stores its calls.
create function test.create_pg_cron() returns void
language sql volatile set search_path = ''
as $$
  create schema cron;
  create table cron.job (
    jobid bigint generated always as identity, jobname text unique, schedule text, command text, active boolean default true
  );
  create table cron.job_run_details (
    runid bigint generated always as identity, jobid bigint, status text, return_message text, start_time timestamptz, end_time timestamptz
  );
  create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql as '
    insert into cron.job (jobname, schedule, command) values ($1, $2, $3)
    on conflict (jobname) do update set schedule = excluded.schedule, command = excluded.command returning jobid';
  create function cron.schedule(schedule text, command text) returns bigint language sql as 'select cron.schedule(null, $1, $2)';
$$;

create function test.create_pg_net() returns void
language sql volatile set search_path = ''
as $$
  create schema net;
  create table net.request (id bigint generated always as identity, url text, body jsonb, headers jsonb, timeout_milliseconds integer);
  create function net.http_post(
    url text, body jsonb default '{}', params jsonb default '{}', headers jsonb default '{"Content-Type": "application/json"}',
    timeout_milliseconds integer default 5000
  ) returns bigint language sql as '
    insert into net.request (url, body, headers, timeout_milliseconds) values ($1, $2, $4, $5) returning id';
$$;

create function test.create_vault() returns void
language sql volatile set search_path = ''
as $$
  create schema vault;
  create table vault.secrets (name text unique, secret text);
  create view vault.decrypted_secrets as select name, secret as decrypted_secret from vault.secrets;
  create function vault.create_secret(new_secret text, new_name text) returns void language sql as '
    insert into vault.secrets (secret, name) values ($1, $2)';
$$;

-- Makes a deployment of the signed-in user. Anybody may start the deployment, within these limits.
create function test.deploy_limited(max_starts_per_minute integer default 1000000, max_runs_in_flight integer default 1000000) returns uuid
language plpgsql volatile set search_path = ''
as $$
declare
  v_id uuid := test.deploy(test.create_flow(auth.uid()));
begin
  update public.flow_deployments as d
  set start_permission = 'Anonymous', max_starts_per_minute = deploy_limited.max_starts_per_minute,
    max_runs_in_flight = deploy_limited.max_runs_in_flight
  where d.id = v_id;
  perform test.keep('deployment', v_id);
  return v_id;
end;
$$;

-- Starts the kept deployment as a caller with only a public key. Returns the id of the run.
create function test.start_by_key(idempotency_key text default null) returns uuid
language sql volatile set search_path = ''
as $$
  select (public.start_deployment(
    id => test.kept('deployment')::uuid, public_key => 'So11111111111111111111111111111111111111112',
    idempotency_key => start_by_key.idempotency_key
  ) ->> 'flow_run_id')::uuid;
$$;

-- Runs the deferred triggers, and then returns how many runs in flight count towards a share of the limit: guests,
-- others or all.
create function test.in_flight(share text default 'all') returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
begin
  set constraints all immediate;
  set constraints all deferred;
  return (
    select coalesce(sum(u.in_flight), 0) from private.deployment_usage as u
    where u.deployment_id = test.kept('deployment')::uuid and u.share = any (case in_flight.share when 'all' then '{guests,others}' else array[in_flight.share] end)
  );
end;
$$;

-- Fills the queue with this number of jobs of the user, as if runs waited. There are no rows of runs.
create function test.queue_runs(user_id uuid, count integer) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings)
  select gen_random_uuid(), queue_runs.user_id, sha256(''), '{"chain_network": {"url": "https://api.devnet.solana.com"}}'
  from generate_series(1, queue_runs.count);
$$;

-- Makes a deployment of the signed-in user with on_end.
create function test.deploy_telling(events text[] default '{succeeded,failed,stopped,signature_request}', url text default 'https://example.com/hook')
returns uuid
language plpgsql volatile set search_path = ''
as $$
declare
  v_id uuid := test.deploy(test.create_flow(auth.uid()));
begin
  update public.flow_deployments as d
  set on_end = jsonb_build_object('url', deploy_telling.url, 'events', deploy_telling.events)
  where d.id = v_id;
  return v_id;
end;
$$;

-- Makes this number of due deliveries of the user, all of one run.
create function test.queue_webhooks(
  user_id uuid, count integer, url text default 'https://example.com/hook', is_started_by_owner boolean default true,
  deployment_id uuid default gen_random_uuid()
) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into public.webhook_deliveries (user_id, flow_run_id, deployment_id, is_started_by_owner, event, url, payload)
  select queue_webhooks.user_id, r.id, queue_webhooks.deployment_id, queue_webhooks.is_started_by_owner, 'succeeded', queue_webhooks.url,
    jsonb_build_object('data', jsonb_build_object('flow_id', r.flow_id))
  from (select f.* from public.flow_run as f where f.user_id = queue_webhooks.user_id limit 1) as r
  cross join generate_series(1, queue_webhooks.count);
$$;
