import { expect, it } from 'vitest';
import type { ServerTools } from '../../types/described/server_tools.ts';
import { mcpImplementationSchema } from '../../types/described/mcp.ts';
import { describeTools } from './tools.ts';

const listOf = (tools: unknown[], more: Partial<ServerTools> = {}): ServerTools => ({
  url: 'https://shop.example/mcp',
  server: { name: 'shop', title: 'The shop', version: '3' },
  discover: { supportedVersions: ['2026-07-28'] },
  tools,
  ...more,
});

const one = (tool: object, more?: Partial<ServerTools>) => {
  const { definitions, refused } = describeTools(
    listOf([{ name: 'buy', inputSchema: { type: 'object' }, ...tool }], more),
  );
  return { definition: definitions[0], reason: refused[0]?.reason };
};

it('makes inputs of the arguments, outputs of the result, and an implementation that the adapter takes', () => {
  const { definition } = one({
    title: 'Buy something',
    description: 'Buys.',
    inputSchema: {
      type: 'object',
      required: ['item', 'connection'],
      properties: {
        item: { $ref: '#/$defs/Item' },
        count: { type: 'integer', minimum: 0, description: 'How many' },
        connection: { type: 'string', 'x-mcp-header': 'Connection' },
        any: {},
      },
      $defs: { Item: { type: 'object', description: 'What', properties: {} } },
    },
    outputSchema: { type: 'object', properties: { price: { type: 'number' }, content: { type: 'string' } } },
  });
  expect(definition!.targets.map(({ name, type_bounds: [type], required, tooltip }) => [name, type, required, tooltip]))
    .toEqual([
      ['item', 'object', true, 'What'],
      ['count', 'u64', false, 'How many'],
      ['connection_arg', 'string', true, ''],
      ['any', 'free', false, ''],
    ]);
  expect(definition!.sources.map(({ name, type, optional }) => [name, type, optional === true])).toEqual([
    ['content', 'array', false],
    ['structured', 'free', true],
    ['price', 'decimal', true],
    ['content_result', 'string', true],
  ]);
  expect(definition).toMatchObject({
    type: 'mcp',
    data: {
      node_id: 'buy',
      version: '3',
      display_name: 'Buy something',
      description: 'Buys.',
      effects: 'once',
      tags: ['The shop'],
      implementation: {
        url: 'https://shop.example/mcp',
        tool: 'buy',
        discover: { supportedVersions: ['2026-07-28'] },
        headers: [{ path: ['connection'], header: 'Connection', type: 'string' }],
        outputs: [{ port: 'price', name: 'price' }, { port: 'content_result', name: 'content' }],
      },
    },
  });
  expect(mcpImplementationSchema.safeParse(definition!.data.implementation).success).toBe(true);
});

it.each([
  [{ readOnlyHint: true }, 'none'],
  [{ readOnlyHint: true, idempotentHint: true }, 'none'],
  [{ idempotentHint: true }, 'idempotent'],
  [{ readOnlyHint: 'true' }, 'once'],
  [undefined, 'once'],
])('reads the effects from the hints %j', (annotations, effects) => {
  expect(one({ annotations }).definition!.data.effects).toBe(effects);
});

it('a server of 2025 has no versions, and one without a name is called by its host', () => {
  const { definition } = one({}, { server: null, discover: null });
  expect(definition!.data).toMatchObject({ version: '1', tags: ['shop.example'] });
  expect(definition!.data.implementation).not.toHaveProperty('discover');
});

it('chooses tools, and names each node once', () => {
  const tools = ['a/b', 'a b', 'c'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  expect(describeTools(listOf(tools), { prefix: 'my_' }).definitions.map(({ data }) => data.node_id))
    .toEqual(['my_a_b', 'my_a_b_2', 'my_c']);
  const { definitions, refused } = describeTools(listOf(tools), { only: ['c', 'd'] });
  expect(definitions.map(({ data }) => data.node_id)).toEqual(['c']);
  expect(refused).toEqual([{ place: 'd', reason: 'the description has no such operation' }]);
});

const header = (name: unknown, more: object = { type: 'string' }) => ({ 'x-mcp-header': name, ...more });
const argument = (properties: object) => ({ inputSchema: { type: 'object', properties } });

it.each([
  [{ name: '' }, 'the tool has no name'],
  [{ name: '///' }, 'the tool has no name'],
  [{ inputSchema: 7 }, 'the schema of the arguments is no object'],
  [argument({ a: { $ref: 'https://evil.example/schema.json' } }), 'leads to another document'],
  [argument({ a: { $ref: '#/$defs/a' } }), 'leads nowhere'],
  [
    { inputSchema: { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } } },
    'in a circle',
  ],
  [argument({ 'a\u0000': {} }), 'no printable name'],
  [argument(Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`p${n}`, {}]))), 'more than 1000 inputs'],
  [argument({ a: header('') }), 'x-mcp-header of a is not the name of a header'],
  [argument({ a: header('A b') }), 'x-mcp-header of a is not the name of a header'],
  [argument({ a: header('A\r\nHost: b') }), 'x-mcp-header of a is not the name of a header'],
  [argument({ a: header('A', { type: 'number' }) }), 'allowed for texts, integers and booleans only'],
  [argument({ a: header('A'), b: header('a') }), 'x-mcp-header of b is not unique'],
  [argument({ a: { type: 'array', items: header('A') } }), 'x-mcp-header of a is below items'],
  [{ inputSchema: { ...header('A'), type: 'object' } }, 'x-mcp-header of the arguments names no argument'],
])('refuses the tool %j with the reason', (tool, reason) => {
  expect(one(tool)).toMatchObject({ definition: undefined, reason: expect.stringContaining(reason) });
});

it('refuses a second tool of the same name, and lists that are none', () => {
  const tools = [{ name: 'a' }, { name: 'a' }, null, 7, 'x'];
  expect(describeTools(listOf(tools)).refused.map(({ reason }) => reason)).toEqual([
    'the server has two tools of this name',
    ...Array.from({ length: 3 }, () => 'the tool has no name'),
  ]);
  expect(describeTools(listOf(undefined as never))).toEqual({ definitions: [], refused: [] });
});

it('a hostile description takes a bounded time, and gives nothing that runs or hides', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000_000 }, (_, n) => [`p${n}`, {}]));
  const doubling: Record<string, object> = { d0: { type: 'string' } };
  for (let n = 1; n < 60; n++) {
    doubling[`d${n}`] = { anyOf: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] };
  }
  const all: Record<string, object> = { d0: { properties: { a: {} } } };
  for (let n = 1; n < 60; n++) all[`d${n}`] = { allOf: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] };
  let deep: object = header('A');
  for (let n = 0; n < 1_000; n++) deep = { items: deep };
  const pattern = '^(a+)+$';
  const tools = [
    { name: 'many', inputSchema: { properties: many } },
    { name: 'doubling', inputSchema: { properties: { a: { $ref: '#/$defs/d59' } }, $defs: doubling } },
    { name: 'all', inputSchema: { $ref: '#/$defs/d59', $defs: all } },
    { name: 'deep', inputSchema: { properties: { a: deep } } },
    { name: 'pattern', inputSchema: { properties: { a: { type: 'string', pattern } } } },
    {
      name: 'names',
      title: 'a\u0000\u001b[31mb\ud800',
      description: '\u0007x'.repeat(10_000),
      inputSchema: JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"boolean"}}}'),
      outputSchema: JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
    },
  ];
  const began = process.cpuUsage();
  const { definitions, refused } = describeTools(listOf(tools));
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(20_000);
  expect(refused.map(({ place }) => place)).toEqual(['many', 'all', 'deep']);
  expect(definitions.map(({ data }) => data.node_id)).toEqual(['doubling', 'pattern', 'names']);
  expect(JSON.stringify(definitions)).not.toContain(pattern);
  const { data, targets } = definitions.at(-1)!;
  expect(`${data.display_name}${data.description}`).not.toMatch(/\p{Cc}|\p{Cs}/u);
  expect(targets.map(({ name, type_bounds: [type] }) => [name, type])).toEqual([
    ['__proto__', 'string'],
    ['constructor', 'bool'],
  ]);
  expect(data.implementation).toMatchObject({ outputs: [{ port: '__proto__', name: '__proto__' }] });
}, 120_000);
