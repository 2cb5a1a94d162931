create function private.tg_flow_deployments_tags__after_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from private.flow_deployment_connections as m
  join public.connections as c on c.id = m.connection_id
  where m.deployment_id = new.deployment_id
  order by c.name
  for key share of c;
  return null;
end;
$$;
comment on function private.tg_flow_deployments_tags__after_write() is
  'Locks the connections of a deployment that gets a tag. If another transaction deletes one of these connections meanwhile, it waits for the lock, then finds the tag and is refused. Definer, because users may not lock connections.';
create trigger _900_lock_connections after insert or update of deployment_id on public.flow_deployments_tags
  for each row execute function private.tg_flow_deployments_tags__after_write();
