import fc from 'fast-check';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../dev/stack/paths.ts';

/** JSON that a client posts. Tests also post JSON that is no definition, on purpose. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

function readDefinitions(dir: string): [name: string, definition: JsonObject][] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir).filter((file) => file.endsWith('.json')).sort()
    .map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(join(dir, file), 'utf8'))]);
}

/** The project's fixtures, each with a special feature. */
export const fixtureDefinitions = readDefinitions(join(projectDir, 'tests/fixtures/node_definitions'));

/** Definitions from the folder beside the project, if it exists. */
export const sharedDefinitions = readDefinitions(join(projectDir, '../shared/node-definitions'));

/** The columns of `nodes` that a definition has. The database sets the other columns. */
export const definitionColumns = [
  'type',
  'data',
  'sources',
  'targets',
  'targets_form.json_schema',
  'targets_form.ui_schema',
  'targets_form.extra',
] as const;

/** Returns a definition as the database stores it: without -0, and with null for missing members. */
export const asStored = (definition: JsonObject): JsonObject => ({
  ...Object.fromEntries(definitionColumns.map((column) => [column, null])),
  ...JSON.parse(JSON.stringify(definition)),
});

/** Returns the definition in a row of the table. */
export const definitionOf = (row: object): JsonObject =>
  Object.fromEntries(Object.entries(row).filter(([name]) => (definitionColumns as readonly string[]).includes(name)));

/** A text of JSON that JSON.stringify never writes. */
class RawJson {
  text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Draft = Json | RawJson | Draft[] | { [name: string]: Draft };

function toText(draft: Draft): string {
  if (draft instanceof RawJson) return draft.text;
  if (Array.isArray(draft)) return `[${draft.map(toText).join(',')}]`;
  if (typeof draft !== 'object' || draft === null) return JSON.stringify(draft);
  return `{${Object.entries(draft).map(([name, member]) => `${JSON.stringify(name)}:${toText(member)}`).join(',')}}`;
}

type Container = Draft[] | { [name: string]: Draft };

/** Lists every object and array in a draft. The draft itself comes first. */
function containers(draft: Draft): Container[] {
  if (typeof draft !== 'object' || draft === null || draft instanceof RawJson) return [];
  return [draft as Container, ...Object.values(draft).flatMap(containers)];
}

const nest = (levels: number): RawJson => new RawJson('[{"a":'.repeat(levels) + '0' + '}]'.repeat(levels));

/** The greatest double, the first infinite number, and their neighbours. */
const edgeNumbers = [
  '1.7976931348623157e308',
  '-1.7976931348623158e308',
  '1.7976931348623159e308',
  '-1e309',
  '1E400',
  '1e-400',
  '5e-324',
  '-0',
  '-0.0e5',
  '123456789012345678901234567890',
  '0.1',
];

const arbitraryText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '',
    'native',
    'mock',
    'true',
    'false',
    'null',
    'a b',
    '1',
    'name',
    'free',
    'v\n',
    'none',
    'once',
    'Once',
  ),
  fc.constantFrom(1, 63, 64, 65, 100, 101, 200, 201).chain((length) =>
    fc.constantFrom('x', '🦕', 'ü').map((text) => text.repeat(length))
  ),
  fc.constantFrom('\0', 'a\0b', '\ud800', '\udc00\ud800', 'ok \ud83e\udd95', '\uffff', '\u2028'),
);

const arbitraryDraft: fc.Arbitrary<Draft> = fc.oneof(
  arbitraryText,
  fc.constantFrom<Draft>(null, true, false, 0, -1, 1.5, [], {}, [[]], [null], ['free'], [{}]),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(...edgeNumbers).map((text) => new RawJson(text)),
  fc.integer({ min: 25, max: 36 }).map(nest),
  fc.constantFrom<Draft>({ name: 'a', type: 'free' }, { name: 'a', type_bounds: ['free'] }, { name: '', type: '' }),
  fc.jsonValue({ maxDepth: 3 }).map((json) => json as Draft),
);

const documentedNames = [
  ...new Set(
    fixtureDefinitions.flatMap(([, definition]) =>
      containers(definition).flatMap((container) => Array.isArray(container) ? [] : Object.keys(container))
    ),
  ),
];

const databaseColumns = ['id', 'user_id', 'is_public', 'owner_key', 'node_id', 'version', 'created_at', 'updated_at'];

interface Mutation {
  how: 'replace' | 'remove' | 'add' | 'repeat' | 'rename';
  container: number;
  member: number;
  name: string;
  value: Draft;
}

const arbitraryMutation: fc.Arbitrary<Mutation> = fc.record({
  how: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat', 'rename'),
  container: fc.nat(),
  member: fc.nat(),
  name: fc.oneof(
    fc.constantFrom(...documentedNames),
    fc.constantFrom('__proto__', 'toString', 'length', 'effects'),
    arbitraryText,
  ),
  value: arbitraryDraft,
});

/** Copies a draft, because fast-check may return the same draft again. */
function copy(draft: Draft): Draft {
  if (typeof draft !== 'object' || draft === null || draft instanceof RawJson) return draft;
  if (Array.isArray(draft)) return draft.map(copy);
  return Object.fromEntries(Object.entries(draft).map(([name, member]) => [name, copy(member)]));
}

/** Sets a member of any name. An assignment to __proto__ would set the prototype instead. */
const setMember = (object: object, name: string, value: Draft): void => {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
};

function mutate(draft: { [name: string]: Draft }, { how, container: at, member, name, value }: Mutation): void {
  const all = containers(draft);
  const container = all[at % all.length]!;
  // A write may have values for the columns that the database sets. The database ignores such values, so do not set
  // these columns.
  const isTaken = container === draft && databaseColumns.includes(name);
  if (Array.isArray(container)) {
    const index = container.length === 0 ? 0 : member % container.length;
    if (how === 'remove') container.splice(index, 1);
    else if (how === 'repeat' && container.length > 0) container.push(copy(container[index]!));
    else container.splice(index, how === 'replace' ? 1 : 0, copy(value));
    return;
  }
  const names = Object.keys(container);
  const old = names[member % Math.max(names.length, 1)];
  if (how === 'add' || old === undefined) {
    if (!isTaken) setMember(container, name, copy(value));
  } else if (how === 'replace' || how === 'repeat') {
    setMember(container, old, copy(value));
  } else {
    const moved = container[old]!;
    delete container[old];
    if (how === 'rename' && !isTaken) setMember(container, name, moved);
  }
}

/** JSON texts of definitions with up to four random changes. Some texts are slightly beyond I-JSON. */
export const definitionTexts: fc.Arbitrary<string> = fc.tuple(
  fc.constantFrom(...[...fixtureDefinitions, ...sharedDefinitions].map(([, definition]) => JSON.stringify(definition))),
  fc.array(arbitraryMutation, { maxLength: 4 }),
).map(([base, mutations]) => {
  const draft: { [name: string]: Draft } = JSON.parse(base);
  for (const mutation of mutations) mutate(draft, mutation);
  return toText(draft);
});
