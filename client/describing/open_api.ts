import { type OpenApiImplementation, openApiImplementationSchema } from '../../types/described/openapi.ts';
import type { DefinitionToStore } from '../flow_client.ts';
import type { Effects } from '../../types/node_definition.ts';
import { isObject } from '../../types/values/value.ts';
import {
  checkedDefinition,
  type Described,
  type DescribeOptions,
  nodeIdOf,
  NodeIds,
  WantedOperations,
} from './described.ts';
import {
  type DescribedJson,
  DocumentReading,
  listOf,
  memberOf,
  objectOf,
  OperationRefused,
  printable,
  References,
  textOf,
} from './documents.ts';
import { makeForm } from './form.ts';
import { OperationReader } from './operation.ts';
import { parseDocument } from './parse_document.ts';
import { connectionHint } from './security.ts';

/** The most operations of one document that are read. */
const MAX_OPERATIONS = 20_000;
/** The longest address of a server, and the longest value of a variable in it. */
const MAX_ADDRESS_CHARACTERS = 2_000;
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

const effectsOf = (method: typeof METHODS[number]): Effects =>
  method === 'get' || method === 'head' || method === 'options'
    ? 'none'
    : method === 'put' || method === 'delete'
    ? 'idempotent'
    : 'once';

/** Tests whether the address of a server is absolute, perhaps with variables in its place. */
const isAbsolute = (url: unknown): boolean =>
  typeof url === 'string' && url.length <= MAX_ADDRESS_CHARACTERS && /^(?:https?:\/\/|\{)/i.test(url);

/** Returns the first server with an absolute address. */
function serverOf(
  { document }: DocumentReading,
  references: References,
  path: DescribedJson,
  operation: DescribedJson,
): OpenApiImplementation['server'] {
  const host = textOf(document.host);
  if (host !== undefined && host.length <= MAX_ADDRESS_CHARACTERS) {
    const scheme = references.list(document.schemes).includes('https') || document.schemes === undefined
      ? 'https'
      : 'http';
    return { url: `${scheme}://${host}${textOf(document.basePath)?.slice(0, MAX_ADDRESS_CHARACTERS) ?? ''}` };
  }
  const lists = [operation.servers, path.servers, document.servers].map(listOf);
  const servers = references.list(lists.find((list) => list.length > 0));
  const server = objectOf(servers.find((one) => isAbsolute(memberOf(one, 'url'))));
  const url = textOf(server.url);
  if (url === undefined) return undefined;
  const variables = references.members(server.variables).flatMap(([name, variable]) => {
    const value = textOf(memberOf(variable, 'default'));
    return value === undefined || value.length > MAX_ADDRESS_CHARACTERS ? [] : [[name, value]];
  });
  return { url, ...(variables.length > 0 && { variables: Object.fromEntries(variables) }) };
}

/** Makes the definition of one operation. Throws a OperationRefused. */
function describeOperation(
  reading: DocumentReading,
  { path, method, pathItem, operation, nodeId }: {
    path: string;
    method: typeof METHODS[number];
    pathItem: DescribedJson;
    operation: DescribedJson;
    nodeId: string;
  },
): DefinitionToStore {
  const { document } = reading;
  const isOlder = document.swagger === '2.0';
  const references = new References(reading);
  const reader = new OperationReader(references);
  const { parameters, ofBody } = reader.parameters(pathItem, operation);
  const body = isOlder ? reader.olderBody(ofBody, operation.consumes ?? document.consumes) : reader.body(operation);
  const { outputs, accept } = reader.answer(operation, isOlder ? operation.produces ?? document.produces : []);
  const implementation: OpenApiImplementation = {
    method: method.toUpperCase() as OpenApiImplementation['method'],
    path,
    server: serverOf(reading, references, pathItem, operation),
    parameters,
    body,
    outputs,
    accept,
  };
  const checked = openApiImplementationSchema.safeParse(implementation);
  if (!checked.success) throw new OperationRefused(checked.error.issues[0]?.message ?? 'the operation is malformed');
  const info = objectOf(document.info);
  const { version } = info;
  return checkedDefinition({
    type: 'openapi',
    data: {
      node_id: nodeId,
      // YAML has numbers where authors mean texts.
      version: printable(typeof version === 'number' ? String(version) : textOf(version) || '1', 100),
      display_name: printable(textOf(operation.summary) || nodeId, 200),
      description: printable(textOf(operation.description) ?? '', 2_000),
      effects: effectsOf(method),
      tags: [printable(textOf(info.title) || 'api', 100)],
      // Drops members without a value, as JSON does.
      implementation: JSON.parse(JSON.stringify(implementation)),
    },
    sources: reader.sources,
    targets: reader.targets,
    'targets_form.json_schema': makeForm(reader.targets, [
      ['server', 'An address to use instead of that of the description'],
      ['connection', connectionHint(references, document, operation)],
    ]),
    'targets_form.ui_schema': {},
  });
}

/** Reads a document as a text or parsed. Throws an OperationRefused. */
function readDocument(document: unknown): DescribedJson {
  const json = typeof document === 'string' ? parseDocument(document) : document;
  if (!isObject(json) || json.swagger !== '2.0' && !/^3\.[01]\./.test(textOf(json.openapi) ?? '')) {
    throw new OperationRefused('the document is not OpenAPI 3.0, OpenAPI 3.1 or Swagger 2.0');
  }
  return json;
}

/** An operation with its place in the document. */
interface FoundOperation {
  path: string;
  method: typeof METHODS[number];
  pathItem: DescribedJson;
  operation: DescribedJson;
  place: string;
  /** The `operationId`, or a name made of method and path. */
  id: string;
}

function* operationsOf(document: DescribedJson): Generator<FoundOperation> {
  let count = 0;
  for (const [path, item] of Object.entries(objectOf(document.paths))) {
    const pathItem = objectOf(item);
    for (const method of METHODS) {
      const operation = memberOf(pathItem, method);
      if (!isObject(operation)) continue;
      if (++count > MAX_OPERATIONS) {
        throw new OperationRefused(`the document has more than ${MAX_OPERATIONS} operations`);
      }
      const place = printable(`${method.toUpperCase()} ${path}`, 500);
      yield { path, method, pathItem, operation, place, id: textOf(operation.operationId) || `${method}_${path}` };
    }
  }
}

/**
 * Makes a node definition for each operation of an OpenAPI document: 3.0, 3.1 or Swagger 2.0, as a text in JSON or YAML,
 * or parsed. Follows references within the document only. Never runs a `pattern` of the document. A hostile document
 * takes a bounded time.
 */
export function describeOpenApi(document: unknown, { prefix = '', only }: DescribeOptions = {}): Described {
  const described: Described = { definitions: [], refused: [] };
  const ids = new NodeIds();
  const wanted = new WantedOperations(only);
  const refuse = (place: string, error: unknown): void => {
    if (!(error instanceof OperationRefused)) throw error;
    described.refused.push({ place, reason: printable(error.message, 500) });
  };
  try {
    const reading = new DocumentReading(readDocument(document));
    for (const found of operationsOf(reading.document)) {
      if (!wanted.has(found.id, found.place)) continue;
      try {
        described.definitions.push(
          describeOperation(reading, { ...found, nodeId: ids.take(prefix + nodeIdOf(found.id)) }),
        );
      } catch (error) {
        refuse(found.place, error);
      }
    }
    described.refused.push(...wanted.refusals());
  } catch (error) {
    refuse('', error);
  }
  return described;
}
