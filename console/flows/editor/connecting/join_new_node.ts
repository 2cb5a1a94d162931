import { type PlainObject, readEdge, readNode } from '../../../shared/graph/drawn_node.ts';
import { edgeStarts } from '../edge_refusals.ts';
import { type FlowDocument, makeEdge } from '../flow_document.ts';
import { drawnNode, nodesById } from '../view.ts';
import { clearPair, fittingInputs, fittingStarts } from './fitting_ports.ts';

/** Draws an edge from a node to a new node if `clearPair` finds its two ports. */
export function joinBehind(document: FlowDocument, from: PlainObject, added: PlainObject): FlowDocument {
  const [source, target] = [drawnNode(from), readNode(added)];
  const pair = clearPair(source, target, document.edges.map(readEdge));
  if (pair === undefined) return document;
  const edge = {
    source: source.id,
    sourceHandle: pair.start.handle,
    target: target.id,
    targetHandle: pair.input.id,
  };
  return { ...document, edges: [...document.edges, makeEdge(edge)] };
}

/**
 * Puts a new node into an edge. The edge then ends at the new node, and keeps its expression. A second edge leads from
 * the new node to the input at which the first edge ended before. Returns undefined if the new node has no input or no
 * output that fits.
 */
export function splitEdge(document: FlowDocument, index: number, added: PlainObject): FlowDocument | undefined {
  const json = document.edges[index];
  if (json === undefined) return undefined;
  const edge = readEdge(json);
  const nodes = nodesById(document);
  const [source, target, middle] = [nodes.get(edge.source), nodes.get(edge.target), readNode(added)];
  const start = source && edgeStarts(source).find(({ handle }) => handle === edge.sourceHandle);
  const end = target?.inputs.find(({ id }) => id === edge.targetHandle);
  const [input] = start === undefined ? [] : fittingInputs(start, middle, []);
  const [onward] = end === undefined ? [] : fittingStarts(middle, end);
  if (input === undefined || onward === undefined) return undefined;
  const second = {
    source: middle.id,
    sourceHandle: onward.handle,
    target: edge.target,
    targetHandle: edge.targetHandle,
  };
  return {
    ...document,
    edges: [
      ...document.edges.with(index, { ...json, target: middle.id, targetHandle: input.id }),
      makeEdge(second),
    ],
  };
}
