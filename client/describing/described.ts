import { nodeDefinitionSchema } from '../../types/node_definition.ts';
import type { DefinitionToStore } from '../flow_client.ts';
import { OperationRefused, printable } from './documents.ts';

/** The definitions that a description gives, and the operations that can't be nodes. */
export interface Described {
  definitions: DefinitionToStore[];
  /** The place of each refused operation, such as `POST /orders`, with the reason. */
  refused: { place: string; reason: string }[];
}

/** How definitions are made of a description. */
export interface DescribeOptions {
  /** Written before the `node_id` of each definition. */
  prefix?: string | undefined;
  /** The operations to describe, by their names or places; by default all. */
  only?: readonly string[] | undefined;
}

/** The reason with which a name in `only` is refused that no operation has. */
export const NO_SUCH_OPERATION = 'the description has no such operation';

/** The operations of a description that the caller wants. */
export class WantedOperations {
  readonly #only: readonly string[] | undefined;
  readonly #unknown: Set<string>;

  constructor(only: DescribeOptions['only']) {
    this.#only = only;
    this.#unknown = new Set(only);
  }

  /** Tests whether an operation is wanted. Its name and its place stand for it. */
  has(...names: string[]): boolean {
    for (const name of names) this.#unknown.delete(name);
    return this.#only === undefined || names.some((name) => this.#only!.includes(name));
  }

  /** Lists the wanted names that no operation has had. A misspelt name must not get lost. */
  refusals(): Described['refused'] {
    return [...this.#unknown].map((name) => ({ place: printable(name, 500), reason: NO_SUCH_OPERATION }));
  }
}

/** Names the definitions of one document. */
export class NodeIds {
  readonly #counts = new Map<string, number>();

  /** Returns the name, with a number behind it if another definition has the name. */
  take(name: string): string {
    let free = name;
    let count = this.#counts.get(name) ?? 0;
    while (this.#counts.has(free)) free = `${name}_${++count + 1}`;
    this.#counts.set(name, count);
    this.#counts.set(free, 0);
    return free;
  }
}

/** Returns a definition if it is valid. Otherwise throws an OperationRefused. */
export function checkedDefinition(definition: object): DefinitionToStore {
  const made = nodeDefinitionSchema.safeParse(definition);
  if (made.success) return made.data;
  const [{ path: at = [], message = '' } = {}] = made.error.issues;
  throw new OperationRefused(`${at.map(String).join('.')}: ${message}`);
}

/** Makes a `node_id` of a name; empty if no character of the name can be in one. */
export const nodeIdOf = (id: string): string =>
  id.slice(0, 1_000).replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/_{2,}/g, '_').replace(/^_|_$/g, '').slice(0, 200);
