import type { DeploymentInput } from 'flow-deployments-client';

/** The kinds of callers who may start a deployment. */
export type SampleCaller = 'owner' | 'user' | 'guest';

/** The callers whom each `start_permission` allows. */
export const CALLERS: Record<string, readonly SampleCaller[]> = {
  Owner: ['owner'],
  Authenticated: ['owner', 'user'],
  Anonymous: ['owner', 'user', 'guest'],
};

/** The deployment that a sample starts, and the address of the project. */
interface SampleOf {
  /** The address of the project. */
  url: string;
  /** The publishable key of the project. */
  key: string;
  deploymentId: string;
  values: { [name: string]: unknown };
}

/** The public key of the system program. It is valid for every input that accepts a public key. */
const EXAMPLE_KEY = '11111111111111111111111111111111';

const BY_TYPE: Record<string, unknown> = { string: 'text', boolean: true, array: [], object: {} };

/** Returns a value that matches the schema of an input. */
function exampleOf(schema: DeploymentInput['json_schema']): unknown {
  const { enum: choices, anyOf: alternatives, type, pattern, contentEncoding, minimum } = schema;
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(alternatives)) return exampleOf(alternatives[0] as DeploymentInput['json_schema']);
  // An input with a pattern of base58 characters is a key or a signature.
  if (typeof pattern === 'string' && pattern.includes('1-9A-HJ')) return EXAMPLE_KEY.padEnd(minLengthOf(pattern), '1');
  if (contentEncoding === 'base64') return 'AQID';
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' && minimum > 1 ? minimum : 1;
  return BY_TYPE[String(type)] ?? 'text';
}

/** Returns the smallest length of a text that such a pattern allows. */
const minLengthOf = (pattern: string): number => Number(/\{(\d+),/.exec(pattern)?.[1] ?? 0);

/** Returns example values for the required inputs, and the default values of the optional inputs that have one. */
export const exampleValues = (inputs: readonly DeploymentInput[]): { [name: string]: unknown } =>
  Object.fromEntries(
    inputs.filter((input) => input.required || input.default !== null)
      .map((input) => [input.name, input.default ?? exampleOf(input.json_schema)]),
  );

/** Quotes a text for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const CREDENTIALS: Record<SampleCaller, string> = {
  owner: '-H "x-api-key: $API_KEY"',
  user: '-H "Authorization: Bearer $ACCESS_TOKEN"',
  guest: '-H "Authorization: Bearer $PUBLIC_KEY"',
};

/** A start as one command of curl. If the run ends within 30 seconds, the answer contains its result. */
export const curlSample = (caller: SampleCaller, { url, deploymentId, values }: SampleOf): string =>
  [
    `curl ${quote(`${url}/functions/v1/deployment/start?id=${deploymentId}`)}`,
    CREDENTIALS[caller],
    `-H 'content-type: application/json' -H 'Prefer: wait=30'`,
    `-d ${quote(JSON.stringify({ values }))}`,
  ].join(' \\\n  ');

/** Writes a value as JavaScript. `<` needs no escape, because the code is shown as text. */
const literal = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** A start by the JavaScript client. The code waits for the output. */
export function clientSample(caller: SampleCaller, { url, key, deploymentId, values }: SampleOf): string {
  const target = `{ id: ${literal(deploymentId)} }`;
  const client: Record<SampleCaller, string[]> = {
    owner: [
      `const flows = createFlowClient({`,
      `  url: ${literal(url)},`,
      `  key: ${literal(key)},`,
      `  apiKey: process.env.API_KEY,`,
      `});`,
    ],
    user: [
      `const supabase = createClient(${literal(url)}, ${literal(key)});`,
      `await supabase.auth.signInWithPassword({ email: process.env.EMAIL, password: process.env.PASSWORD });`,
      `const flows = createFlowClient(supabase);`,
    ],
    guest: [`const flows = createFlowClient({ url: ${literal(url)}, key: ${literal(key)} });`],
  };
  return [
    ...(caller === 'user' ? [`import { createClient } from '@supabase/supabase-js';`] : []),
    `import { createFlowClient } from 'flow-deployments-client';`,
    '',
    ...client[caller],
    `const run = await flows.start(`,
    `  ${target},`,
    `  ${literal(values).replaceAll('\n', '\n  ')},`,
    ...(caller === 'guest' ? [`  { publicKey: process.env.PUBLIC_KEY },`] : []),
    `);`,
    `console.log(await flows.output(run));`,
    '',
  ].join('\n');
}
