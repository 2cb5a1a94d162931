import { type DrawnInput, isObject, objectAt, readEdge } from '../../../shared/graph/drawn_node.ts';
import { type FlowDocument, nodeIdOf } from '../flow_document.ts';
import { nodesById } from '../view.ts';
import { mayAct } from '../wiring/when_absent.ts';

/** The nodes whose outputs may stay without a value although the node succeeds. */
const CHOOSING = /^(?:branch|switch|gate|fileexplorer|javascript|rhai_script.*)$/;

/** The nodes that have effects only with some form data. */
const MAY_ONLY_READ = /^(?:http_request|das_api|interflow|interflow_instructions)$/;

/** What a node needs of its edges. */
interface NodeNeeds {
  /** True if an output may stay without a value although the node succeeds. */
  isChoosing: boolean;
  /** True if the node may have effects. */
  mayAct: boolean;
  incoming: { index: number; source: string; hasExpression: boolean; isNeeded: boolean }[];
  /** True if the node runs if one of its edges brings a value. */
  needsOneValue: boolean;
}

/** Reads what each node needs to run. */
export function needsOf(document: FlowDocument): ReadonlyMap<string, NodeNeeds> {
  const nodes = nodesById(document);
  const needs = new Map(document.nodes.map((json): [string, NodeNeeds] => {
    const { node_id, sources, on_error } = objectAt(json, 'data');
    const hasOptionalOutput = Array.isArray(sources) &&
      sources.some((port: unknown) => isObject(port) && port.optional === true);
    const isChoosing = CHOOSING.test(String(node_id)) || on_error === 'output' || hasOptionalOutput;
    return [nodeIdOf(json), { isChoosing, mayAct: mayAct(json), incoming: [], needsOneValue: true }];
  }));
  for (const [index, json] of document.edges.entries()) {
    const { source, target, targetHandle } = readEdge(json);
    const [node, own] = [nodes.get(target), needs.get(target)];
    if (node === undefined || own === undefined) continue;
    const input: DrawnInput | undefined = node.inputs.find(({ id }) => id === targetHandle);
    const hasWord = input?.whenAbsent !== undefined;
    const needsAll = own.mayAct && !MAY_ONLY_READ.test(node.nodeId);
    const hasExpression = objectAt(json, 'data').expression !== undefined;
    own.incoming.push({ index, source, hasExpression, isNeeded: !hasWord && (input?.isRequired === true || needsAll) });
    if (hasWord || input?.isRequired === true || node.nodeId === 'collect') own.needsOneValue = false;
  }
  return needs;
}

/** Tests whether a node runs although the values of some edges are missing. */
const runsWithout = ({ incoming, needsOneValue }: NodeNeeds, isMissing: (edge: number) => boolean): boolean =>
  !incoming.some(({ index, isNeeded }) => isNeeded && isMissing(index)) &&
  (!needsOneValue || incoming.length === 0 || incoming.some(({ index }) => !isMissing(index)));

/** Remembers the answers of a test of nodes. In a circle of edges, which a deploy refuses, the answer is `inCircle`. */
function remembered(test: (nodeId: string) => boolean, inCircle: boolean): (nodeId: string) => boolean {
  const known = new Map<string, boolean>();
  return (id) => {
    const former = known.get(id);
    if (former !== undefined) return former;
    known.set(id, inCircle);
    const result = test(id);
    known.set(id, result);
    return result;
  };
}

/**
 * Returns a function that tests whether outputs of a node may stay without a value, although no node fails. Nodes outside
 * of `among` count as nodes that bring all their values.
 */
export function mayStayUnset(
  needs: ReadonlyMap<string, NodeNeeds>,
  isAmong: (nodeId: string) => boolean,
): (nodeId: string) => boolean {
  const mayBe = remembered((id): boolean => {
    const node = needs.get(id);
    if (node === undefined || !isAmong(id)) return false;
    const unset = new Set(
      node.incoming.filter(({ source, hasExpression }) => hasExpression || mayBe(source)).map(({ index }) => index),
    );
    return node.isChoosing || !runsWithout(node, (edge) => unset.has(edge));
  }, false);
  return mayBe;
}

/**
 * Finds a chosen node that acts, or gives a value to other nodes, although the values of some edges are missing. Returns
 * its id; undefined if there is none.
 */
export function actsWithout(
  needs: ReadonlyMap<string, NodeNeeds>,
  chosen: ReadonlySet<string>,
  isLeaving: (nodeId: string) => boolean,
  missing: ReadonlySet<number>,
): string | undefined {
  const runs = remembered((id): boolean => {
    const node = needs.get(id);
    if (node === undefined || !chosen.has(id)) return true;
    const lacking = new Set(
      node.incoming.filter(({ index, source }) => missing.has(index) || !runs(source)).map(({ index }) => index),
    );
    return runsWithout(node, (edge) => lacking.has(edge));
  }, true);
  return [...chosen].find((id) => (needs.get(id)?.mayAct === true || isLeaving(id)) && runs(id));
}
