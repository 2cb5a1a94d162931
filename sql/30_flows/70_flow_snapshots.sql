create table private.flow_snapshots (
  hash bytea primary key,
  data jsonb not null,
  created_at timestamptz not null default now(),
  constraint flow_snapshots_hash_length check (octet_length(hash) = 32)
);
comment on table private.flow_snapshots is
  'Frozen graphs, stored once each: what deployments and runs execute, whatever happens to the flows. Never updated.';
comment on column private.flow_snapshots.hash is 'SHA-256 of the text of data.';
comment on column private.flow_snapshots.data is
  '{entry: graph, flows: {"<flow id>": graph}}: the flow itself and those that it reaches through interflow nodes; a graph is {nodes, edges, environment, instructions_bundling}.';
