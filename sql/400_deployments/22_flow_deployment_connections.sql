create table private.flow_deployment_connections (
  deployment_id uuid references public.flow_deployments (id) on delete cascade,
  name text,
  connection_id uuid not null references public.connections (id) on delete cascade,
  constraint flow_deployment_connections_pkey primary key (deployment_id, name)
);
comment on table private.flow_deployment_connections is
  'The connections that a deployment''s nodes name. They are not part of the snapshot, because different owners may share a snapshot. If a name has no row, the owner had no connection with this name at the deploy, or has deleted it since. Nodes that name it then fail.';
create index flow_deployment_connections_connection_id_idx
  on private.flow_deployment_connections (connection_id);
