import { scriptFaults } from '../../../shared/code/script_faults.ts';
import { type DrawnNode, objectAt, type PlainObject, readEdge } from '../../../shared/graph/drawn_node.ts';
import { type FlowDocument, nodeIdOf } from '../flow_document.ts';
import { codeOf } from '../node/node_form.ts';
import { drawnNode } from '../view.ts';
import type { FlowProblem } from './problem.ts';

/** The most scripts, expressions and schemas of a flow that are parsed. A deploy has the same limit. */
const MAX_SOURCES = 500;

/**
 * The messages about nodes and edges that were already parsed. A changed node or edge is a new object and has no entry,
 * so it is parsed again.
 */
const known = new WeakMap<PlainObject, Promise<string[]>>();

const parseOnce = (json: PlainObject, parse: () => Promise<string[]>): Promise<string[]> => {
  const messages = known.get(json) ?? parse();
  known.set(json, messages);
  return messages;
};

interface Source {
  json: PlainObject;
  place: Pick<FlowProblem, 'code' | 'severity' | 'path' | 'nodeId' | 'edge' | 'field'>;
  /** Returns the messages about the faults of the source. */
  parse: () => Promise<string[]>;
}

/** Parses a script or an expression. */
async function parseCode(what: 'script' | 'expression', ...code: Parameters<typeof scriptFaults>): Promise<string[]> {
  const faults = await scriptFaults(...code);
  return faults.map(({ line, column, message }) =>
    `the ${what} is wrong at line ${line}, column ${column}: ${message}`
  );
}

/** Checks the schema of an answer. */
async function checkSchema(schema: unknown): Promise<string[]> {
  // Loaded here, because few flows have a node with an answer schema.
  const { faultOfAnswerSchema } = await import('../../../../types/answer_schema.ts');
  const fault = faultOfAnswerSchema(schema);
  return fault === undefined ? [] : [`the run fails at the node, because of its ${fault}`];
}

/**
 * Returns the input in which a node has its script or answer schema, and the error code for faults in it; undefined for
 * a node without such an input.
 */
function sourceInput(
  node: DrawnNode,
): { code: string; name: string; parse: (value: unknown) => Source['parse'] | undefined } | undefined {
  if (node.kind !== 'native' || node.isDisabled) return undefined;
  if (node.nodeId === 'api_input') {
    const parse = (schema: unknown) => schema == null ? undefined : () => checkSchema(schema);
    return { code: 'answer_schema_invalid', name: 'json_schema', parse };
  }
  const script = codeOf(node);
  if (script === undefined) return undefined;
  const inputs = node.inputs.map(({ name }) => name).filter((name) => name !== script.name);
  const parse = (source: unknown) =>
    typeof source === 'string' && source !== ''
      ? () => parseCode('script', script.language, source, inputs)
      : undefined;
  return { code: 'script_invalid', name: script.name, parse };
}

/** Returns the script or schema of a node; undefined if the node has none, or gets the text through an edge. */
function sourceOf(json: PlainObject, index: number, connected: ReadonlySet<string>): Source | undefined {
  const node = drawnNode(json);
  const input = sourceInput(node);
  if (input === undefined) return undefined;
  const { code, name } = input;
  const port = node.inputs.find((port) => port.name === name);
  if (port !== undefined && connected.has(port.id)) return undefined;
  const form = objectAt(json, 'data', 'targets_form');
  const value = objectAt(form, 'form_data')[name];
  // A new script still has the default text from the definition, which is valid and needs no parser.
  if (typeof value === 'string' && value === objectAt(form, 'json_schema', 'properties', name).default) {
    return undefined;
  }
  const parse = input.parse(value);
  if (parse === undefined) return undefined;
  return {
    json,
    place: {
      code,
      // A wrong script or schema does not prevent a deploy, but makes a run fail when it executes the node.
      severity: 'fails_run',
      path: `nodes[${index}].data.targets_form.form_data.${name}`,
      nodeId: nodeIdOf(json),
      edge: undefined,
      field: name,
    },
    parse,
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
    parse: () => parseCode('expression', 'jsonata', expression),
  };
}

/** Parses the scripts, expressions and answer schemas of a flow, as a deploy does, and returns their problems. */
export async function scriptProblems({ nodes, edges }: FlowDocument): Promise<FlowProblem[]> {
  const connected = new Set(edges.map((edge) => readEdge(edge).targetHandle));
  const sources = [
    ...nodes.map((json, index) => sourceOf(json, index, connected)),
    ...edges.map(expressionOf),
  ].filter((source) => source !== undefined).slice(0, MAX_SOURCES);
  const problems = await Promise.all(sources.map(async ({ json, place, parse }): Promise<FlowProblem[]> => {
    const messages = await parseOnce(json, parse);
    return messages.map((message) => ({ ...place, message, calledFlow: undefined }));
  }));
  return problems.flat();
}
