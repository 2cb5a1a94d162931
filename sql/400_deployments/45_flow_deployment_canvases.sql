create table private.flow_deployment_canvases (
  deployment_id uuid primary key references public.flow_deployments (id) on delete cascade,
  canvas text not null
);
comment on table private.flow_deployment_canvases is
  'Where the editor drew the nodes of a deployment''s flows. Not part of the snapshot, so that a node that is only moved changes none. A text, since a deploy has no time to make jsonb of it.';
comment on column private.flow_deployment_canvases.canvas is
  '{"<flow id>": positions as private.canvas_text() gives them}, in the order of the nodes in the snapshot.';
