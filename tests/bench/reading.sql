create function bench.deployment_id(number integer)
returns uuid
language sql immutable
as $$
  select lpad(to_hex(number), 32, '0')::uuid
$$;

-- Adds 1,000 ended runs for each of this number of deployments. Successive runs belong to different deployments.
create function bench.add_runs(user_id uuid, first_deployment integer, deployments integer)
returns void
language sql volatile
as $$
  insert into public.flow_run (user_id, flow_id, deployment_id, status, started_by, inputs, output, start_time, end_time, chain_network)
  select
    add_runs.user_id, 1, bench.deployment_id(add_runs.first_deployment + n % add_runs.deployments), 'succeeded', add_runs.user_id,
    '{"M": {"value": {"D": "7"}}}', '{"M": {"text": {"S": "7"}}}', now(), now(), '{"cluster": "devnet"}'
  from generate_series(0, add_runs.deployments * 1000 - 1) as n
$$;

-- Reads this number of times, and returns the time in ms of each read, without the network. As PostgREST does for each
-- request, the function first calls pre_request, which checks the credential; the plan of the read is cached. If role
-- is null, the reads run as the superuser, without pre_request and policies.
create function bench.read_times(deployment_id uuid, repetitions integer, role text, claims jsonb, headers jsonb)
returns table (ms double precision, rows bigint)
language plpgsql volatile
as $$
declare
  v_began timestamptz;
begin
  for v_count in 1..read_times.repetitions loop
    if read_times.role is not null then
      perform set_config('role', read_times.role, true), set_config('request.jwt.claims', read_times.claims::text, true),
        set_config('request.headers', read_times.headers::text, true);
    end if;
    v_began := clock_timestamp();
    if read_times.role is not null then
      perform private.pre_request();
    end if;
    perform r.* from public.flow_run as r where r.deployment_id = read_times.deployment_id order by r.id desc limit 50;
    get diagnostics rows := row_count;
    ms := extract(epoch from clock_timestamp() - v_began) * 1000;
    return next;
  end loop;
end;
$$;
grant execute on function bench.read_times(uuid, integer, text, jsonb, jsonb) to anon, authenticated;
