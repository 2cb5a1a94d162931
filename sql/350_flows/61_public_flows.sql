-- The flows that users publish for other users. RLS lets only the owner read a row of public.flows, so a view that runs
-- as its owner provides the rows. That view is private, because it is easy to add one column too many to a view of an
-- exposed schema. Clients read a second view with the same columns, which runs as its caller. The caller needs grants
-- on both.

create view private.shared_flows with (security_barrier = true) as
select f.id, f.user_id, f.name, f.description, f.nodes, f.edges,
  jsonb_build_object('cluster', f.chain_network -> 'cluster') as chain_network,
  f.instructions_bundling, f.start_shared, f.start_unverified, f.created_at, f.updated_at
from public.flows as f
where f.is_public;
comment on view private.shared_flows is
  'The public flows, without environment and without the address of their network. It is a security barrier, so conditions of a query see only public flows.';
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
  'The public flows of all users, for every signed-in user: the columns of flows without environment, and of chain_network only the cluster. Owners read and write their own flows in the table public.flows.';
comment on column public.public_flows.id is 'The id in flows.';
comment on column public.public_flows.user_id is 'The owner.';
comment on column public.public_flows.nodes is 'The nodes with all form data, which the owner publishes with the flow.';
comment on column public.public_flows.edges is 'The editor''s edge objects.';
comment on column public.public_flows.chain_network is
  'The Solana network of the flow''s runs, {cluster}. The address is left out, because it may contain a key.';

grant select on private.shared_flows to authenticated, service_role;
grant select on public.public_flows to authenticated, service_role;
