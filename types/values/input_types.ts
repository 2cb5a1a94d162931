import type { PortTypeName, Tag } from './port_types.ts';

export interface InputType {
  /** The name in forms. */
  title: string;
  /** The type as which ports get the input. */
  portType: PortTypeName;
  /** The tags that a value of the type may have; `undefined` for any. */
  tags: readonly Tag[] | undefined;
  /** The `format` of the JSON Schema. */
  format?: 'date' | 'email' | 'uri';
  /** Follows `must be` in an error. */
  words: string;
}

const INTEGERS = ['U', 'I', 'U1', 'I1'] as const;

/**
 * The types that the author of a flow may choose for an input. `npm run db:diff` writes this table as SQL; starts are
 * checked there.
 */
export const INPUT_TYPES = {
  text: { title: 'Text', portType: 'string', tags: ['S'], words: 'a text' },
  number: { title: 'Number', portType: 'decimal', tags: [...INTEGERS, 'F', 'D'], words: 'a number' },
  integer: { title: 'Whole number', portType: 'i128', tags: INTEGERS, words: 'a whole number' },
  boolean: { title: 'Yes or no', portType: 'bool', tags: ['B'], words: 'true or false' },
  date: { title: 'Date', portType: 'string', tags: ['S'], format: 'date', words: 'a date such as 2026-11-29' },
  email: { title: 'E-mail address', portType: 'string', tags: ['S'], format: 'email', words: 'an e-mail address' },
  url: { title: 'Web address', portType: 'string', tags: ['S'], format: 'uri', words: 'an http or https address' },
  list: { title: 'List', portType: 'array', tags: ['A'], words: 'a list' },
  object: { title: 'Map', portType: 'object', tags: ['M'], words: 'an object' },
  public_key: {
    title: 'Public key',
    portType: 'pubkey',
    tags: ['B3', 'S'],
    words: 'a public key: base58 of 32 bytes',
  },
  json: { title: 'Any JSON', portType: 'json', tags: undefined, words: 'JSON' },
} satisfies { [name: string]: InputType };

type InputTypeName = keyof typeof INPUT_TYPES;

/** The input types by any name, for names from the JSON of a flow. */
export const inputTypeNamed = (name: unknown): InputType | undefined =>
  typeof name === 'string' && Object.hasOwn(INPUT_TYPES, name) ? INPUT_TYPES[name as InputTypeName] : undefined;
