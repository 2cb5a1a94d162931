import type { DrawnEdge } from '../../../shared/graph/drawn_node.ts';
import { edgeStarts } from '../edge_refusals.ts';
import type { EditorStore } from '../editor_store.ts';
import { changeNode, makeEdge } from '../flow_document.ts';
import { drawnNode, nodesById } from '../view.ts';
import { scriptNodeId } from './named_ports.ts';
import { addPort } from './script_ports.ts';

/** Adds an input to a script with the edge that leads to it, in one step. The input gets the name of the output. */
export function connectNewInput(store: EditorStore, edge: DrawnEdge): void {
  const source = nodesById(store.state().document).get(edge.source);
  const start = source && edgeStarts(source).find(({ handle }) => handle === edge.sourceHandle);
  store.change((document) => ({
    ...changeNode(document, edge.target, (json) => {
      const nodeId = scriptNodeId(drawnNode(json));
      return nodeId === undefined
        ? json
        : addPort(json, nodeId, 'input', { wanted: start?.name, id: edge.targetHandle });
    }),
    edges: [...document.edges, makeEdge(edge)],
  }));
  store.select(new Set([edge.target]));
}
