import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, onTestFinished, test } from 'vitest';
import { type PlainValue, toValue } from '../../client/plain_value.ts';
import { describeOpenApi } from '../../client/describing/index.ts';
import { findFreePort } from '../../dev/stack/ports.ts';
import { fetchPackage } from '../../dev/tools/fetch_package.ts';
import type { HttpClient } from '../../runner/engine/node.ts';
import { makeModule } from '../../runner/described/openapi/index.ts';
import { makeHttpClient } from '../../runner/reach/http_client.ts';
import type { OpenApiImplementation } from '../../types/described/openapi.ts';
import type { FrozenDefinition } from '../../types/flow.ts';
import { runsLongTests } from '../support/long_tests.ts';
import { runNode } from '../support/node_call.ts';
import { waitFor } from '../support/wait.ts';

type Json = Record<string, unknown>;

/** Makes values that a schema allows. */
class Examples {
  readonly #document: Json;
  constructor(document: Json) {
    this.#document = document;
  }

  resolve(json: unknown): Json {
    const found = json as Json;
    if (typeof found?.$ref !== 'string') return found ?? {};
    const steps = found.$ref.slice(2).split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    return this.resolve(steps.reduce<unknown>((outer, step) => (outer as Json)[step], this.#document));
  }

  of(json: unknown, depth = 0): unknown {
    const schema = this.resolve(json);
    if (depth > 8) return undefined;
    for (const given of ['example', 'default', 'const']) if (schema[given] !== undefined) return schema[given];
    if (Array.isArray(schema.examples)) return schema.examples[0];
    if (Array.isArray(schema.enum)) return schema.enum[0];
    const [choice] = [...(schema.oneOf as unknown[] ?? []), ...(schema.anyOf as unknown[] ?? [])];
    if (choice !== undefined) return this.of(choice, depth + 1);
    if (Array.isArray(schema.allOf)) {
      const parts = schema.allOf.map((part) => this.of(part, depth + 1));
      return parts.every((part) => typeof part === 'object') ? Object.assign({}, ...parts) : parts[0];
    }
    const [type] = [schema.type].flat();
    if (type === 'integer' || type === 'number') return Number(schema.minimum ?? 1);
    if (type === 'boolean') return true;
    if (type === 'array') {
      return Array.from({ length: Number(schema.minItems ?? 1) }, () => this.of(schema.items, depth + 1));
    }
    if (type === 'object' || schema.properties !== undefined) {
      const properties = schema.properties as Json ?? {};
      const required = schema.required as string[] ?? [];
      const names = new Set([...required, ...Object.keys(properties).slice(0, Number(schema.minProperties ?? 0))]);
      return Object.fromEntries([...names].map((name) => [name, this.of(properties[name] ?? {}, depth + 1)]));
    }
    return ({
      'date-time': '2026-11-29T00:00:00Z',
      date: '2026-11-29',
      uuid: '01930000-0000-4000-8000-000000000001',
      uri: 'https://example.com/',
      email: 'ada@example.com',
    } as Json)[String(schema.format)] ?? 'x'.repeat(Number(schema.minLength ?? 1));
  }
}

/** Returns the inputs of an operation: its required parameters, and its body. */
function inputsOf(document: Json, { path, method, parameters, body }: OpenApiImplementation) {
  const examples = new Examples(document);
  const item = (document.paths as Record<string, Json>)[path]!;
  const operation = item[method.toLowerCase()] as Json;
  const declared = [...operation.parameters as unknown[] ?? [], ...item.parameters as unknown[] ?? []]
    .map((one) => examples.resolve(one));
  const plain: [string, unknown][] = [];
  for (const { name, in: place, port } of parameters) {
    const { schema, content, required, example } = declared.find((one) => one.name === name && one.in === place)!;
    const [media] = Object.values((content ?? {}) as Record<string, Json>);
    if (required === true) plain.push([port, example ?? examples.of(schema ?? media?.schema)]);
  }
  const media = (examples.resolve(operation.requestBody).content as Record<string, Json> | undefined)
    ?.[body?.type ?? ''];
  const sent = media?.example ?? examples.of(media?.schema);
  if (body?.port !== undefined) plain.push([body.port, sent]);
  for (const { name, port } of body?.fields ?? []) {
    const value = (sent as Json)[name];
    if (value !== undefined) plain.push([port, value]);
  }
  return Object.fromEntries(plain.map(([port, value]) => [port, toValue(value as PlainValue)]));
}

/** Returns the documents' parts that a reference names, with the parts that they name in turn. */
function referencedParts(document: Json, from: unknown): [place: string, part: unknown][] {
  const found = new Map<string, unknown>();
  const follow = (json: unknown): void => {
    if (typeof json !== 'object' || json === null) return;
    const { $ref: place } = json as Json;
    if (typeof place === 'string' && !found.has(place)) {
      const part = place.slice(2).split('/').reduce<unknown>((outer, step) => (outer as Json)[step], document);
      found.set(place, part);
      follow(part);
    }
    Object.values(json).forEach(follow);
  };
  follow(from);
  return [...found];
}

/** Makes a document of the requests alone. */
function requestsOf(document: Json): Json {
  const paths = Object.fromEntries(
    Object.entries(document.paths as Record<string, Json>).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          method === 'parameters' ? operation : { ...operation as Json, responses: { 200: { description: 'ok' } } },
        ]),
      ),
    ]),
  );
  const { securitySchemes } = document.components as Json;
  const components: Record<string, Json> = { securitySchemes: securitySchemes as Json };
  for (const [place, part] of referencedParts(document, paths)) {
    const [, , kind, name] = place.split('/');
    components[kind!] = { ...components[kind!], [name!]: part };
  }
  return { ...document, paths, components };
}

function writeDocument(document: Json): string {
  const dir = mkdtempSync(join(tmpdir(), 'flow-prism-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  return file;
}

async function startPrism(file: string): Promise<string> {
  const command = join(fetchPackage('prism', '@stoplight/prism-cli', '5.16.0'), 'dist/index.js');
  const port = await findFreePort();
  const child = spawn(process.execPath, [command, 'mock', '-h', '127.0.0.1', '-p', String(port), file]);
  onTestFinished(() => void child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output += chunk);
  await waitFor(() => {
    if (child.exitCode !== null) throw new Error(output);
    return output.includes('Prism is listening') || undefined;
  });
  return `http://127.0.0.1:${port}`;
}

test.runIf(runsLongTests).each([
  { name: '@blockfrost/openapi', version: '0.1.93', file: 'openapi.yaml', atLeast: 50 },
  { name: '@directus/specs', version: '15.2.0', file: 'dist/openapi.json', atLeast: 50 },
  // The answers of this document contain each other. The mock server reads them for minutes, so it gets the requests.
  { name: '@figma/rest-api-spec', version: '0.43.0', file: 'openapi/openapi.yaml', atLeast: 40, hasRequestsOnly: true },
])('a mock server accepts the requests of $name', async ({ name, version, file, atLeast, hasRequestsOnly }) => {
  const path = join(fetchPackage(name.replace('/', '-'), name, version), file);
  const text = readFileSync(path, 'utf8');
  const document = load(text) as Json;
  const { definitions, refused } = describeOpenApi(text);
  const address = await startPrism(hasRequestsOnly === true ? writeDocument(requestsOf(document)) : path);
  const client = makeHttpClient({ isAllowed: () => true, timeoutMs: 30_000, maxResponseBytes: 8 * 1_048_576 });
  // The mock server wants a credential, but accepts any.
  const credentials: [string, string][] = ['authorization', 'x-figma-token', 'project_id'].map((header) => [
    header,
    'Bearer something',
  ]);
  let violations = '';
  const http: HttpClient = {
    request: async (request) => {
      const headers = [...request.headers, ...credentials];
      const response = await client.request({ ...request, headers, refusesRedirects: true });
      violations = response.headers['sl-violations'] ?? '';
      return response;
    },
  };
  const faults: string[] = [];
  for (const definition of definitions) {
    const implementation = definition.data.implementation as OpenApiImplementation;
    const place = `${implementation.method} ${implementation.path}`;
    const inputs = inputsOf(document, implementation);
    // SAFETY: a frozen definition has the same members.
    const module = makeModule(definition as unknown as FrozenDefinition);
    const failure = await runNode(module, inputs, { formData: { server: address }, http }).then(() => '', String);
    if (failure.includes('prism/errors#')) faults.push(`${place}: ${failure.slice(0, 700)}`);
    const ofRequest = (JSON.parse(violations || '[]') as { location: string[] }[])
      .filter(({ location: [side] }) => side === 'request');
    for (const violation of ofRequest) faults.push(`${place}: ${JSON.stringify(violation)}`);
  }
  const called = `${definitions.length} operations called, ${faults.length} not accepted, ${refused.length} refused`;
  console.log([`${name}: ${called}`, ...faults].join('\n'));
  expect(definitions.length).toBeGreaterThan(atLeast);
  // The mock server refuses every text for a parameter that may be an integer or a text.
  expect(faults.filter((fault) => !fault.includes('must match exactly one schema in oneOf'))).toEqual([]);
}, 600_000);
