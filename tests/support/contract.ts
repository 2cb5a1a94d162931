import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

/** An exchange that contradicts docs/reference/openapi.json. */
export class ContractError extends Error {
  override name = 'ContractError';
}

/** A sent request. Its body is empty if it had none, and undefined if it was not text. */
interface SentRequest {
  method: string;
  url: string;
  headers: Headers;
  body: string | undefined;
}

/** A received answer. */
interface ReceivedAnswer {
  status: number;
  headers: Headers;
  body: string;
}

interface Content {
  [mediaType: string]: { schema: object };
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: { type?: string };
}

interface DocumentedOperation {
  operationId: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required: boolean; content: Content };
  responses: { [status: string]: { content?: Content } | { $ref: string } };
}

/** The parts of an OpenAPI document that these checks read. */
export interface OpenapiDocument {
  paths: { [path: string]: { [method: string]: unknown } };
  components: { [kind: string]: { [name: string]: unknown } };
}

const DOCUMENT_ID = 'openapi';
const MAX_SHOWN_CHARACTERS = 500;

const show = (text: string | undefined): string => text?.slice(0, MAX_SHOWN_CHARACTERS) ?? '';

/** Encodes a JSON pointer as a URI fragment. */
const pointer = (path: (string | number)[]): string =>
  path.map((part) => `/${encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Describes the deepest errors. If the schema has alternatives, these are the errors of the closest alternative. */
function describeErrors(errors: ErrorObject[]): string[] {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length;
  const deepest = Math.max(...errors.map(depth));
  const lines = errors.filter((error) => depth(error) === deepest).map(({ instancePath, message, params }) => {
    const which = params.additionalProperty ?? params.allowedValues;
    return `${instancePath === '' ? 'it' : instancePath} ${message}${which === undefined ? '' : `: ${which}`}`;
  });
  return [...new Set(lines)].slice(0, 5);
}

const mediaType = (headers: Headers): string => headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Checks requests and answers against an OpenAPI document. */
export interface Contract {
  /** Throws a ContractError if the exchange contradicts the document. Undocumented exchanges pass. */
  check: (request: SentRequest, answer: ReceivedAnswer) => void;
}

export function makeContract(document: OpenapiDocument): Contract {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false, validateFormats: false });
  // The document itself is not a schema, but its schemas refer to it.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document, DOCUMENT_ID);
  const validators = new Map<string, ValidateFunction>();

  /** Returns the faults of a value. The schema is at this path of the document. */
  const findFaults = (path: (string | number)[], value: unknown): string[] => {
    const $ref = `${DOCUMENT_ID}#${pointer(path)}`;
    const validate = validators.get($ref) ?? ajv.compile({ $ref });
    validators.set($ref, validate);
    return validate(value) ? [] : describeErrors(validate.errors ?? []);
  };
  const findJsonFaults = (path: (string | number)[], text: string): string[] => {
    try {
      return findFaults(path, JSON.parse(text));
    } catch (error) {
      if (error instanceof SyntaxError) return ['it is not JSON'];
      throw error;
    }
  };

  /** Resolves a reference to a part of the document, with its path. */
  const resolve = <Part extends object>(part: Part | { $ref: string }, path: (string | number)[]) => {
    if (!('$ref' in part)) return { part, path };
    const [, , kind = '', name = ''] = part.$ref.split('/');
    return { part: document.components[kind]?.[name] as Part, path: ['components', kind, name] };
  };

  const templates = Object.keys(document.paths).map((path) => ({
    path,
    names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`),
  }));
  const functionNames = new Set(
    templates.filter(({ path }) => !path.startsWith('/rest/')).map(({ path }) => path.split('/')[1]),
  );

  const findRequestFaults = (
    operation: DocumentedOperation,
    path: (string | number)[],
    { url, headers, body }: SentRequest,
    pathValues: Record<string, string>,
  ): string[] => {
    const query = new URL(url).searchParams;
    const parameterFaults = (operation.parameters ?? []).flatMap((reference, index) => {
      const { part, path: place } = resolve(reference, [...path, 'parameters', index]);
      const texts = { path: pathValues[part.name], query: query.get(part.name), header: headers.get(part.name) };
      const text = texts[part.in] ?? undefined;
      if (text === undefined) return part.required === true ? [`the ${part.in} has no ${part.name}`] : [];
      const isNumber = part.schema.type === 'integer' || part.schema.type === 'number';
      const value = isNumber && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
      return findFaults([...place, 'schema'], value).map((fault) => `${part.name}: ${fault}`);
    });
    const { requestBody } = operation;
    if (requestBody === undefined || body === undefined) return parameterFaults;
    if (body.trim() === '') {
      return requestBody.required ? [...parameterFaults, 'there is no body'] : parameterFaults;
    }
    const type = mediaType(headers);
    if (!Object.hasOwn(requestBody.content, type)) return [...parameterFaults, `the body is ${type}`];
    const faults = findJsonFaults([...path, 'requestBody', 'content', type, 'schema'], body);
    return [...parameterFaults, ...faults.map((fault) => `body: ${fault}`)];
  };

  const findAnswerFaults = (
    operation: DocumentedOperation,
    path: (string | number)[],
    request: SentRequest,
    { status, headers, body }: ReceivedAnswer,
  ): string[] => {
    const reference = operation.responses[status];
    if (reference === undefined) return [`there is no status ${status}`];
    const { part, path: place } = resolve(reference, [...path, 'responses', status]);
    if (part.content === undefined) return body === '' ? [] : ['there is no body'];
    // PostgREST returns rows only if the request asks for them.
    const prefer = request.headers.get('prefer') ?? '';
    if (body === '' && status < 300 && request.url.includes('/rest/v1/') && !prefer.includes('return=representation')) {
      return [];
    }
    const type = mediaType(headers);
    if (!Object.hasOwn(part.content, type)) return [`the body is ${type}`];
    return findJsonFaults([...place, 'content', type, 'schema'], body).map((fault) => `body: ${fault}`);
  };

  /** Checks how the Edge Functions refuse unknown routes, which the document describes in words. */
  const findRefusalFaults = (code: string, status: number, answer: ReceivedAnswer): string[] => {
    const faults = findJsonFaults(['components', 'schemas', 'Error'], answer.body);
    if (faults.length > 0) return faults;
    const { code: given } = JSON.parse(answer.body);
    return answer.status === status && given === code ? [] : [`this is answered with ${status} ${code}`];
  };

  const findFaultsOfExchange = (request: SentRequest, answer: ReceivedAnswer) => {
    const { pathname } = new URL(request.url);
    const isFunction = pathname.startsWith('/functions/v1/');
    const documented = isFunction ? pathname.slice('/functions/v1'.length) : pathname;
    const template = templates.find(({ path, pattern }) =>
      path.startsWith('/rest/') !== isFunction && pattern.test(documented)
    );
    const method = request.method.toLowerCase();
    const operation = template && document.paths[template.path]?.[method] as DocumentedOperation | undefined;

    if (template === undefined || operation === undefined) {
      const isOurs = isFunction && functionNames.has(documented.split('/')[1]) && method !== 'options' &&
        method !== 'head';
      const [code, status] = template === undefined
        ? ['route_not_found', 404] as const
        : ['method_not_allowed', 405] as const;
      return { operationId: code, request: [], answer: isOurs ? findRefusalFaults(code, status, answer) : [] };
    }
    const place = ['paths', template.path, method];
    const values = template.pattern.exec(documented)!.slice(1).map(decode);
    const pathValues = Object.fromEntries(template.names.map((name, index) => [name, values[index]!]));
    // A test may send a wrong request on purpose. The answer to a wrong request must be a refusal.
    const isRefused = answer.status >= 400 && answer.status < 500;
    return {
      operationId: operation.operationId,
      request: isRefused ? [] : findRequestFaults(operation, place, request, pathValues),
      answer: findAnswerFaults(operation, place, request, answer),
    };
  };

  return {
    check: (request, answer) => {
      const faults = findFaultsOfExchange(request, answer);
      const [what, found] = faults.request.length > 0
        ? ['takes a request that docs/reference/openapi.json calls wrong', faults.request]
        : ['gives an answer that docs/reference/openapi.json does not describe', faults.answer];
      if (found.length === 0) return;
      throw new ContractError([
        `${request.method} ${new URL(request.url).pathname} (${faults.operationId}) ${what}:`,
        ...found.map((fault) => `- ${show(fault)}`),
        `request: ${show(request.body)}`,
        `answer: ${answer.status} ${show(answer.body)}`,
      ].join('\n'));
    },
  };
}
