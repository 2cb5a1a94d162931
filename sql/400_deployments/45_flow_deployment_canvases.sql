create table private.flow_deployment_canvases (
  deployment_id uuid primary key references public.flow_deployments (id) on delete cascade,
  canvas text not null,
  flow_hash bytea not null
);
comment on table private.flow_deployment_canvases is
  'The positions of the nodes in the editor when the flow was deployed, for all flows of a deployment. They are not part of the snapshot, so moving a node does not change the snapshot. They are stored as text, because a conversion to jsonb would make deploys too slow.';
comment on column private.flow_deployment_canvases.canvas is
  '{"<flow id>": positions}: the positions from private.canvas_text(), in the order of the nodes in the snapshot.';
comment on column private.flow_deployment_canvases.flow_hash is
  'private.flow_version_hash() of the deployed flow. The version of the flow with this hash is the deployed version.';
