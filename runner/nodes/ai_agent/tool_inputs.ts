import { isEmail } from '../../../types/answer_schema.ts';
import { faultsOfAnswer } from '../../../types/check_answer.ts';
import type { Graph, SnapshotNode } from '../../../types/flow.ts';
import { nodeLimits } from '../../../types/limits/nodes.ts';
import { requestLimits } from '../../../types/limits/requests.ts';
import type { NodeDefinition } from '../../../types/node_definition.ts';
import { type InputType, inputTypeNamed } from '../../../types/values/input_types.ts';
import { fromReadableJson, javaScriptOfJson } from '../../../types/values/json/readable_json.ts';
import { parseLosslessJson } from '../../../types/values/json_text.ts';
import { type Field, fieldOf } from '../../../types/values/port_types.ts';
import {
  type LosslessJson,
  MAX_VALUE_DEPTH,
  type Value,
  ValueError,
  type ValueMap,
} from '../../../types/values/value.ts';
import { measureValue } from '../../engine/limits/value_size.ts';
import { formMember, formText } from '../../engine/node.ts';

/** An input of a tool that the model may choose. */
interface ToolInput {
  name: string;
  /** The port types that a value may have. */
  types: readonly string[];
  isRequired: boolean;
  schema: Json;
  /** The format of texts. */
  format?: InputType['format'];
  /** Follows `must be` in an error. */
  words: string;
}

type Json = { [keyword: string]: unknown };

/** The JSON Schema types by the fields of port types. The fields `json` take any JSON. */
const JSON_TYPES: { readonly [field in Field]?: string } = {
  text: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  key: 'string',
  signature: 'string',
};

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) && !text.startsWith('0000') ? Date.parse(`${text}T00:00:00Z`) : NaN;
  // For the 30th of February, the time is that of a day in March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The tests of texts that have a format. `private.typed_value_fault` makes the same tests at a start. */
const FITS: { readonly [format in NonNullable<InputType['format']>]: (text: string) => boolean } = {
  date: isDate,
  email: isEmail,
  uri: (text) => text.length <= requestLimits.url_characters.value && /^https?:\/\/[^\s/?#]\S*$/i.test(text),
};

/** Returns the reason why a tool can't get a value; undefined if it can. */
function faultOf(value: Value, { format, words }: ToolInput): string | undefined {
  const { fault } = measureValue(value);
  if (fault !== undefined) return fault;
  return format === undefined || !('S' in value) || FITS[format](value.S) ? undefined : `must be ${words}`;
}

const LIMITS = { characters: nodeLimits.checked_answer_bytes.value, depth: MAX_VALUE_DEPTH, members: Infinity };

/** Returns the JSON Schema type of values of these port types; undefined if several fit. */
function jsonTypeOf(types: readonly string[]): string | undefined {
  const [type] = types;
  if (types.length === 1 && (type === 'array' || type === 'object')) return type;
  const field = fieldOf(types);
  return field && JSON_TYPES[field];
}

function inputOfFlow(name: string, nodes: readonly SnapshotNode['data'][]): ToolInput {
  const forms = nodes.map(({ targets_form }) => targets_form.form_data);
  const given = (member: string) => forms.map((form) => formMember(form, member)).find((value) => value || undefined);
  const type = inputTypeNamed(given('type'));
  const choices = javaScriptOfJson(given('choices') ?? null);
  const hasDefault = forms.some((form) => (formMember(form, 'form_label') ?? null) !== null);
  const isDescribed = ['type', 'title', 'help', 'required', 'choices'].some((member) => given(member) !== undefined);
  const description = ['title', 'help'].flatMap((member) => formText({ text: given(member) ?? '' }, 'text') || [])
    .join('. ');
  const types = [type?.portType ?? 'free'];
  const jsonType = jsonTypeOf(types);
  return {
    name,
    types,
    // Nobody has said that an input without a description may be missing.
    isRequired: !hasDefault && (!isDescribed || given('required') === true),
    schema: {
      ...(jsonType !== undefined && { type: jsonType }),
      ...(type?.format !== undefined && { format: type.format }),
      ...(Array.isArray(choices) && choices.length > 0 && { enum: choices }),
      ...((description !== '' || type?.portType === 'pubkey') && { description: description || type?.words }),
    },
    format: type?.format,
    words: type?.words ?? 'JSON',
  };
}

/** Returns the inputs of a flow, as its author has described them. */
export function inputsOfFlow({ nodes }: Graph): ToolInput[] {
  const byName = new Map<string, SnapshotNode['data'][]>();
  for (const { data } of nodes) {
    if (data.type !== 'native' || data.node_id !== 'flow_input') continue;
    const name = formText(data.targets_form.form_data, 'label') ?? data.sources[0]?.name ?? '';
    byName.set(name, [...byName.get(name) ?? [], data]);
  }
  return [...byName].map(([name, data]) => inputOfFlow(name, data));
}

/** Returns the inputs of a described node, as its definition describes them. */
export const inputsOfNode = (targets: NodeDefinition['targets']): ToolInput[] =>
  targets.map(({ name, type_bounds, required, tooltip }) => {
    const types = type_bounds.length === 0 ? ['free'] : type_bounds;
    const jsonType = jsonTypeOf(types);
    return {
      name,
      types,
      isRequired: required === true,
      schema: { ...(jsonType !== undefined && { type: jsonType }), ...(tooltip && { description: tooltip }) },
      words: `a value of the type ${types.join(' or ')}`,
    };
  });

/** The inputs of a tool: the schema that the model gets, and the check of the arguments that it gives. */
export class ToolInputs {
  readonly schema: Json;
  readonly #inputs: readonly ToolInput[];

  constructor(inputs: readonly ToolInput[]) {
    this.#inputs = inputs;
    this.schema = {
      type: 'object',
      properties: Object.fromEntries(inputs.map(({ name, schema }) => [name, schema])),
      required: inputs.filter(({ isRequired }) => isRequired).map(({ name }) => name),
      additionalProperties: false,
    };
  }

  /** Checks arguments that a model has written. Returns the values for the tool, or the reason why they do not fit. */
  read(text: string): { values: ValueMap } | { fault: string } {
    let json: LosslessJson;
    try {
      json = parseLosslessJson(text, LIMITS);
    } catch {
      return { fault: `the arguments are not JSON of at most ${LIMITS.characters} characters` };
    }
    const faults = faultsOfAnswer({ json_schema: this.schema }, JSON.parse(text));
    if (faults.length > 0) {
      return { fault: faults.map(({ path, message }) => `${path || 'the arguments'}: ${message}`).join('; ') };
    }
    return this.#toValues(json);
  }

  #toValues(json: LosslessJson): { values: ValueMap } | { fault: string } {
    const values: ValueMap = Object.create(null);
    for (const input of this.#inputs) {
      const { name, types, isRequired, words } = input;
      const given = formMember(json, name);
      if (given === undefined) continue;
      try {
        const value = fromReadableJson(given, types, isRequired);
        if (value === undefined) return { fault: `${name}: must be ${words}` };
        const fault = faultOf(value, input);
        if (fault !== undefined) return { fault: `${name}: ${fault}` };
        values[name] = value;
      } catch (error) {
        if (!(error instanceof ValueError)) throw error;
        return { fault: `${name}: ${error.message}` };
      }
    }
    return { values };
  }
}
