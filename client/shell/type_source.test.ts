import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';
import type { DeploymentDescription, DeploymentInput } from '../flow_client.ts';
import { isTypeName, typeSource } from './type_source.ts';

const input = (name: string, json_schema: object, rest: Partial<DeploymentInput> = {}): DeploymentInput => ({
  name,
  description: '',
  type_bounds: ['free'],
  required: true,
  default: null,
  json_schema: json_schema as DeploymentInput['json_schema'],
  ...rest,
});

const deployment = (inputs: DeploymentInput[], outputs: DeploymentDescription['outputs'], name = 'Tea shop') =>
  ({ deployment_id: 'id', name, inputs, outputs }) as DeploymentDescription;

it('an input that its author describes has its choices as type, and label and help text as comment', () => {
  const schema = { enum: ['S', 2, true], title: 'Your size', description: 'Of the shirt.' };
  const source = typeSource(deployment([
    input('size', schema, { description: 'Of the shirt.', default: 'S', required: false }),
    input('port', { type: 'string', title: 'Title of a port' }),
  ], []));
  expect(source).toContain('    /** Your size. Of the shirt. Default: "S" */\n    size?: "S" | 2 | true;\n');
  expect(source).toContain('  inputs: {\n    /**');
  expect(source).not.toContain('Title of a port');
});

it('inputs have the JavaScript types of their schemas, outputs those of their ports', () => {
  const inputs = [
    input('amount', { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^[0-9]{1,20}$' }] }),
    input('rate', { type: 'number' }, { required: false, default: 1.5, description: 'Part of the price.' }),
    input('isGift', { type: 'boolean' }),
    input('to', { type: 'string' }),
    input('data', { type: 'string', contentEncoding: 'base64' }),
    input('list', { type: 'array' }),
    input('map', { type: 'object' }),
    input('any', {}),
    input('not a name', { anyOf: [{ type: 'boolean' }, {}] }),
  ];
  const types = [
    'u64',
    'i128',
    'f64',
    'decimal',
    'bool',
    'pubkey',
    'keypair',
    'bytes',
    'array',
    'object',
    'json',
    'free',
  ];
  expect(typeSource(deployment(inputs, types.map((type) => ({ name: type, type }))))).toBe(
    `import type { PlainValue } from 'flow-deployments-client';

/** Deployment id: Tea shop. */
export interface TeaShop {
  inputs: {
    amount: number | bigint | string;
    /** Part of the price. Default: 1.5 */
    rate?: number | bigint;
    isGift: boolean;
    to: string;
    data: string | Uint8Array;
    list: PlainValue[];
    map: { [name: string]: PlainValue };
    any: PlainValue;
    "not a name": PlainValue;
  };
  outputs: {
    u64: bigint;
    i128: bigint;
    f64: number;
    decimal: string;
    bool: boolean;
    pubkey: string;
    keypair: string | { [name: string]: PlainValue };
    bytes: string | Uint8Array;
    array: PlainValue[];
    object: { [name: string]: PlainValue };
    json: PlainValue;
    free: PlainValue;
  };
}
`,
  );
});

it('foreign text stays inside comments and names', () => {
  const evil = '*/ evil(); /*\n`${x}`\u2028';
  const source = typeSource(
    deployment([input(evil, {}, { description: evil, default: evil })], [{ name: evil, type: evil }], evil),
  );
  const outside = source.replaceAll(/\/\*\*(?:[^*]|\*(?!\/))*\*\//g, '').replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  expect(outside).not.toContain('evil()');
  expect(outside).toContain('export interface Evil');
  expect(typeSource(deployment([], [], '7 up'))).toContain('export interface Deployment7Up {');
  expect(typeSource(deployment([], [], ''))).toContain('export interface Deployment {');
});

/**
 * Returns the names of the types that a source declares, with the names of their members. The TypeScript compiler
 * parses the source.
 */
function declared(source: string): Record<string, { inputs: string[]; outputs: string[] }> {
  const { program, errors } = parseSync('source.ts', source);
  expect(errors).toEqual([]);
  // oxlint-disable-next-line typescript/no-explicit-any -- the tree is judged by the assertions on it
  const nameOf = ({ key }: any): string => key.name ?? key.value;
  // oxlint-disable-next-line typescript/no-explicit-any -- the same
  const statements = program.body as any[];
  expect(statements.map(({ type }) => type).filter((type) => type !== 'ImportDeclaration')).toEqual([
    'ExportNamedDeclaration',
  ]);
  const { id, body } = statements.at(-1).declaration;
  // oxlint-disable-next-line typescript/no-explicit-any -- the same
  const parts = body.body.map((part: any) => [nameOf(part), part.typeAnnotation.typeAnnotation.members.map(nameOf)]);
  return { [id.name as string]: Object.fromEntries(parts) as { inputs: string[]; outputs: string[] } };
}

it.each([
  'not-a-name',
  '',
  '7',
  'class',
  '__proto__',
  'größe',
  '🙂',
  '"',
  '\\',
  "'; }",
  '*/',
  '\n',
  '\u2028',
  '\u202e',
  '\ud800',
  '${x}',
  '</script>',
  'x'.repeat(10_000),
])('keeps a name that is no identifier in the types: %j', (name) => {
  const source = typeSource(
    deployment([input(name, {}, { description: name, default: name })], [{ name, type: name }], name),
    'Hostile',
  );
  expect(declared(source)).toEqual({ Hostile: { inputs: [name], outputs: [name] } });
});

it.each([
  ['plain value', 'DeploymentPlainValue'],
  ['Uint8Array', 'DeploymentUint8Array'],
  ['class', 'Class'],
  ['string', 'String'],
  ['größe', 'GrE'],
  ['🙂', 'Deployment'],
  ['x'.repeat(300), `X${'x'.repeat(99)}`],
])('a deployment called %j becomes the type %s', (name, type) => {
  expect(Object.keys(declared(typeSource(deployment([input('a', {})], [{ name: 'b', type: 'bytes' }], name))))).toEqual(
    [
      type,
    ],
  );
  expect(isTypeName(type)).toBe(true);
});

it.each(['class', 'string', 'any', '', '7', 'A B', 'A;', 'PlainValue', 'Uint8Array', `A${'a'.repeat(100)}`])(
  '%j is refused as the name of a type',
  (name) => {
    expect(isTypeName(name)).toBe(false);
  },
);
