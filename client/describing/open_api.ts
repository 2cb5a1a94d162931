import { type OpenApiImplementation, openApiImplementationSchema } from '../../types/described/openapi.ts';
import { type Effects, type NodeDefinition, nodeDefinitionSchema } from '../../types/node_definition.ts';
import { isObject } from '../../types/values/value.ts';
import { type DescribedJson, listOf, memberOf, objectOf, OperationRefused, References, textOf } from './documents.ts';
import { OperationReader } from './operation.ts';

/** The largest document, in characters. */
const MAX_DOCUMENT_CHARACTERS = 16 * 1_048_576;
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** The definitions that a description gives, and the operations that can't be nodes. */
export interface Described {
  definitions: NodeDefinition[];
  /** The place of each refused operation, such as `POST /orders`, with the reason. */
  refused: { place: string; reason: string }[];
}

export interface DescribeOptions {
  /** Written before the `node_id` of each definition. */
  prefix?: string | undefined;
  /** The operations to describe, by `operationId` or by method and path; by default all. */
  only?: readonly string[] | undefined;
}

const effectsOf = (method: typeof METHODS[number]): Effects =>
  method === 'get' || method === 'head' || method === 'options'
    ? 'none'
    : method === 'put' || method === 'delete'
    ? 'idempotent'
    : 'once';

const printable = (text: string, most: number): string => text.replace(/\p{Cc}+/gu, ' ').slice(0, most).toWellFormed();

/** Returns the first server with an absolute address. */
function serverOf(
  document: DescribedJson,
  path: DescribedJson,
  operation: DescribedJson,
): OpenApiImplementation['server'] {
  const host = textOf(document.host);
  if (host !== undefined) {
    const scheme = listOf(document.schemes).includes('https') || document.schemes === undefined ? 'https' : 'http';
    return { url: `${scheme}://${host}${textOf(document.basePath) ?? ''}` };
  }
  const lists = [operation.servers, path.servers, document.servers].map(listOf);
  const server = objectOf(lists.find((servers) => servers.length > 0)?.[0]);
  const url = textOf(server.url);
  if (url === undefined || !/^(?:https?:\/\/|\{)/i.test(url)) return undefined;
  const variables = Object.entries(objectOf(server.variables)).flatMap(([name, variable]) => {
    const value = textOf(memberOf(variable, 'default'));
    return value === undefined ? [] : [[name, value]];
  });
  return { url, ...(variables.length > 0 && { variables: Object.fromEntries(variables) }) };
}

/** Makes the definition of one operation. Throws a OperationRefused. */
function describeOperation(
  document: DescribedJson,
  { path, method, pathItem, operation, nodeId }: {
    path: string;
    method: typeof METHODS[number];
    pathItem: DescribedJson;
    operation: DescribedJson;
    nodeId: string;
  },
): NodeDefinition {
  const isOlder = document.swagger === '2.0';
  const reader = new OperationReader(new References(document));
  const { parameters, ofBody } = reader.parameters(pathItem, operation);
  const body = isOlder
    ? reader.olderBody(ofBody, listOf(operation.consumes ?? document.consumes))
    : reader.body(operation);
  const { outputs, accept } = reader.answer(operation, isOlder ? listOf(operation.produces ?? document.produces) : []);
  const implementation: OpenApiImplementation = {
    method: method.toUpperCase() as OpenApiImplementation['method'],
    path,
    server: serverOf(document, pathItem, operation),
    parameters,
    body,
    outputs,
    accept,
  };
  const checked = openApiImplementationSchema.safeParse(implementation);
  if (!checked.success) throw new OperationRefused(checked.error.issues[0]?.message ?? 'the operation is malformed');
  const info = objectOf(document.info);
  const settings = ['server', 'connection'];
  const made = nodeDefinitionSchema.safeParse({
    type: 'openapi',
    data: {
      node_id: nodeId,
      version: printable(textOf(info.version) || '1', 100),
      display_name: printable(textOf(operation.summary) || nodeId, 200),
      description: printable(textOf(operation.description) ?? '', 2_000),
      effects: effectsOf(method),
      tags: [printable(textOf(info.title) || 'api', 100)],
      // Drops members without a value, as JSON does.
      implementation: JSON.parse(JSON.stringify(implementation)),
    },
    sources: reader.sources,
    targets: reader.targets,
    'targets_form.json_schema': {
      type: 'object',
      properties: Object.fromEntries(settings.map((name) => [name, { type: 'string', title: name }])),
    },
    'targets_form.ui_schema': {},
  });
  if (made.success) return made.data;
  const [{ path: at = [], message = '' } = {}] = made.error.issues;
  throw new OperationRefused(`${at.map(String).join('.')}: ${message}`);
}

/** Parses a document. Throws a OperationRefused. */
function parseDocument(document: unknown): DescribedJson {
  let json = document;
  if (typeof document === 'string') {
    if (document.length > MAX_DOCUMENT_CHARACTERS) throw new OperationRefused('the document is larger than 16 MiB');
    try {
      json = JSON.parse(document);
    } catch {
      throw new OperationRefused('the document is not JSON');
    }
  }
  if (!isObject(json) || json.swagger !== '2.0' && !/^3\.[01]\./.test(textOf(json.openapi) ?? '')) {
    throw new OperationRefused('the document is not OpenAPI 3.0, OpenAPI 3.1 or Swagger 2.0');
  }
  return json;
}

/**
 * Makes a node definition for each operation of an OpenAPI document: 3.0, 3.1 or Swagger 2.0, as a JSON text or parsed.
 * Follows references within the document only. Never runs a `pattern` of the document.
 */
export function describeOpenApi(document: unknown, { prefix = '', only }: DescribeOptions = {}): Described {
  const described: Described = { definitions: [], refused: [] };
  const taken = new Set<string>();
  const refuse = (place: string, error: unknown): void => {
    if (!(error instanceof OperationRefused)) throw error;
    described.refused.push({ place, reason: printable(error.message, 500) });
  };
  try {
    const root = parseDocument(document);
    for (const [path, item] of Object.entries(objectOf(root.paths))) {
      for (const method of METHODS) {
        const pathItem = objectOf(item);
        const operation = memberOf(pathItem, method);
        if (!isObject(operation)) continue;
        const place = printable(`${method.toUpperCase()} ${path}`, 500);
        const id = textOf(operation.operationId) || `${method}_${path}`;
        if (only !== undefined && !only.includes(id) && !only.includes(place)) continue;
        const name = prefix +
          id.replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/_{2,}/g, '_').replace(/^_|_$/g, '').slice(0, 200);
        let nodeId = name;
        for (let number = 2; taken.has(nodeId); number++) nodeId = `${name}_${number}`;
        try {
          described.definitions.push(describeOperation(root, { path, method, pathItem, operation, nodeId }));
          taken.add(nodeId);
        } catch (error) {
          refuse(place, error);
        }
      }
    }
  } catch (error) {
    refuse('', error);
  }
  return described;
}
