import { parse, stringify } from 'lossless-json';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../dev/stack/paths.ts';
import type { SnapshotEdge, SnapshotNode } from '../../types/flow.ts';
import { FlowBuilder } from './flow_builder.ts';

/** The folders of flows that editors saved: the project's, and one beside the project if it exists. */
export const ownFlows = join(projectDir, 'tests/fixtures/flows');
export const sharedFlows = join(projectDir, '../shared/flows');
export const hasSharedFlows = existsSync(sharedFlows);

/** Reads a flow that the editor exported. */
export function readFlow(folder: string, name: string): FlowBuilder {
  // SAFETY: the file is an export of the editor. Members that the type lacks are not read at run time.
  const { nodes, edges, instructions_bundling: bundling = 'Off' } = parse(
    readFileSync(join(folder, `${name}.json`), 'utf8'),
  ) as unknown as { nodes: SnapshotNode[]; edges: SnapshotEdge[]; instructions_bundling?: FlowBuilder['bundling'] };
  return Object.assign(new FlowBuilder(), { nodes, edges, bundling });
}

/** Returns the flow with changed settings in all nodes of this `node_id`. Numbers become JavaScript numbers. */
export function withSettings(flow: FlowBuilder, nodeId: string, settings: { [name: string]: unknown }): FlowBuilder {
  const { nodes, edges } = JSON.parse(stringify(flow.row())!) as ReturnType<FlowBuilder['row']>;
  for (const { data } of nodes) {
    if (data.node_id === nodeId) Object.assign(data.targets_form.form_data as object, settings);
  }
  return Object.assign(new FlowBuilder(), { nodes, edges, bundling: flow.bundling });
}
