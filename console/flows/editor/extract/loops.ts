import { type DrawnEdge, type DrawnNode, readEdge } from '../../../shared/graph/drawn_node.ts';
import type { FlowDocument } from '../flow_document.ts';
import { nodesById } from '../view.ts';

/** The `foreach` nodes whose elements a node gets, and those whose elements its outputs are, the outermost first. */
interface NodeLoops {
  before: readonly string[];
  behind: readonly string[];
}

/** Finds the loops of each node. A `foreach` begins a loop, and a `collect` ends the innermost one. */
export function loopsOf(document: FlowDocument): (nodeId: string) => NodeLoops {
  const nodes = nodesById(document);
  const edges = document.edges.map(readEdge);
  const known = new Map<string, NodeLoops>();
  const find = (id: string): NodeLoops => {
    const former = known.get(id);
    if (former !== undefined) return former;
    // If the edges form a circle, which a deploy refuses, the search ends here.
    known.set(id, { before: [], behind: [] });
    const before = edges.filter(({ target }) => target === id).map(({ source }) => find(source).behind)
      .reduce<readonly string[]>((longest, loops) => loops.length > longest.length ? loops : longest, []);
    const kind = nodes.get(id)?.nodeId;
    const behind = kind === 'foreach' ? [...before, id] : kind === 'collect' ? before.slice(0, -1) : before;
    const loops = { before, behind };
    known.set(id, loops);
    return loops;
  };
  return find;
}

/** Returns the reason why nodes can't become a flow of their own: a loop would begin in one flow and end in another. */
export function whyLoopIsCut(
  document: FlowDocument,
  nodes: ReadonlyMap<string, DrawnNode>,
  chosen: ReadonlySet<string>,
  leaving: readonly DrawnEdge[],
): string | undefined {
  const loops = loopsOf(document);
  const titleOf = (id: string) => `“${nodes.get(id)?.title ?? id}”`;
  for (const { source } of leaving) {
    const open = loops(source).behind.find((id) => chosen.has(id));
    if (open !== undefined) {
      return `${
        titleOf(open)
      } hands on the elements of a list. Also select the nodes up to “Collect”, which ends the loop.`;
    }
  }
  for (const id of chosen) {
    const ended = nodes.get(id)?.nodeId === 'collect' ? loops(id).before.at(-1) : undefined;
    if (ended !== undefined && !chosen.has(ended)) {
      return `${titleOf(id)} ends the loop of ${titleOf(ended)}. Select both, or neither.`;
    }
  }
  return undefined;
}
