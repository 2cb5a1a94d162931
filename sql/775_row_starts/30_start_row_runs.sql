-- The milliseconds since 1970 at the last poke by a row start. A sequence, because its value is seen by other
-- transactions at once, and no transaction waits for it.
create sequence private.row_start_pokes minvalue 0 start 0;
comment on sequence private.row_start_pokes is
  'The time at which a row start last called private.poke_runner(), in milliseconds since 1970.';

create function private.poke_runner_for_rows()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_now constant bigint := extract(epoch from clock_timestamp()) * 1000;
begin
  if v_now - (select p.last_value from private.row_start_pokes as p) >= 1000 then
    perform setval('private.row_start_pokes', v_now);
    perform private.poke_runner();
  end if;
exception when others then
  -- The start does not depend on the poke: pg_cron pokes the runner every 10 seconds.
  null;
end;
$$;
comment on function private.poke_runner_for_rows() is
  'Calls private.poke_runner(), unless a row start has done so within the last second. pg_net sends the request after the commit. Ignores errors.';

create function private.deployment_of_row_start(row_start public.flow_row_starts)
returns public.flow_deployments
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_deployment public.flow_deployments;
begin
  perform from auth.users as u
  where u.id = deployment_of_row_start.row_start.user_id and u.deleted_at is null
    and u.banned_until > now() is not true;
  if not found then
    perform private.fail('token_invalid', 'The owner of this flow has been deleted or banned.');
  end if;
  v_deployment := private.own_deployment(
    deployment_of_row_start.row_start.flow, deployment_of_row_start.row_start.tag, null
  );
  -- The writing transaction may hold locks for which a deletion of the owner waits, because rows of users are often
  -- deleted with their user. So do not wait for that deletion; treat the deployment as deleted.
  perform from public.flow_deployments as d where d.id = v_deployment.id for key share skip locked;
  if not found then
    perform private.refuse_missing_tag(
      deployment_of_row_start.row_start.flow, deployment_of_row_start.row_start.tag
    );
  end if;
  return v_deployment;
end;
$$;
-- The lock of the deployment is enough to keep the owner, too: the deletion of a user deletes the user's deployments
-- before it looks for runs that the user started.
comment on function private.deployment_of_row_start(public.flow_row_starts) is
  'The deployment that a row start starts, locked against deletion until the transaction ends. 404 deployment_not_found; 401 token_invalid if the owner is deleted or banned. Definer, because it reads rows of all users.';

create function private.start_row_runs(
  row_start public.flow_row_starts, deployment public.flow_deployments, changes jsonb[]
)
returns text
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller;
  v_change jsonb;
  v_error text;
begin
  v_caller.user_id := start_row_runs.row_start.user_id;
  v_caller.row_start_id := start_row_runs.row_start.id;
  begin
    foreach v_change in array start_row_runs.changes loop
      perform private.enqueue_run(
        start_row_runs.deployment, v_caller, '{}',
        jsonb_build_object(start_row_runs.row_start.input, v_change), null, null, null
      );
    end loop;
    return null;
  exception when others then
    if start_row_runs.row_start.on_refusal = 'abort' then
      raise;
    end if;
    v_error := private.error_line(sqlstate, sqlerrm);
  end;
  -- All starts above are undone. One of them was refused, so make each of them again in a subtransaction of its own.
  -- Thousands of subtransactions slow down all readers of the database, so try without them first.
  if cardinality(start_row_runs.changes) > 1 then
    foreach v_change in array start_row_runs.changes loop
      v_error := coalesce(
        private.start_row_runs(start_row_runs.row_start, start_row_runs.deployment, array[v_change]), v_error
      );
    end loop;
  end if;
  return v_error;
end;
$$;
comment on function private.start_row_runs(public.flow_row_starts, public.flow_deployments, jsonb[]) is
  'Starts a run for each change. Returns the last error if starts were refused; the other runs are started. If on_refusal is abort, raises the error. Definer, because no API role may insert runs.';

create function private.note_row_refusal(row_start_id uuid, error text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update public.flow_row_starts as s
  set refused = s.refused + 1, last_error = note_row_refusal.error, last_refused_at = clock_timestamp()
  where s.id = (
    select free.id from public.flow_row_starts as free
    where free.id = note_row_refusal.row_start_id for no key update skip locked
  );
end;
$$;
comment on function private.note_row_refusal(uuid, text) is
  'Records the refusal of a start in the row of its row start, unless another transaction has locked this row: writes of users must not wait for each other. Definer, because no API role may write these columns.';
