-- The flows that users publish for other users. RLS lets users read only their own rows of public.flows. RLS does not
-- limit the view private.shared_flows, because this view runs with the rights of the role that created it. PostgREST
-- does not expose the schema private, so if somebody adds a column to this view by mistake, clients can't read the
-- column. Clients read the view public.public_flows, which has the same columns and runs with the caller's rights. The
-- caller needs grants on both views.

create view private.shared_flows with (security_barrier = true) as
select f.id, f.user_id, f.name, f.description, f.nodes, f.edges,
  jsonb_build_object('cluster', f.chain_network -> 'cluster') as chain_network,
  f.instructions_bundling, f.start_shared, f.start_unverified, f.created_at, f.updated_at
from public.flows as f
where f.is_public;
comment on view private.shared_flows is
  'The public flows, without their environment and without the URL of their Solana network. The view is a security barrier: Postgres applies a caller''s conditions only to public flows, so that they can''t reveal other flows.';
comment on column private.shared_flows.id is 'The id in public.flows.';
comment on column private.shared_flows.user_id is 'The owner.';
comment on column private.shared_flows.nodes is 'The nodes with their form data.';
comment on column private.shared_flows.edges is 'The edges between the nodes.';
comment on column private.shared_flows.chain_network is 'The Solana network, {cluster}.';

create view public.public_flows with (security_invoker = true) as
select s.id, s.user_id, s.name, s.description, s.nodes, s.edges, s.chain_network, s.instructions_bundling,
  s.start_shared,
  s.start_unverified, s.created_at, s.updated_at
from private.shared_flows as s;
comment on view public.public_flows is
  'The public flows of all users, for every signed-in user. The view has all columns of flows except environment and is_public. chain_network contains only cluster. Owners read and write their own flows in the table flows.';
comment on column public.public_flows.id is 'The id in flows.';
comment on column public.public_flows.user_id is 'The owner.';
comment on column public.public_flows.nodes is 'The nodes with all form data, which the owner publishes with the flow.';
comment on column public.public_flows.edges is 'The editor''s edge objects.';
comment on column public.public_flows.chain_network is
  'The Solana network of the flow''s runs, {cluster}. The address is left out, because it may contain a key.';

grant select on private.shared_flows to authenticated, service_role;
grant select on public.public_flows to authenticated, service_role;
