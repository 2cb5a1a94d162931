create table private.deployment_run_settings (
  deployment_id uuid primary key references public.flow_deployments (id) on delete cascade,
  settings jsonb not null
);
comment on table private.deployment_run_settings is
  'private.run_settings() of each deployment, with an action_signer of null. Triggers keep it, so that a start need not compute it.';

create function private.tg_flow_deployments__after_write_settings()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into private.deployment_run_settings as s (deployment_id, settings)
  values (new.id, private.run_settings(new) || '{"action_signer": null}')
  on conflict on constraint deployment_run_settings_pkey do update set settings = excluded.settings;
  return null;
end;
$$;
comment on function private.tg_flow_deployments__after_write_settings() is
  'Keeps the settings of the runs of a deployment. Definer, because no API role may access them.';
create trigger _300_keep_run_settings after insert or update on public.flow_deployments
  for each row execute function private.tg_flow_deployments__after_write_settings();

create function private.tg_flow_deployment_connections__after_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- If the deployment is being deleted, its settings are deleted, too.
  update private.deployment_run_settings as s
  set settings = s.settings || jsonb_build_object('connections', private.run_settings(d) -> 'connections')
  from public.flow_deployments as d
  where d.id = coalesce(new.deployment_id, old.deployment_id) and s.deployment_id = d.id;
  return null;
end;
$$;
comment on function private.tg_flow_deployment_connections__after_write() is
  'Keeps the connections in the settings of the runs of a deployment. Definer, because users who delete connections may not access the settings.';
create trigger _300_keep_run_settings after insert or update or delete on private.flow_deployment_connections
  for each row execute function private.tg_flow_deployment_connections__after_write();
