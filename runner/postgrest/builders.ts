import type { NodeDefinition } from '../../types/node_definition.ts';
import {
  type Convert,
  invalidType,
  readField,
  readOptionalField,
  toInteger,
  toText,
} from '../../types/values/conversion.ts';
import { type LosslessJson, type Value, type ValueMap, valueToText } from '../../types/values/value.ts';
import { formMember, type NodeModule } from '../engine/node.ts';
import { type Operands, readArguments, readColumn, readFilter, readRows, toOperator } from './names.ts';
import { type Param, type Query, queryValue, toQuery, withOnlyParam, withParams } from './query.ts';

/** The text of a value in a filter. */
const toFilterText: Convert<string> = (value) => {
  if ('B' in value) return String(value.B);
  if ('A' in value || 'M' in value || 'N' in value || 'BY' in value) {
    throw invalidType(value, 'a string, a number or a boolean');
  }
  return valueToText(value);
};

/** Makes a filter: the column must equal the value. */
const equality = ([column, wanted]: [string, Value]): Param => [
  column,
  'N' in wanted ? 'is.null' : `eq.${toFilterText(wanted)}`,
];

/**
 * Tests whether the author states that the node's write may be made twice. The author states this in the form data and
 * not by an input, so a starter can't state it.
 */
export const isMarkedSafe = (formData: LosslessJson): boolean => formMember(formData, 'safe_to_repeat') === true;

/** Changes a query by the inputs and the form data of a node. */
type Change = (query: Query, operands: Operands) => Query;

const comparing = (operator: string): Change => (query, operands) =>
  withParams(query, [
    [readColumn(operands), `${operator}.${readField(operands.inputs, 'filter', toFilterText)}`],
  ]);

const setting = <T>(param: string, input: string, convert: Convert<T>): Change => (query, { inputs }) =>
  withOnlyParam(query, param, String(readField(inputs, input, convert)));

const writing = (method: Query['method'], prefer: readonly string[] = []): Change => (query, operands) => ({
  ...query,
  method,
  prefer: ['return=representation', ...prefer],
  body: readRows(operands),
  isSafeToRepeat: isMarkedSafe(operands.formData),
});

/** The change that each node `postgrest_builder_*` makes, by the last part of the node's name. */
const builders = {
  eq: comparing('eq'),
  neq: comparing('neq'),
  is: comparing('is'),
  not: (query, operands) => comparing(`not.${readField(operands.inputs, 'operator', toOperator)}`)(query, operands),
  match: (query, operands) => withParams(query, readFilter(operands).map(equality)),
  select: setting('select', 'columns', toText),
  order: setting('order', 'columns', toText),
  limit: setting('limit', 'count', toInteger('u64')),
  offset: setting('offset', 'count', toInteger('u64')),
  insert: writing('POST'),
  update: writing('PATCH'),
  upsert: writing('POST', ['resolution=merge-duplicates']),
} satisfies Record<string, Change>;

export type BuilderName = keyof typeof builders;

/** Makes a node that changes a query. */
export const builderNode = (name: BuilderName, definition: NodeDefinition): NodeModule => ({
  definition,
  run: (call) => ({ query: queryValue(builders[name](readField(call.inputs, 'query', toQuery), call)) }),
});

/** Begins a query that reads a table or view. */
export const queryOfTable = (inputs: ValueMap): Query => ({
  ...addressOf(inputs),
  target: { kind: 'table', name: readField(inputs, 'table', toText) },
  method: 'GET',
  params: [],
  prefer: [],
  isSafeToRepeat: false,
});

/**
 * Begins a query that calls a function. `isSafeToRepeat` is true if the author states that the call may be made twice.
 */
export const queryOfFunction = (operands: Operands, isSafeToRepeat: boolean): Query => ({
  ...addressOf(operands.inputs),
  target: { kind: 'function', name: readField(operands.inputs, 'function', toText) },
  method: 'POST',
  params: [],
  prefer: [],
  body: { M: readArguments(operands) },
  isSafeToRepeat,
});

const addressOf = (inputs: ValueMap): Pick<Query, 'url' | 'schema'> => ({
  url: readOptionalField(inputs, 'url', toText),
  schema: readOptionalField(inputs, 'schema', toText),
});
