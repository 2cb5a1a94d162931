import type { DefinitionToStore } from '../flow_client.ts';
import { implementationLine } from '../../types/described/implementation_line.ts';
import { memberOf, textOf } from './documents.ts';

type Ports = DefinitionToStore['sources'] | DefinitionToStore['targets'];

/** Writes JSON with sorted members, because the database sorts them. A member that is null or missing is the same. */
function sortedJson(json: unknown): string {
  if (Array.isArray(json)) return `[${json.map(sortedJson).join()}]`;
  if (typeof json !== 'object' || json === null) return JSON.stringify(json ?? null);
  const members = Object.entries(json).filter(([, member]) => member !== null && member !== undefined);
  return `{${members.toSorted().map(([name, member]) => `${JSON.stringify(name)}:${sortedJson(member)}`).join()}}`;
}

const isSame = (a: unknown, b: unknown): boolean => sortedJson(a) === sortedJson(b);

const typeOf = (port: Ports[number]): string =>
  ('type' in port ? textOf(port.type) : undefined) ?? (port.type_bounds as string[]).join(' or ');

function portDifferences(what: string, before: Ports, after: Ports): string[] {
  const former = new Map<string, Ports[number]>(before.map((port) => [port.name, port]));
  const names = new Set(after.map(({ name }) => name));
  return [
    ...after.flatMap((port) => {
      const old = former.get(port.name);
      if (old === undefined) return [`${what} ${port.name} is new`];
      return [
        ...(typeOf(old) === typeOf(port) ? [] : [`${what} ${port.name}: ${typeOf(old)}, now ${typeOf(port)}`]),
        ...((old.required ?? false) === (port.required ?? false)
          ? []
          : [`${what} ${port.name} is ${port.required === true ? 'required' : 'optional'} now`]),
      ];
    }),
    ...before.filter(({ name }) => !names.has(name)).map(({ name }) => `${what} ${name} is gone`),
  ];
}

const lineOf = ({ type, data }: DefinitionToStore): string => implementationLine(type, data.implementation);

/**
 * Describes the differences between a stored definition and the new one; none if they are equal.
 */
function definitionDifferences(stored: DefinitionToStore, made: DefinitionToStore): string[] {
  const found = [
    ...portDifferences('input', stored.targets, made.targets),
    ...portDifferences('output', stored.sources, made.sources),
    ...(isSame(stored.data.effects, made.data.effects)
      ? []
      : [`effects: ${String(stored.data.effects)}, now ${String(made.data.effects)}`]),
    ...(lineOf(stored) === lineOf(made) ? [] : [`what it does: ${lineOf(stored)}, now ${lineOf(made)}`]),
  ];
  if (found.length > 0) return found;
  if (!isSame(stored.data.implementation, made.data.implementation)) return ['the form of what it sends or reads'];
  const members = ['data', 'sources', 'targets', 'targets_form.json_schema'] as const;
  return members.every((name) => isSame(stored[name], made[name])) ? [] : ['texts for editors'];
}

/** What an update of stored definitions changes. */
export interface DefinitionUpdate {
  /** The definitions that differ from the stored ones, or that are a new version, with the differences. */
  changed: { definition: DefinitionToStore; differences: string[] }[];
  /** The stored definitions whose operations the document no longer has. */
  gone: DefinitionToStore[];
}

/** The latest stored version is the one that was changed last. */
function latestOf<Stored extends DefinitionToStore & { updated_at: string }>(versions: Stored[]): Stored | undefined {
  return versions.toSorted((a, b) => a.updated_at < b.updated_at ? 1 : -1)[0];
}

/**
 * Compares the definitions that a document gives with the stored ones of the same names. Definitions without a stored
 * one are left out, because the user has not chosen them. The stored effects are kept, because the user may have changed
 * them, unless the operation has another method.
 */
export function compareDefinitions<Stored extends DefinitionToStore & { updated_at: string }>(
  stored: readonly Stored[],
  made: readonly DefinitionToStore[],
  prefix = '',
): DefinitionUpdate {
  const changed = made.flatMap((definition) => {
    const { type, data } = definition;
    const versions = stored.filter((one) => one.type === type && one.data.node_id === data.node_id);
    const former = versions.find((one) => one.data.version === data.version) ?? latestOf(versions);
    if (former === undefined) return [];
    const method = (one: DefinitionToStore) => memberOf(one.data.implementation, 'method');
    const effects = method(former) === method(definition) ? former.data.effects : data.effects;
    const next = { ...definition, data: { ...data, effects } };
    const differences = [
      ...(former.data.version === data.version ? [] : [`version: ${former.data.version}, now also ${data.version}`]),
      ...definitionDifferences({ ...former, data: { ...former.data, version: data.version } }, next),
    ];
    return differences.length === 0 ? [] : [{ definition: next, differences }];
  });
  const [first] = made;
  const ids = new Set(made.map(({ data }) => data.node_id));
  const gone = first === undefined
    ? []
    : stored.filter(({ type, data }) =>
      type === first.type && isSame(data.tags, first.data.tags) && data.node_id.startsWith(prefix) &&
      !ids.has(data.node_id)
    );
  return { changed, gone };
}
