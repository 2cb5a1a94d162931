import { z } from 'zod';
import { isDescribedType } from './described/types.ts';
import { utf8Length } from './values/utf8_length.ts';
import { isObject, isStorable } from './values/value.ts';
import { definitionLimits } from './limits/definitions.ts';
import { flowLimits } from './limits/flows.ts';
import { sizeText } from './limits/limit_text.ts';

/** The deepest nesting of objects and arrays in a definition. */
const MAX_DEPTH = definitionLimits.definition_levels.value;
/**
 * The size limit of a definition in bytes. Strings and member names count with their bytes in UTF-8, and each value
 * counts 8 bytes in addition.
 */
const MAX_SIZE = definitionLimits.definition_bytes.value;
const MAX_IMPLEMENTATION_SIZE = definitionLimits.implementation_bytes.value;
const VALUE_SIZE = 8;
/** The longest name of a member, and of a port, in characters. */
const MAX_NAME_LENGTH = definitionLimits.definition_name_characters.value;
const MAX_TYPE_LENGTH = definitionLimits.definition_type_characters.value;
const TYPE_RULE =
  `must be at most ${MAX_TYPE_LENGTH} letters, digits, _ and -, start with a letter, and not be true or false`;

const countCharacters = (text: string): number => [...text].length;

/** The ways in which a node may change things outside of its run, from the least to the most. */
const EFFECTS = ['none', 'idempotent', 'once'] as const;
export type Effects = typeof EFFECTS[number];

export const isEffects = (text: string): text is Effects => EFFECTS.some((word) => word === text);

const withoutNulls = (json: object): object =>
  Object.fromEntries(Object.entries(json).filter(([, member]) => member !== null));

interface Fault {
  path: (string | number)[];
  message: string;
}

/** The size of a JSON value as the limits count it. */
function sizeOf(json: unknown): number {
  if (typeof json === 'string') return VALUE_SIZE + utf8Length(json);
  if (typeof json !== 'object' || json === null) return VALUE_SIZE;
  if (Array.isArray(json)) return json.reduce((size: number, element) => size + sizeOf(element), VALUE_SIZE);
  return Object.entries(json)
    .reduce((size, [name, member]) => size + utf8Length(name) + sizeOf(member), VALUE_SIZE);
}

/** The fault of `data.implementation` of a described definition. The adapter of its type checks the content. */
function implementationFault(implementation: unknown): string | undefined {
  if (implementation === undefined || implementation === null) return 'is missing';
  if (!isObject(implementation)) return 'must be an object';
  return sizeOf(implementation) > MAX_IMPLEMENTATION_SIZE
    ? `holds more than ${sizeText(MAX_IMPLEMENTATION_SIZE)}`
    : undefined;
}

/** Finds the first fault in the form of a JSON value: too deep, too large or not I-JSON (RFC 7493). */
function jsonFault(json: unknown): Fault | undefined {
  let size = 0;
  const find = (value: unknown, depth: number): Fault | undefined => {
    const fault = (message: string): Fault => ({ path: [], message });
    size += VALUE_SIZE;
    if (depth > MAX_DEPTH) return fault(`is nested deeper than ${MAX_DEPTH} levels`);
    if (typeof value === 'number' && !Number.isFinite(value)) return fault('must be a number that a double can hold');
    if (typeof value === 'string') {
      size += utf8Length(value);
      if (!isStorable(value)) return fault('must be text without NUL and lone surrogates');
    }
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
      if (typeof key === 'string') {
        size += utf8Length(key);
        if (countCharacters(key) > MAX_NAME_LENGTH) {
          return { path: [`${key.slice(0, 100)}…`], message: `has a name of more than ${MAX_NAME_LENGTH} characters` };
        }
        if (!isStorable(key)) return fault('has a member whose name holds NUL or a lone surrogate');
      }
      const inside = find(member, depth + 1);
      if (inside !== undefined) return { ...inside, path: [key, ...inside.path] };
      if (size > MAX_SIZE) return undefined;
    }
    return undefined;
  };
  return find(json, 0) ??
    (size > MAX_SIZE ? { path: [], message: `holds more than ${sizeText(MAX_SIZE)}` } : undefined);
}

const keySchema = (longest: number) =>
  z.string().refine(
    (text) => text !== '' && countCharacters(text) <= longest,
    `must have 1 to ${longest} characters`,
  );

const text = z.string().nullish();
const number = z.number().nullish();
const texts = z.array(z.string()).nullish();

const dataSchema = z.looseObject({
  node_id: keySchema(flowLimits.node_id_characters.value),
  version: keySchema(definitionLimits.definition_version_characters.value),
  display_name: z.string(),
  node_definition_version: text,
  unique_id: text,
  description: text,
  /**
   * The effects of one execution. With `none`, the node changes nothing outside and may run again. With `idempotent`,
   * it may run again, because a repetition changes nothing more. With `once`, the node is never run again
   * automatically. If the inputs of a node decide which effects it has, the definition declares the strongest effect.
   * Default: none.
   */
  // The type is `string`, because the compiler infers no narrower type for this member of an imported JSON file.
  effects: z.string().refine((word): boolean => isEffects(word), 'must be none, idempotent or once').nullish(),
  tags: texts,
  related_to: z.array(z.looseObject({ id: text, type: text, relationship: text })).nullish(),
  resources: z.looseObject({ source_code_url: text, documentation_url: text }).nullish(),
  usage: z.looseObject({
    license: text,
    license_url: text,
    pricing: z.looseObject({
      currency: text,
      purchase_price: number,
      price_per_run: number,
      custom: z.looseObject({ unit: text, value: text }).nullish(),
    }).nullish(),
  }).nullish(),
  authors: z.array(z.looseObject({ name: text, contact: text })).nullish(),
  design: z.looseObject({
    width: number,
    height: number,
    icon_url: text,
    backgroundColor: text,
    backgroundColorDark: text,
  }).nullish(),
  options: z.looseObject({}).nullish(),
  /**
   * The order of instructions: the inputs whose instructions come before the node's own instruction, the output for the
   * signature of the transaction, and the inputs whose instructions come after.
   */
  instruction_info: z.looseObject({ before: texts, signature: text, after: texts }).nullish(),
  width: number,
  height: number,
  backgroundColor: text,
  backgroundColorDark: text,
});

const portNameSchema = z.string().refine(
  (name) => countCharacters(name) <= MAX_NAME_LENGTH,
  `must have at most ${MAX_NAME_LENGTH} characters`,
);

/** An output. */
const sourceSchema = z.looseObject({
  name: portNameSchema,
  type: z.string(),
  /** True if the node may leave the output without a value. */
  optional: z.boolean().nullish(),
  defaultValue: z.unknown().optional(),
  tooltip: text,
});

/** An input. */
const targetSchema = z.looseObject({
  name: portNameSchema,
  type_bounds: z.array(z.string()),
  required: z.boolean().nullish(),
  /** True if the node also outputs the input's value, under the name of the input. */
  passthrough: z.boolean().nullish(),
  defaultValue: z.unknown().optional(),
  tooltip: text,
});

const formSchema = z.looseObject({}).nullish();

function repeatedNames(side: 'sources' | 'targets', ports: { name: string }[]): Fault[] {
  const seen = new Set<string>();
  return ports.flatMap(({ name }, index) => {
    if (seen.has(name)) {
      return [{ path: [side, index, 'name'], message: `another port has the name ${JSON.stringify(name)}` }];
    }
    seen.add(name);
    return [];
  });
}

const recordSchema = z.strictObject({
  type: z.string().max(MAX_TYPE_LENGTH, TYPE_RULE).regex(/^(?!(true|false)$)[A-Za-z][A-Za-z0-9_-]*$/, TYPE_RULE),
  data: dataSchema,
  sources: z.array(sourceSchema),
  targets: z.array(targetSchema),
  'targets_form.json_schema': formSchema,
  'targets_form.ui_schema': formSchema,
  'targets_form.extra': formSchema,
}).superRefine((definition, context) => {
  // A ui_schema without a json_schema has no effect. It is accepted, because existing records have one.
  const isIncomplete = definition['targets_form.json_schema'] != null && definition['targets_form.ui_schema'] == null;
  const lonely = isIncomplete
    ? [{ path: ['targets_form.ui_schema'], message: 'is missing: targets_form.json_schema needs it' }]
    : [];
  const repeated = [...repeatedNames('sources', definition.sources), ...repeatedNames('targets', definition.targets)];
  const implementation = isDescribedType(definition.type)
    ? implementationFault(definition.data.implementation)
    : undefined;
  if (implementation !== undefined) {
    context.addIssue({ code: 'custom', path: ['data', 'implementation'], message: implementation });
  }
  for (const { path, message } of [...lonely, ...repeated]) context.addIssue({ code: 'custom', path, message });
});

/**
 * The record from which front-ends draw a node, as posted to /rest/v1/nodes. sql/300_nodes/20_node_definition.sql
 * enforces the same rules: an I-JSON text that is valid here is valid there, and an invalid one is invalid there. An
 * optional member that is null counts as missing. Unknown members are kept only in `data`, in sources, in targets, and
 * in objects inside these three.
 */
export const nodeDefinitionSchema = z.unknown().superRefine((json, context) => {
  // In the row that the database stores, a null member equals a missing one. So nulls do not count for the size.
  const fault = jsonFault(isObject(json) ? withoutNulls(json) : json);
  if (fault !== undefined) context.addIssue({ code: 'custom', ...fault });
}).pipe(recordSchema);

/** The definition of a node for front-ends. */
export type NodeDefinition = z.infer<typeof nodeDefinitionSchema>;
