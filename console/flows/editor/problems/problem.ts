import { isObject, type PlainObject, readEdge } from '../../../shared/graph/drawn_node.ts';
import { type FlowDocument, nodeIdOf } from '../flow_document.ts';
import { drawnNode } from '../view.ts';

/** The consequence of a problem: a deploy is refused, a run fails at the node, or neither. A note is no problem. */
export type Severity = 'prevents_deploy' | 'fails_run' | 'warning' | 'note';

/**
 * A fault that a deploy or a check finds in a flow. `edge_refusals.ts` has the reasons why the editor refuses to draw
 * an edge.
 */
export interface FlowProblem {
  code: string;
  severity: Severity;
  message: string;
  /** The path of the fault, such as `nodes[3].id` or `edges[0].source`. */
  path: string;
  /** The node at which the problem is shown; undefined if no node of this flow has the problem. */
  nodeId: string | undefined;
  /** The index of the edge that has the fault. */
  edge: number | undefined;
  /** The input or setting of the node. */
  field: string | undefined;
  /** The called flow that has the fault; undefined for this flow. */
  calledFlow: number | undefined;
}

type Place = Pick<FlowProblem, 'nodeId' | 'edge' | 'field'>;

const NOWHERE: Place = { nodeId: undefined, edge: undefined, field: undefined };

/**
 * Finds the node and the input to which an edge leads. If this node is missing, finds the node from which the edge
 * leads.
 */
function placeOfEdge(document: FlowDocument, index: number): Place {
  const json = document.edges[index];
  if (json === undefined) return NOWHERE;
  const { source, target, targetHandle } = readEdge(json);
  const nodeOf = (id: string): PlainObject | undefined => document.nodes.find((node) => nodeIdOf(node) === id);
  const at = nodeOf(target);
  const field = at && drawnNode(at).inputs.find(({ id }) => id === targetHandle)?.name;
  return { nodeId: at ? target : nodeOf(source) && source, edge: index, field };
}

/** Finds the place that a path names. */
function placeOf(document: FlowDocument, path: string, port: unknown): Place {
  const [, list, index, rest = ''] = /^(nodes|edges)\[(\d+)\](.*)$/s.exec(path) ?? [];
  if (list === 'edges') return placeOfEdge(document, Number(index));
  const node = list === 'nodes' ? document.nodes[Number(index)] : undefined;
  if (node === undefined) return NOWHERE;
  const field = /^\.data\.(?:targets_form\.form_data\.)?(.+)$/s.exec(rest)?.[1];
  return { nodeId: nodeIdOf(node), edge: undefined, field: typeof port === 'string' ? port : field };
}

/**
 * Returns the path of the fault. For the code `node_malformed`, `path` names only the node, so the member is read from
 * the beginning of the message.
 */
function memberPath(code: string, path: string, message: string): string {
  const member = code === 'node_malformed' ? /^data\.[\w.]+(?=: )/.exec(message)?.[0] : undefined;
  return member === undefined ? path : `${path}.${member}`;
}

const SEVERITIES: readonly string[] = ['prevents_deploy', 'fails_run', 'warning', 'note'] satisfies Severity[];

/** The warnings of a deploy that only tell what the author has drawn. */
const NOTES: readonly string[] = ['effect_skipped_by_branch'];

/**
 * Reads the problems of a check, the warnings of a deploy, or the details of `flow_invalid`. A problem of a called flow
 * gets no node. A problem without a severity of its own gets the argument `severity`.
 */
export function readProblems(
  list: unknown,
  document: FlowDocument,
  flowId: number,
  severity: Severity = 'warning',
): FlowProblem[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).map((problem): FlowProblem => {
    const calledFlow = typeof problem.flow_id === 'number' && problem.flow_id !== flowId ? problem.flow_id : undefined;
    const [code, path, message] = [String(problem.code), String(problem.path), String(problem.message)];
    const ownSeverity = NOTES.includes(code) ? 'note' : problem.severity;
    return {
      code,
      severity: SEVERITIES.includes(String(ownSeverity)) ? ownSeverity as Severity : severity,
      message: calledFlow === undefined ? message : `in flow ${calledFlow}: ${message}`,
      path,
      calledFlow,
      ...(calledFlow === undefined ? placeOf(document, memberPath(code, path, message), problem.port) : NOWHERE),
    };
  });
}

/** The problems without the notes. */
export const withoutNotes = (list: readonly FlowProblem[]): FlowProblem[] =>
  list.filter(({ severity }) => severity !== 'note');

/** Groups the messages by the nodes at which they are shown. Notes are not shown at nodes. */
export function messagesByNode(problems: readonly FlowProblem[]): Map<string, string[]> {
  const messages = new Map<string, string[]>();
  for (const { nodeId, message } of withoutNotes(problems)) {
    if (nodeId !== undefined) messages.set(nodeId, [...messages.get(nodeId) ?? [], message]);
  }
  return messages;
}

/** Returns a text that identifies a problem within its flow. */
export const keyOf = ({ code, path, message, calledFlow }: FlowProblem): string =>
  JSON.stringify([calledFlow, code, path, message]);
