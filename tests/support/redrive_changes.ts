import type { SnapshotChanges } from '../../runner/engine/state/journal.ts';
import type { Graph } from '../../types/flow.ts';

/**
 * Finds the changes from an old graph to a new one, as `private.redrive_changes()` does. The called flows must be
 * unchanged.
 */
export function redriveChanges(before: Graph, after: Graph, called: readonly string[] = []): SnapshotChanges {
  const dataOf = new Map(after.nodes.map(({ id, data }) => [id, JSON.stringify(data)]));
  const edgesInto = ({ edges }: Graph, id: string) => JSON.stringify(edges.filter(({ target }) => target === id));
  const nodes = Object.fromEntries(
    before.nodes.flatMap(({ id, data }) => {
      if (!dataOf.has(id)) return [[id, 'removed']];
      if (dataOf.get(id) !== JSON.stringify(data)) return [[id, 'data']];
      return edgesInto(before, id) === edgesInto(after, id) ? [] : [[id, 'edges']];
    }),
  );
  const unchanged = { nodes: {}, calls: [] };
  return { entry: { nodes, calls: [] }, ...Object.fromEntries(called.map((flow) => [flow, unchanged])) };
}
