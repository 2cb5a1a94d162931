import '../support/fuzz_seed.ts';
import fc from 'fast-check';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeOpenApi } from '../../client/describing/index.ts';
import { fetchPackage } from '../../dev/tools/fetch_package.ts';
import { makeModule } from '../../runner/described/openapi/index.ts';
import type { HttpRequest } from '../../runner/engine/node.ts';
import type { OpenApiImplementation } from '../../types/described/openapi.ts';
import type { FrozenDefinition } from '../../types/flow.ts';
import { toValue } from '../../client/plain_value.ts';
import { fuzzCases } from '../support/fuzz_cases.ts';
import { runsLongTests } from '../support/long_tests.ts';
import { runNode } from '../support/node_call.ts';

const VERSION = '3.39.0';
/** The requests that are compared. */
const REQUESTS = 10_000;

interface MadeRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** A parameter of the generated operation, with its value. */
interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  style?: string;
  explode?: boolean;
  required: boolean;
  schema?: { type: string };
  content?: object;
  value: unknown;
}

// swagger-client leaves out empty values of queries, so no text is empty.
const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) =>
  text.isWellFormed() && !/\p{Cc}/u.test(text) && !/^(?:\.|%2e){1,2}$/i.test(text)
);
const scalar = fc.oneof(
  word,
  fc.integer(),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: 0.001, max: 1e6 }),
);
const list = fc.array(word, { minLength: 1, maxLength: 4 });
const object = fc.dictionary(fc.stringMatching(/^[A-Za-z][\w]{0,6}$/), word, {
  minKeys: 1,
  maxKeys: 4,
  noNullPrototype: true,
});
const typeOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
const described = (value: unknown) => ({ schema: { type: typeOf(value) }, value });

const inPath = fc.record({ value: fc.oneof(scalar, list, object), explode: fc.boolean() })
  .map(({ value, explode }) => ({ in: 'path' as const, style: 'simple', explode, ...described(value) }));
const inQuery = fc.oneof(
  fc.record({ value: fc.oneof(scalar, list, object), explode: fc.boolean() })
    .map(({ value, explode }) => ({ in: 'query' as const, style: 'form', explode, ...described(value) })),
  fc.record({ value: list, style: fc.constantFrom('spaceDelimited', 'pipeDelimited') })
    .map(({ value, style }) => ({ in: 'query' as const, style, explode: false, ...described(value) })),
  object.map((value) => ({ in: 'query' as const, style: 'deepObject', explode: true, ...described(value) })),
  fc.oneof(list, object)
    .map((value) => ({
      in: 'query' as const,
      content: { 'application/json': { schema: { type: typeOf(value) } } },
      value,
    })),
);
// A header holds only some characters.
const headerWord = fc.stringMatching(/^[!#-+\--~]{1,12}$/);
const inHeader = fc.record({
  value: fc.oneof(
    headerWord,
    fc.array(headerWord, { minLength: 1, maxLength: 4 }),
    fc.dictionary(fc.stringMatching(/^[A-Za-z]{1,6}$/), headerWord, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  ),
  explode: fc.boolean(),
}).map(({ value, explode }) => ({ in: 'header' as const, style: 'simple', explode, ...described(value) }));
/** A field of a form, with the way in which the document says that it is written. */
const field = fc.oneof(
  fc.oneof(word, fc.integer()).map((value) => ({ value, encoding: undefined })),
  fc.record({ value: list, encoding: fc.record({ style: fc.constant('form'), explode: fc.boolean() }) }),
  fc.record({
    value: list,
    encoding: fc.record({ style: fc.constantFrom('spaceDelimited', 'pipeDelimited'), explode: fc.constant(false) }),
  }),
  fc.record({ value: object, encoding: fc.constant({ style: 'deepObject', explode: true }) }),
);
const body = fc.option(
  fc.oneof(
    fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.oneof(scalar, list, object), {
      minKeys: 1,
      maxKeys: 4,
      noNullPrototype: true,
    }).map((value) => ({ type: 'application/json', value, encoding: undefined })),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), field, { minKeys: 1, maxKeys: 4, noNullPrototype: true })
      .map((fields) => ({
        type: 'application/x-www-form-urlencoded',
        value: Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
        encoding: Object.fromEntries(Object.entries(fields).map(([name, { encoding }]) => [name, encoding])),
      })),
  ),
  { nil: undefined },
);
const operation = fc.record({
  path: fc.array(inPath, { maxLength: 2 }),
  query: fc.array(inQuery, { maxLength: 3 }),
  header: fc.array(inHeader, { maxLength: 2 }),
  body,
});

type Generated = typeof operation extends fc.Arbitrary<infer One> ? One : never;

function documentOf({ path, query, header, body: sent }: Generated) {
  const parameters: Parameter[] = [...path, ...query, ...header].map((parameter, index) => ({
    ...parameter,
    name: parameter.in === 'header' ? `x-${index}` : `p ${index}`,
    required: parameter.in === 'path',
  }));
  const place = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `/{${name}}`).join('');
  const properties = Object.fromEntries(
    Object.entries(sent?.value ?? {}).map(([name, value]) => [name, { type: typeOf(value) }]),
  );
  const document = {
    openapi: '3.0.3',
    info: { title: 'Generated', version: '1' },
    servers: [{ url: 'https://api.example/v1' }],
    paths: {
      [`/x${place}`]: {
        post: {
          operationId: 'op',
          parameters: parameters.map((parameter) => ({ ...parameter, value: undefined })),
          ...(sent !== undefined && {
            requestBody: {
              content: { [sent.type]: { schema: { type: 'object', properties }, encoding: sent.encoding } },
            },
          }),
          responses: {},
        },
      },
    },
  };
  return { document, parameters };
}

/** Encodes characters that swagger-client encodes in some places only. A URL has the same meaning with and without. */
const encodeReserved = (url: string): string =>
  url.replace(/[|!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const pairsOf = (form: unknown) => [...new URLSearchParams(String(form))];

async function ownRequest({ body: sent }: Generated, document: object, parameters: Parameter[]): Promise<MadeRequest> {
  const { definitions: [definition], refused } = describeOpenApi(document);
  expect(refused).toEqual([]);
  // SAFETY: `describeOpenApi` checks what it makes.
  const implementation = definition!.data.implementation as OpenApiImplementation;
  const fields = Object.entries(sent?.value ?? {}).map(([name, value]) => [
    implementation.body!.fields!.find((field) => field.name === name)!.port,
    toValue(value as never),
  ]);
  const inputs = Object.fromEntries([
    ...parameters.map(({ name, value }) => [name, toValue(value as never)]),
    ...fields,
  ]);
  const requests: HttpRequest[] = [];
  const http = {
    request: async (request: HttpRequest) => {
      requests.push(request);
      return { status: 204, headers: {}, body: new Uint8Array(0) };
    },
  };
  // SAFETY: a frozen definition has the same members.
  await runNode(makeModule(definition as unknown as FrozenDefinition), inputs, { http });
  const [request] = requests;
  const bytes = await request!.makeBody?.();
  return {
    url: request!.url,
    method: request!.method,
    headers: Object.fromEntries(request!.headers.map(([name, value]) => [name.toLowerCase(), value])),
    ...(bytes !== undefined && { body: new TextDecoder().decode(bytes) }),
  };
}

test.runIf(runsLongTests)(`${REQUESTS} generated requests equal those of swagger-client ${VERSION}`, async () => {
  const folder = fetchPackage('swagger-client', 'swagger-client', VERSION);
  const SwaggerClient = createRequire(join(folder, 'package.json'))('swagger-client') as {
    buildRequest: (options: object) => MadeRequest;
  };
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(operation, async (generated) => {
      const { document, parameters } = documentOf(generated);
      const made = SwaggerClient.buildRequest({
        spec: document,
        operationId: 'op',
        parameters: Object.fromEntries(parameters.map(({ name, value }) => [name, value])),
        requestBody: generated.body?.value,
      });
      const { 'content-type': type, ...headers } = Object.fromEntries(
        Object.entries(made.headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
      );
      const own = await ownRequest(generated, document, parameters);
      const { 'content-type': ownType, ...ownHeaders } = own.headers;
      expect(own.url).toBe(encodeReserved(made.url));
      expect(own.method).toBe(made.method);
      expect(ownHeaders).toEqual(headers);
      if (generated.body !== undefined) {
        expect(ownType).toBe(type);
        // The library leaves it to fetch to write JSON.
        if (type === 'application/json') expect(JSON.parse(String(own.body))).toEqual(made.body);
        // The two encode different characters that need no encoding, such as !.
        else expect(pairsOf(own.body)).toEqual(pairsOf(made.body));
      }
      compared += 1;
    }),
    { numRuns: fuzzCases(REQUESTS) },
  );
  console.log(`${compared} requests equal those of swagger-client`);
}, 600_000);
