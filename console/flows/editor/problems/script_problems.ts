import { type CodeFault } from '../../../shared/code/parse_code.ts';
import { scriptFaults } from '../../../shared/code/script_faults.ts';
import { objectAt, type PlainObject, readEdge } from '../../../shared/graph/drawn_node.ts';
import { type FlowDocument, nodeIdOf } from '../flow_document.ts';
import { codeOf } from '../node_form.ts';
import { drawnNode } from '../view.ts';
import type { FlowProblem } from './problem.ts';

/** The most sources that are parsed. A deploy parses as many. */
const MAX_SOURCES = 500;

/** The known faults of each node or edge. A changed node or edge is a new object, so it is parsed again. */
const known = new WeakMap<PlainObject, Promise<CodeFault[]>>();

const parseOnce = (json: PlainObject, parse: () => Promise<CodeFault[]>): Promise<CodeFault[]> => {
  const faults = known.get(json) ?? parse();
  known.set(json, faults);
  return faults;
};

interface Source {
  json: PlainObject;
  place: Pick<FlowProblem, 'code' | 'severity' | 'path' | 'nodeId' | 'edge' | 'field'>;
  parse: () => Promise<CodeFault[]>;
}

/** Returns the script of a node; undefined if the node has no script, or gets it through an edge. */
function scriptOf(json: PlainObject, index: number, connected: ReadonlySet<string>): Source | undefined {
  const node = drawnNode(json);
  const code = node.kind === 'native' ? codeOf(node) : undefined;
  if (code === undefined) return undefined;
  const port = node.inputs.find(({ name }) => name === code.name);
  if (port !== undefined && connected.has(port.id)) return undefined;
  const source = objectAt(json, 'data', 'targets_form', 'form_data')[code.name];
  if (typeof source !== 'string' || source === '') return undefined;
  const inputs = node.inputs.map(({ name }) => name).filter((name) => name !== code.name);
  return {
    json,
    place: {
      code: 'script_invalid',
      // A deploy only warns of a wrong script.
      severity: 'fails_run',
      path: `nodes[${index}].data.targets_form.form_data.${code.name}`,
      nodeId: nodeIdOf(json),
      edge: undefined,
      field: code.name,
    },
    parse: () => scriptFaults(code.language, source, inputs),
  };
}

/** Returns the expression of an edge; undefined if the edge has no expression. */
function expressionOf(json: PlainObject, index: number): Source | undefined {
  const { expression } = objectAt(json, 'data');
  if (typeof expression !== 'string' || expression === '') return undefined;
  return {
    json,
    place: {
      code: 'expression_invalid',
      severity: 'prevents_deploy',
      path: `edges[${index}].data.expression`,
      nodeId: readEdge(json).target,
      edge: index,
      field: undefined,
    },
    parse: () => scriptFaults('jsonata', expression),
  };
}

/** Parses the scripts and expressions of a flow, as a deploy does, and returns their faults. */
export async function scriptProblems({ nodes, edges }: FlowDocument): Promise<FlowProblem[]> {
  const connected = new Set(edges.map((edge) => readEdge(edge).targetHandle));
  const sources = [
    ...nodes.map((json, index) => scriptOf(json, index, connected)),
    ...edges.map(expressionOf),
  ].filter((source) => source !== undefined).slice(0, MAX_SOURCES);
  const problems = await Promise.all(sources.map(async ({ json, place, parse }): Promise<FlowProblem[]> => {
    const faults = await parseOnce(json, parse);
    const what = place.edge === undefined ? 'script' : 'expression';
    return faults.map(({ line, column, message }) => ({
      ...place,
      message: `the ${what} is wrong at line ${line}, column ${column}: ${message}`,
      calledFlow: undefined,
    }));
  }));
  return problems.flat();
}
