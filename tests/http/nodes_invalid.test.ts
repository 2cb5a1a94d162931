import fc from 'fast-check';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { nodeDefinitionSchema } from '../../types/node_definition.ts';
import { asStored, definitionOf, definitionTexts, type Json, type JsonObject } from '../support/node_definitions.ts';
import { makeDefinition, merge, post, readBy } from '../support/nodes.ts';
import { type Person, signUp } from '../support/people.ts';
import { rest, type RestRequest } from '../support/rest.ts';
import { fuzzCases } from '../support/fuzz_cases.ts';

let user: Person;
let service: RestRequest;

beforeAll(async () => {
  user = await signUp();
  service = { apikey: inject('stack').SERVICE_ROLE_KEY };
});

type Path = (string | number)[];

/** Formats a path like SQL: `sources[0].name`. */
const toText = (path: PropertyKey[]): string =>
  path.map((key) => typeof key === 'number' ? `[${key}]` : `.${String(key)}`).join('').replace(/^\./, '');

/**
 * A fault: the path at which the definition is changed, and the new value (undefined removes the old one). `faultAt` is
 * the path that the error names, if this is not the changed path.
 */
type Case = [at: Path, value: Json | undefined, faultAt?: Path];

const long = (length: number): string => 'x'.repeat(length);

const cases: Case[] = [
  ...[undefined, null, 5, true, {}, [], '', 'a b', '1st', 'naïve', 'true', long(65)].map((
    value,
  ): Case => [['type'], value]),
  ...[undefined, null, 5, 'text', []].map((value): Case => [['data'], value]),
  ...[undefined, null, 5, '', {}, long(201)].map((value): Case => [['data', 'node_id'], value]),
  ...[undefined, null, 0.1, '', long(101)].map((value): Case => [['data', 'version'], value]),
  ...[undefined, null, 5, ['Complete']].map((value): Case => [['data', 'display_name'], value]),
  [['data', 'node_definition_version'], 0.1],
  [['data', 'unique_id'], 0],
  [['data', 'description'], ['text']],
  [['data', 'tags'], 'fixture'],
  [['data', 'tags'], {}],
  [['data', 'tags', 1], 5],
  [['data', 'tags', 0], null],
  [['data', 'related_to'], {}],
  [['data', 'related_to', 0], 'fixture_minimal'],
  [['data', 'related_to', 0], null],
  [['data', 'related_to', 0, 'id'], 5],
  [['data', 'related_to', 0, 'type'], []],
  [['data', 'related_to', 0, 'relationship'], false],
  [['data', 'resources'], 'https://example.com'],
  [['data', 'resources', 'source_code_url'], 5],
  [['data', 'resources', 'documentation_url'], {}],
  [['data', 'usage'], []],
  [['data', 'usage', 'license'], 5],
  [['data', 'usage', 'license_url'], 5],
  [['data', 'usage', 'pricing'], 0],
  [['data', 'usage', 'pricing', 'currency'], 5],
  [['data', 'usage', 'pricing', 'purchase_price'], '0'],
  [['data', 'usage', 'pricing', 'price_per_run'], true],
  [['data', 'usage', 'pricing', 'custom'], ['monthly']],
  [['data', 'usage', 'pricing', 'custom', 'unit'], 5],
  [['data', 'usage', 'pricing', 'custom', 'value'], 0],
  [['data', 'authors'], 'somebody'],
  [['data', 'authors', 0], 'somebody'],
  [['data', 'authors', 0, 'name'], 5],
  [['data', 'authors', 0, 'contact'], []],
  [['data', 'design'], '#fff'],
  [['data', 'design', 'width'], '300'],
  [['data', 'design', 'height'], false],
  [['data', 'design', 'icon_url'], 5],
  [['data', 'design', 'backgroundColor'], 0],
  [['data', 'design', 'backgroundColorDark'], {}],
  [['data', 'options'], []],
  [['data', 'options'], 'none'],
  [['data', 'instruction_info'], []],
  [['data', 'instruction_info', 'before'], 'payer'],
  [['data', 'instruction_info', 'before', 0], 5],
  [['data', 'instruction_info', 'signature'], 5],
  [['data', 'instruction_info', 'after'], {}],
  [['data', 'width'], '200'],
  [['data', 'height'], '180'],
  [['data', 'backgroundColor'], 5],
  [['data', 'backgroundColorDark'], []],
  ...[undefined, null, {}, 'none', 5].map((value): Case => [['sources'], value]),
  [['sources', 0], 'signature'],
  [['sources', 1], null],
  [['sources', 0, 'name'], undefined],
  [['sources', 0, 'name'], 5],
  [['sources', 0, 'name'], null],
  [['sources', 1, 'name'], 'signature'],
  [['sources', 0, 'type'], undefined],
  [['sources', 0, 'type'], ['signature']],
  [['sources', 0, 'optional'], 'yes'],
  [['sources', 0, 'tooltip'], 5],
  ...[undefined, null, {}, 'none'].map((value): Case => [['targets'], value]),
  [['targets', 2], []],
  [['targets', 2, 'name'], undefined],
  [['targets', 2, 'name'], {}],
  [['targets', 2, 'name'], 'payer'],
  [['targets', 1, 'type_bounds'], undefined],
  [['targets', 1, 'type_bounds'], 'u64'],
  [['targets', 1, 'type_bounds'], {}],
  [['targets', 1, 'type_bounds', 1], 5],
  [['targets', 1, 'type_bounds', 0], null],
  [['targets', 0, 'required'], 'yes'],
  [['targets', 0, 'required'], 1],
  [['targets', 0, 'passthrough'], 0],
  [['targets', 0, 'tooltip'], {}],
  [['targets_form.json_schema'], 'form'],
  [['targets_form.json_schema'], true],
  [['targets_form.ui_schema'], undefined],
  [['targets_form.ui_schema'], null],
  [['targets_form.ui_schema'], []],
  [['targets_form.extra'], 'source'],
  [['targets_form.extra'], [{}]],
  [['data', 'options', 'text'], long(262_144), []],
  [['data', 'options', 'many'], Array(40_000).fill(0), []],
];

/** Makes a complete definition that has this one fault. */
function spoil([at, value]: Case): JsonObject {
  const definition = structuredClone(makeDefinition()) as unknown as JsonObject;
  const last = at.at(-1)!;
  const parent = at.slice(0, -1).reduce((part, key) => (part as JsonObject)[key]!, definition as Json) as JsonObject;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return definition;
}

const zodPaths = (json: unknown): string[] =>
  nodeDefinitionSchema.safeParse(json).error?.issues.map((issue) => toText(issue.path)) ?? [];

describe('an invalid node definition', () => {
  it('is one of at least 60 kinds', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
  });

  const titled = cases.map(([at, value, faultAt]) => {
    const json = value === undefined ? 'missing' : JSON.stringify(value);
    return [toText(at), json.length > 40 ? `${json.slice(0, 40)}…` : json, [at, value, faultAt] as Case] as const;
  });

  it.each(titled)('with %s %s is refused with 400 and the path', async (_at, _value, spoilt) => {
    const definition = spoil(spoilt);
    const path = toText(spoilt[2] ?? spoilt[0]);
    const { status, body } = await rest('nodes', { body: definition, token: user.token, headers: merge });
    expect([status, body.code]).toEqual([400, 'node_definition_invalid']);
    expect(body.message).toMatch(/^.+: .+\.$/);
    expect(body.message.startsWith(`${path === '' ? 'the definition' : path}: `), body.message).toBe(true);
    const details = JSON.parse(body.details);
    expect(details).toEqual([{ path, message: expect.any(String) }]);
    expect(zodPaths(definition)).toEqual([path]);
    expect((await rest(`nodes?user_id=eq.${user.id}&select=id`, { token: user.token })).body).toEqual([]);
  });

  it('is refused with all its faults, 20 at most', async () => {
    const definition = { ...makeDefinition(), type: null, sources: [{}], targets: Array(30).fill(5) };
    const { body } = await rest('nodes', { body: definition, ...service });
    const details: { path: string }[] = JSON.parse(body.details);
    expect(details).toHaveLength(20);
    expect(details.slice(0, 3).map((fault) => fault.path)).toEqual([
      'sources[0].name',
      'sources[0].type',
      'targets[0]',
    ]);
  });

  it('is refused in an update, too', async () => {
    const definition = makeDefinition();
    const row = await post(definition, service);
    const changes: [object, string][] = [
      [{ type: null }, 'type'],
      [{ data: { ...definition.data as object, version: 1 } }, 'data.version'],
      [{ sources: [{ name: 'a', type: 'b' }, { name: 'a', type: 'b' }] }, 'sources[1].name'],
      [{ 'targets_form.ui_schema': null }, 'targets_form.ui_schema'],
    ];
    for (const [change, path] of changes) {
      const { status, body } = await rest(`nodes?id=eq.${row.id}`, { method: 'PATCH', body: change, ...service });
      expect([status, body.code, JSON.parse(body.details)[0].path]).toEqual([400, 'node_definition_invalid', path]);
    }
    expect(await readBy(service, definition)).toEqual([row]);
  });

  it("with an unknown member besides type and data is refused with the member's name", async () => {
    const { status, body } = await rest('nodes', { body: { ...makeDefinition(), permissions: {} }, ...service });
    expect([status, body.code]).toEqual([400, 'PGRST204']);
    expect(body.message).toContain("'permissions'");
    expect(nodeDefinitionSchema.safeParse({ ...makeDefinition(), permissions: {} }).success).toBe(false);
  });

  it.each([
    ['NUL', '"\\u0000"'],
    ['NUL in a name', '{"\\u0000": 1}'],
    ['a lone surrogate', '"\\ud800"'],
    ['a lone surrogate in a name', '{"\\udc00": 1}'],
    ['an infinite number', '[1e309]'],
    ['65 levels', '['.repeat(63) + ']'.repeat(63)],
    ['10000 levels', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['half of JSON', '['],
  ])('with %s somewhere is refused', async (_what, json) => {
    const definition = spoil([['data', 'options', 'x'], '@']);
    const body = JSON.stringify(definition).replace('"@"', json);
    const { status } = await rest('nodes', { body, ...service });
    expect([400, 413]).toContain(status);
  });
});

it('PostgREST and zod agree on generated definitions', async () => {
  const counts = { accepted: 0, refused: 0 };
  const property = fc.asyncProperty(definitionTexts, async (text) => {
    const parsed = nodeDefinitionSchema.safeParse(JSON.parse(text));
    const { status, body } = await rest('nodes', { body: text, token: user.token, headers: merge });
    expect(status, `${text}\n${JSON.stringify(body)}`).toSatisfy((status: number) =>
      parsed.success ? status === 200 || status === 201 : status >= 400 && status < 500
    );
    if (!parsed.success) {
      counts.refused++;
      return;
    }
    counts.accepted++;
    // A repeated post keeps the columns that it omits, so compare only the given columns.
    expect(definitionOf(body[0])).toMatchObject(JSON.parse(JSON.stringify(JSON.parse(text))));
    if (status === 201) expect(definitionOf(body[0])).toEqual(asStored(JSON.parse(text)));
  });
  // There are few cases here, because tests/sql/node_definition_agreement.test.ts compares SQL and zod on many.
  const cases = fuzzCases(80);
  await fc.assert(property, { numRuns: cases });
  expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(cases / 8);
});
