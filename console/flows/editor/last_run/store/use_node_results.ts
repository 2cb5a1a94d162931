import { useMemo } from 'react';
import { readEdge } from '../../../../shared/graph/drawn_node.ts';
import { useEditorState } from '../../editor_context.tsx';
import { nodeIdOf } from '../../flow_document.ts';
import { drawnNode } from '../../view.ts';
import { type DraftRun, type NodeResult, nodeResults } from './node_results.ts';

/** Returns the results of the drawn nodes. They stay the same object until a run, a title or an edge changes. */
export function useNodeResults(runs: readonly DraftRun[]): ReadonlyMap<string, NodeResult> {
  const { document: { nodes, edges } } = useEditorState();
  // While nodes are moved, this text stays equal, so `useMemo` keeps its result.
  const titles = JSON.stringify(nodes.map((json) => [nodeIdOf(json), drawnNode(json).title]));
  return useMemo(
    () => nodeResults(runs, { titles: new Map(JSON.parse(titles) as [string, string][]), edges: edges.map(readEdge) }),
    [runs, titles, edges],
  );
}
