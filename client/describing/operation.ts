import type { BodyField, OpenApiImplementation, Parameter, RequestBody } from '../../types/described/openapi.ts';
import {
  type DescribedJson,
  memberOf,
  objectOf,
  OperationRefused,
  printable,
  type References,
  textOf,
} from './documents.ts';
import { Names } from './names.ts';
import type { DescribedInput, DescribedOutput } from './ports.ts';
import { portTypeOf, propertiesOf } from './schemas.ts';

const MAX_MEDIA_TYPE_CHARACTERS = 200;

/**
 * Quotes a text of the description. Never converts other values: the text of a list can be far longer than the document
 * if aliases of YAML repeat its parts.
 */
const shortTextOf = (json: unknown): string => textOf(json)?.slice(0, 100) ?? 'unknown';

/** The members of the form data that are no inputs. */
const SETTINGS = ['server', 'server_variables', 'connection'];

const STYLES: Record<Parameter['in'], readonly Parameter['style'][]> = {
  path: ['simple'],
  header: ['simple'],
  query: ['form', 'deepObject', 'spaceDelimited', 'pipeDelimited'],
};

/**
 * Headers that are not parameters: the adapter sends the media types, and a connection the credentials. Source: OpenAPI
 * 3.0 and 3.1, "Parameter Object", `name`.
 */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

/** The style of a parameter of Swagger 2.0 by its `collectionFormat`. */
const COLLECTIONS = new Map<string, Pick<Parameter, 'style' | 'explode'>>([
  ['csv', { style: 'form', explode: false }],
  ['ssv', { style: 'spaceDelimited', explode: false }],
  ['pipes', { style: 'pipeDelimited', explode: false }],
  ['multi', { style: 'form', explode: true }],
]);

function styleOf(
  parameter: DescribedJson,
  place: Parameter['in'],
  references: References,
): Pick<Parameter, 'style' | 'explode'> {
  if (parameter.content !== undefined) {
    const [[type = ''] = []] = references.members(parameter.content);
    if (!isJson(type)) throw new OperationRefused(`a parameter has the media type ${type.slice(0, 100)}`);
    return { style: 'json', explode: false };
  }
  const collection = textOf(parameter.collectionFormat) ??
    (parameter.schema === undefined && parameter.type === 'array' ? 'csv' : undefined);
  if (collection !== undefined) {
    const known = COLLECTIONS.get(collection);
    if (known === undefined) {
      throw new OperationRefused(`collectionFormat ${collection.slice(0, 100)} is not supported`);
    }
    return place === 'query' ? known : { style: 'simple', explode: false };
  }
  const [standard] = STYLES[place];
  const style = STYLES[place].find((known) => known === (parameter.style ?? standard));
  if (style === undefined) {
    throw new OperationRefused(`parameters of style ${shortTextOf(parameter.style)} are not supported`);
  }
  return { style, explode: typeof parameter.explode === 'boolean' ? parameter.explode : style === 'form' };
}

/** Returns how a form of OpenAPI 3 writes a field; nothing if the document does not say it. */
function encodingOf(encoding: unknown): Pick<BodyField, 'style' | 'explode'> {
  const style = memberOf(encoding, 'style');
  const explode = memberOf(encoding, 'explode');
  if (style === undefined && explode === undefined) return {};
  const known = STYLES.query.find((one) => one === (style ?? 'form'));
  if (known === undefined) throw new OperationRefused(`fields of style ${shortTextOf(style)} are not supported`);
  return { style: known, explode: typeof explode === 'boolean' ? explode : known === 'form' };
}

const isJson = (type: string): boolean => /^application\/(?:[\w.+-]+\+)?json\b/i.test(type);

/** The kinds of bodies that can be sent, the preferred ones first. */
const KINDS: [kind: RequestBody['kind'], is: (type: string) => boolean][] = [
  ['json', isJson],
  ['form', (type) => /^application\/x-www-form-urlencoded\b/i.test(type)],
  ['multipart', (type) => /^multipart\/form-data\b/i.test(type)],
  ['text', (type) => /^text\/(?!xml)/i.test(type)],
  ['bytes', (type) => !/\bxml\b/i.test(type) && !/^multipart\//i.test(type)],
];

/** Reads one operation of a document. */
export class OperationReader {
  readonly #references: References;
  // An input of such a name would get the value of the setting.
  readonly #inputs = new Names(SETTINGS);
  readonly #outputs = new Names(['status', 'headers', 'body']);
  readonly targets: DescribedInput[] = [];
  readonly sources: DescribedOutput[] = [
    { name: 'status', type: 'u64' },
    { name: 'headers', type: 'object' },
    { name: 'body', type: 'free' },
  ];

  constructor(references: References) {
    this.#references = references;
  }

  #input(name: string, place: string, schema: unknown, required: boolean, description: unknown): string {
    const port = this.#inputs.take(name, place);
    const type_bounds = [portTypeOf(schema, this.#references)];
    const tooltip = printable(textOf(description) ?? '', 300);
    this.targets.push({ name: port, type_bounds, required, passthrough: false, tooltip });
    return port;
  }

  #mediaTypes(types: unknown[]): string[] {
    return types.filter((type) => typeof type === 'string').filter((type) => type.length <= MAX_MEDIA_TYPE_CHARACTERS);
  }

  /** Reads the parameters of the path and of the operation. Those of the operation come first. */
  parameters(path: DescribedJson, operation: DescribedJson): { parameters: Parameter[]; ofBody: DescribedJson[] } {
    const known = new Map<string, DescribedJson>();
    for (const json of [operation.parameters, path.parameters].flatMap((list) => this.#references.list(list))) {
      const parameter = this.#references.resolve(json);
      const key = `${shortTextOf(parameter.in)} ${textOf(parameter.name)}`;
      if (!known.has(key)) known.set(key, parameter);
    }
    const all = [...known.values()];
    const sent = all.filter(({ in: place, name }) =>
      place !== 'body' && place !== 'formData' &&
      !(place === 'header' && IGNORED_HEADERS.includes(textOf(name)?.toLowerCase() ?? ''))
    );
    const parameters = sent.map((parameter): Parameter => {
      const place = parameter.in;
      if (place !== 'path' && place !== 'query' && place !== 'header') {
        throw new OperationRefused(`parameters in ${shortTextOf(place)} are not supported`);
      }
      const name = textOf(parameter.name) ?? '';
      const styled = styleOf(parameter, place, this.#references);
      const [[, content] = []] = this.#references.members(parameter.content);
      const schema = parameter.schema ?? memberOf(content, 'schema') ?? parameter;
      const required = place === 'path' || parameter.required === true;
      return { port: this.#input(name, place, schema, required, parameter.description), name, in: place, ...styled };
    });
    return { parameters, ofBody: all.filter(({ in: place }) => place === 'body' || place === 'formData') };
  }

  /** Reads the body of an operation of OpenAPI 3. */
  body(operation: DescribedJson): RequestBody | undefined {
    if (operation.requestBody === undefined) return undefined;
    const body = this.#references.resolve(operation.requestBody);
    return this.#bodyOf(objectOf(body.content), body.required === true);
  }

  /** Reads the body of an operation of Swagger 2.0. */
  olderBody(ofBody: DescribedJson[], consumes: unknown): RequestBody | undefined {
    const [whole] = ofBody.filter(({ in: place }) => place === 'body');
    const types = this.#mediaTypes(this.#references.list(consumes));
    if (whole !== undefined) {
      const type = types.find(isJson) ?? types[0] ?? 'application/json';
      return this.#bodyOf({ [type]: { schema: whole.schema } }, whole.required === true);
    }
    if (ofBody.length === 0) return undefined;
    const hasFile = ofBody.some(({ type }) => type === 'file');
    const type = hasFile || types.includes('multipart/form-data')
      ? 'multipart/form-data'
      : 'application/x-www-form-urlencoded';
    const fields = ofBody.map((field): BodyField => {
      const name = textOf(field.name) ?? '';
      const port = this.#input(name, 'body', field, field.required === true, field.description);
      return { name, port, ...(field.type === 'array' && styleOf(field, 'query', this.#references)) };
    });
    return { kind: hasFile || type.startsWith('multipart') ? 'multipart' : 'form', type, required: false, fields };
  }

  #bodyOf(content: DescribedJson, required: boolean): RequestBody | undefined {
    const types = this.#mediaTypes(this.#references.members(content).map(([type]) => type));
    for (const [kind, is] of KINDS) {
      const type = types.find(is);
      if (type === undefined) continue;
      const schema = memberOf(content[type], 'schema') ?? {};
      // Bytes and texts have no members, whatever their schema says.
      const { properties, required: needed } = kind === 'text' || kind === 'bytes'
        ? { properties: {}, required: new Set<string>() }
        : propertiesOf(schema, this.#references);
      const writable = Object.entries(properties).filter(([, property]) => memberOf(property, 'readOnly') !== true);
      if (writable.length === 0) {
        const port = this.#input(
          'body',
          'body',
          kind === 'bytes' ? { type: 'string', format: 'binary' } : schema,
          required,
          '',
        );
        return { kind, type, required, port };
      }
      const encodings = memberOf(content[type], 'encoding');
      const fields = writable.map(([name, property]): BodyField => ({
        name,
        port: this.#input(name, 'body', property, required && needed.has(name), memberOf(property, 'description')),
        ...(kind === 'form' && encodingOf(memberOf(encodings, name))),
      }));
      // Some documents require members that they do not describe, some of them by mistake. So these are optional.
      for (const name of needed) {
        if (!Object.hasOwn(properties, name)) fields.push({ name, port: this.#input(name, 'body', {}, false, '') });
      }
      return { kind, type, required, fields };
    }
    throw new OperationRefused(`bodies of type ${types.join(', ').slice(0, 200) || 'unknown'} are not supported`);
  }

  /** Reads the first successful answer: the outputs for members of its body, and the media types to accept. */
  answer(operation: DescribedJson, produces: unknown): Pick<OpenApiImplementation, 'outputs' | 'accept'> {
    const [, json] = this.#references.members(operation.responses)
      .filter(([status]) => status.startsWith('2')).toSorted(([a], [b]) => a < b ? -1 : 1)[0] ?? [];
    if (json === undefined) return { outputs: [], accept: [] };
    const response = this.#references.resolve(json);
    const content = objectOf(response.content);
    const ofContent = this.#mediaTypes(this.#references.members(content).map(([type]) => type));
    const types = [...ofContent, ...this.#mediaTypes(this.#references.list(produces))];
    const type = types.find(isJson);
    const schema = memberOf(content[type ?? ''], 'schema') ?? response.schema;
    const { properties } = schema === undefined || type === undefined && ofContent.length > 0
      ? { properties: {} }
      : propertiesOf(schema, this.#references);
    const outputs = Object.entries(properties).map(([name, property]) => {
      const port = this.#outputs.take(name, 'body');
      this.sources.push({ name: port, type: portTypeOf(property, this.#references), optional: true });
      return { port, name };
    });
    return { outputs, accept: type === undefined ? types.slice(0, 5) : [type] };
  }
}
