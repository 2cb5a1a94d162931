import {
  ConversionError,
  type Convert,
  invalidType,
  readField,
  readOptionalField,
  toArray,
  toMap,
  toText,
} from '../../types/values/conversion.ts';
import type { LosslessJson, Value, ValueMap } from '../../types/values/value.ts';
import { formMember, type NodeCall } from '../engine/node.ts';

/** The values of a node from which a query gets names: the author's form data, and inputs that anybody may have given. */
export type Operands = Pick<NodeCall, 'inputs' | 'formData'>;

/** Parameters that have a meaning of their own. Source: docs.postgrest.org, "Tables and Views". */
const SETTINGS = new Set(['select', 'order', 'limit', 'offset', 'columns', 'on_conflict']);
const LOGIC = new Set(['and', 'or', 'not']);

/** Source: docs.postgrest.org, "Operators". */
const OPERATORS = (
  'eq gt gte lt lte neq like ilike match imatch in is isdistinct fts plfts phfts wfts cs cd ov sl sr nxr nxl adj'
).split(' ');

/**
 * Checks the name of a filter. `tags.limit` is no filter either: it limits the rows of an embedded table. An error does
 * not quote the name, because an input may have brought it.
 */
function checkColumn(name: string, field: string): string {
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (last !== '' && !SETTINGS.has(last) && !LOGIC.has(last)) return name;
  throw new ConversionError(
    `must name a column, but PostgREST reads ${[...SETTINGS, ...LOGIC].join(', ')} as something else`,
    field,
  );
}

/** Checks a name that PostgREST must read as a column and nothing else, such as a path in JSON or an embedded table. */
function checkPlainColumn(name: string, field: string): string {
  if (!/[.:,()"!*&=<>\s]|->/.test(name)) return checkColumn(name, field);
  throw new ConversionError(
    'must be the plain name of a column: only the form data may have operators or paths',
    field,
  );
}

/** Tests whether a parameter restricts the rows that a write changes. A filter of an embedded table does not. */
export const restrictsRows = (name: string): boolean =>
  !SETTINGS.has(name) && (/^not\.(?:and|or)$/.test(name) || !name.split('->')[0]!.includes('.'));

/** Returns the names of the members of a value in the form data, or of all rows in a list. */
function namesIn(value: LosslessJson | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap((row) => namesIn(row));
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

/**
 * Returns the names that the author gave to the members of an input: the list in the form data, or else the names in
 * the value that the form data have for the input. A value that comes by an edge brings no names of its own.
 */
function givenNames(formData: LosslessJson, input: string, listedIn: string): Set<string> {
  const listed = formMember(formData, listedIn) ?? [];
  if (!Array.isArray(listed) || !listed.every((name) => typeof name === 'string')) {
    throw new ConversionError('must be a list of names', listedIn);
  }
  if (listed.length > 0) return new Set(listed);
  const own = formMember(formData, input);
  if (own !== undefined) return new Set(namesIn(own));
  throw new ConversionError(
    `must list the names in \`${input}\` in the form data, because an edge brings the values`,
    listedIn,
  );
}

function checkNames(members: ValueMap, names: Set<string>, input: string, listedIn: string): void {
  if (Object.keys(members).every((name) => names.has(name))) return;
  throw new ConversionError(
    `has other names than the form data: ${[...names].join(', ') || 'none'} (see \`${listedIn}\`)`,
    input,
  );
}

/** Reads the column of a filter. */
export function readColumn({ inputs, formData }: Operands): string {
  const column = readField(inputs, 'column', toText);
  return (formMember(formData, 'column') === column ? checkColumn : checkPlainColumn)(column, 'column');
}

/** Reads an operator of PostgREST, which may have a modifier: `fts(german)`. */
export const toOperator: Convert<string> = (value) => {
  const operator = toText(value);
  if (OPERATORS.includes(operator.replace(/\([a-z_]{1,63}\)$/, ''))) return operator;
  throw new ConversionError(`must be one of ${OPERATORS.join(', ')}`);
};

/** Reads a wanted value for each column. A column without a value would let the query keep more rows than meant. */
export function readFilter({ inputs, formData }: Operands): [column: string, wanted: Value][] {
  const filter = readField(inputs, 'filter', toMap);
  const names = givenNames(formData, 'filter', 'columns');
  checkNames(filter, names, 'filter', 'columns');
  const missing = [...names].find((name) => !Object.hasOwn(filter, name));
  if (missing !== undefined) throw new ConversionError(`lacks the column ${missing}`, 'filter');
  const own = new Set(namesIn(formMember(formData, 'filter')));
  return Object.entries(filter).map(([name, wanted]) => [
    (own.has(name) ? checkColumn : checkPlainColumn)(name, 'filter'),
    wanted,
  ]);
}

const toRows: Convert<Value> = (value) => {
  if ('M' in value || 'A' in value) return value;
  throw invalidType(value, 'a map, or a list of maps');
};

/** Reads a row or a list of rows. */
export function readRows({ inputs, formData }: Operands): Value {
  const body = readField(inputs, 'body', toRows);
  const names = givenNames(formData, 'body', 'columns');
  const row: Convert<void> = (value) => checkNames(toMap(value), names, 'body', 'columns');
  if ('A' in body) toArray(body).forEach(row);
  else row(body);
  return body;
}

/** Reads the arguments of a function. */
export function readArguments({ inputs, formData }: Operands): ValueMap {
  const params = readOptionalField(inputs, 'params', toMap);
  if (params === undefined) return {};
  checkNames(params, givenNames(formData, 'params', 'param_names'), 'params', 'param_names');
  return params;
}
