import { parse, stringify } from 'lossless-json';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../supabase/local/paths.ts';
import type { SnapshotEdge, SnapshotNode } from '../../types/flow.ts';
import { FlowBuilder } from './flow_builder.ts';

/** Flows as the editor saves them: ours, and real ones that lie beside the project where it is developed. */
export const ownFlows = join(projectDir, 'tests/fixtures/flows');
export const sharedFlows = join(projectDir, '../shared/flows');
export const hasSharedFlows = existsSync(sharedFlows);

/** Reads a flow as the editor exports it. */
export function readFlow(folder: string, name: string): FlowBuilder {
  // SAFETY: an export of the editor, with members that nobody reads at run time.
  const { nodes, edges, instructions_bundling: bundling = 'Off' } = parse(
    readFileSync(join(folder, `${name}.json`), 'utf8'),
  ) as unknown as { nodes: SnapshotNode[]; edges: SnapshotEdge[]; instructions_bundling?: FlowBuilder['bundling'] };
  return Object.assign(new FlowBuilder(), { nodes, edges, bundling });
}

/** The same flow with changed settings of its nodes of one kind, its numbers as JavaScript sends them. */
export function withSettings(flow: FlowBuilder, nodeId: string, settings: { [name: string]: unknown }): FlowBuilder {
  const { nodes, edges } = JSON.parse(stringify(flow.row())!) as ReturnType<FlowBuilder['row']>;
  for (const { data } of nodes) {
    if (data.node_id === nodeId) Object.assign(data.targets_form.form_data as object, settings);
  }
  return Object.assign(new FlowBuilder(), { nodes, edges, bundling: flow.bundling });
}
