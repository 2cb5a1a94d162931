create table private.flow_snapshots (
  hash bytea primary key,
  data jsonb not null,
  created_at timestamptz not null default now(),
  constraint flow_snapshots_hash_length check (octet_length(hash) = 32)
);
comment on table private.flow_snapshots is
  'Frozen graphs. Runs execute these graphs even if the flows have changed since. Equal graphs are stored once. Rows are never updated.';
comment on column private.flow_snapshots.hash is 'SHA-256 of the text of data.';
comment on column private.flow_snapshots.data is
  '{entry: graph, flows: {"<flow id>": graph}}: the flow itself, and the flows that it reaches through interflow nodes. A graph is {nodes, edges, environment, instructions_bundling}. If the graphs have described nodes, definitions has their frozen definitions by hash, and data.definition of each node has the hash.';

-- Freezes a flow and all flows that it calls, directly or through others. Uses the given row of the flow and the
-- current rows of the called flows. Returns the hash of the snapshot. If keeps_canvas is true, also returns the
-- positions of the nodes in the editor, {"<flow id>": private.canvas_text()}, as text. Callers must check the
-- permission. 422 flow_invalid lists the first 1,000 findings that keep the flows from running.
create function private.freeze_flow(entry public.flows, keeps_canvas boolean, out snapshot_hash bytea, out canvas text)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_reduced constant record := private.reduce_flow(freeze_flow.entry, freeze_flow.keeps_canvas, null);
  v_max_findings constant integer := private.limit_listed_findings();
begin
  if v_reduced.findings <> '[]' then
    perform private.fail(
      'flow_invalid',
      format('The flow can''t run: %s.', v_reduced.findings #>> '{0,message}')
        || case when jsonb_array_length(v_reduced.findings) > v_max_findings
          then format(' The details are the first %s findings.', v_max_findings) else '' end,
      private.first_elements(v_reduced.findings, v_max_findings)
    );
  end if;
  canvas := v_reduced.canvas;
  snapshot_hash := sha256(convert_to(v_reduced.data, 'UTF8'));
  loop
    -- If an equal snapshot exists, lock it, so that the sweep does not delete it before the caller has stored its hash.
    perform from private.flow_snapshots as s where s.hash = freeze_flow.snapshot_hash for key share;
    exit when found;
    insert into private.flow_snapshots (hash, data) values (freeze_flow.snapshot_hash, v_reduced.data::jsonb)
      on conflict (hash) do nothing;
    exit when found;
  end loop;
end;
$$;
comment on function private.freeze_flow(public.flows, boolean) is
  'Makes a snapshot of a flow and of all flows that it reaches. 422 flow_invalid if the flows can''t run. Callers must check the permission. Definer, because no API role may access snapshots.';
