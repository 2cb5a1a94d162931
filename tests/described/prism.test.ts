import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
      const required = schema.required as string[] ?? [];
      return Object.fromEntries(
        Object.entries(schema.properties as Json ?? {}).filter(([name]) => required.includes(name))
          .map(([name, property]) => [name, this.of(property, depth + 1)]),
      );
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
  { name: '@blockfrost/openapi', version: '0.1.93', file: 'openapi.yaml' },
  { name: '@directus/specs', version: '15.2.0', file: 'dist/openapi.json' },
])('a mock server accepts the requests of $name', async ({ name, version, file }) => {
  const path = join(fetchPackage(name.replace('/', '-'), name, version), file);
  const text = readFileSync(path, 'utf8');
  const document = load(text) as Json;
  const { definitions, refused } = describeOpenApi(text);
  const address = await startPrism(path);
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
  expect(definitions.length).toBeGreaterThan(50);
  // The mock server refuses every text for a parameter that may be an integer or a text.
  expect(faults.filter((fault) => !fault.includes('must match exactly one schema in oneOf'))).toEqual([]);
}, 600_000);
