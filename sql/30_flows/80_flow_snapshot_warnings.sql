create table private.flow_snapshot_warnings (
  snapshot_hash bytea primary key references private.flow_snapshots (hash) on delete cascade,
  nodes_version bigint not null,
  warnings jsonb not null
);
comment on table private.flow_snapshot_warnings is
  'What a run of a frozen graph will stumble over: kept, since a flow is started far more often than it is changed.';
comment on column private.flow_snapshot_warnings.nodes_version is 'The version in private.native_nodes that they were found with; with another one they are found anew.';
comment on column private.flow_snapshot_warnings.warnings is
  'Of private.flow_warnings, the first 100; those of called flows have the flow''s flow_id, those of the flow itself none, since flows that are equal share a snapshot.';
