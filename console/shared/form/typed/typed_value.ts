import { digitsOf, KEEPS_DIGITS, parseExactly } from '../../exact_json.ts';
import { isObject } from '../../graph/drawn_node.ts';

/** The kinds of values that a field may have, each with an editor of its own. */
export const KINDS = ['text', 'number', 'boolean', 'list', 'map', 'json'] as const;
export type ValueKind = typeof KINDS[number];

export const KIND_TITLES: Record<ValueKind, string> = {
  text: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  list: 'List',
  map: 'Map',
  json: 'JSON',
};

const OF_TYPES: Record<string, readonly ValueKind[]> = {
  string: ['text'],
  number: ['number'],
  integer: ['number'],
  boolean: ['boolean'],
  array: ['list', 'json'],
  object: ['map', 'json'],
  null: ['json'],
};

/** The kinds of values that these types of a JSON Schema allow; every kind if there is no known type. */
export function kindsOfJsonTypes(types: readonly unknown[]): readonly ValueKind[] {
  const kinds = KINDS.filter((kind) => types.some((type) => OF_TYPES[String(type)]?.includes(kind)));
  return kinds.length === 0 ? KINDS : kinds;
}

/** What the editor of a kind gets. */
export interface EditorProps {
  id: string;
  label: string;
  value: unknown;
  placeholder?: string | undefined;
  disabled: boolean;
  error: string | undefined;
  /** Called with the new value, and with the fault of a text that has no value. */
  onChange: (value: unknown, fault: string | undefined) => void;
}

/** A text as it is typed: either the value that it stands for, or a fault. */
export type Read = { value: unknown } | { fault: string };

export function kindOfValue(value: unknown): ValueKind | undefined {
  if (value === undefined) return undefined;
  if (value === null) return 'json';
  if (digitsOf(value) !== undefined) return 'number';
  if (Array.isArray(value)) return 'list';
  if (isObject(value)) return 'map';
  return typeof value === 'string' ? 'text' : 'boolean';
}

export const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);

/** The id of the text that shows the fault of a field's rows. Other editors name theirs in the same way. */
export const faultId = (fieldId: string): string => `${fieldId}-error`;

/** The kind of the JSON in a text, for a text that may be meant as another kind; undefined if it is only a text. */
export function kindOfText(value: unknown): ValueKind | undefined {
  const read = readText('json', textOf(value));
  return 'value' in read && typeof read.value !== 'string' ? kindOfValue(read.value) : undefined;
}

/** Reads a number or JSON. An empty text has no value. */
export function readText(kind: ValueKind, text: string): Read {
  if (kind === 'text') return { value: text };
  if (text.trim() === '') return { value: undefined };
  try {
    const value = parseExactly(text);
    if (kind !== 'number') return { value };
    if (digitsOf(value) === undefined) return { fault: 'This is not a number.' };
    const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value) || value === Infinity ||
      value === -Infinity;
    return isLarge && !KEEPS_DIGITS ? { fault: 'This number has too many digits. Enter it as a text.' } : { value };
  } catch {
    return { fault: kind === 'number' ? 'This is not a number.' : 'This is not JSON.' };
  }
}

/** Converts a value for another kind, as far as nothing has to be guessed. */
export function convert(value: unknown, kind: ValueKind): unknown {
  switch (kind) {
    case 'text':
      return value === undefined ? undefined : textOf(value);
    case 'number': {
      const read = readText('number', textOf(value));
      return 'value' in read ? read.value : undefined;
    }
    case 'boolean':
      return value === true || value === 'true';
    case 'list':
      return Array.isArray(value) || value === undefined ? value : [value];
    case 'map':
      return isObject(value) ? value : undefined;
    case 'json':
      return value;
  }
}

/** A row of a list or a map. The rows of a list have empty names. */
export interface TypedRow {
  name: string;
  kind: ValueKind;
  text: string;
}

/** The kinds of values in rows. A list or a map in a row is JSON. */
export const ROW_KINDS: readonly ValueKind[] = ['text', 'number', 'boolean', 'json'];

export const NEW_ROW: TypedRow = { name: '', kind: 'text', text: '' };

function rowOf(name: string, value: unknown): TypedRow {
  const kind = kindOfValue(value) ?? 'json';
  return { name, kind: ROW_KINDS.includes(kind) ? kind : 'json', text: textOf(value) };
}

export function rowsOf(value: unknown): TypedRow[] {
  if (Array.isArray(value)) return value.map((item) => rowOf('', item));
  return isObject(value) ? Object.entries(value).map(([name, item]) => rowOf(name, item)) : [];
}

/** The fault of a row; undefined without one. */
export function faultOfRow(row: TypedRow, isNamed: boolean): string | undefined {
  if (isNamed && row.name === '' && row.text !== '') return 'A name is missing.';
  const read = readText(row.kind, row.text);
  if ('fault' in read) return read.fault;
  return row.kind !== 'text' && read.value === undefined ? 'A value is missing.' : undefined;
}

/** Reads rows into a list or a map. Without rows there is no value. Rows without name and text are left out of a map. */
export function readRows(rows: readonly TypedRow[], isNamed: boolean): Read {
  const used = isNamed ? rows.filter(({ name, text }) => name !== '' || text !== '') : rows;
  for (const row of used) {
    const fault = faultOfRow(row, isNamed);
    if (fault !== undefined) return { fault };
  }
  if (used.length === 0) return { value: undefined };
  const values = used.map(({ name, kind, text }): [string, unknown] => {
    const read = readText(kind, text);
    return [name, 'value' in read ? read.value : undefined];
  });
  if (!isNamed) return { value: values.map(([, value]) => value) };
  const names = values.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? { value: Object.fromEntries(values) } : { fault: `The name ${twice} is there twice.` };
}
