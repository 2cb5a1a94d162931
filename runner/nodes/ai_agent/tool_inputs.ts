import { isEmail } from '../../../types/answer_schema.ts';
import { faultsOfAnswer } from '../../../types/check_answer.ts';
import type { Graph, SnapshotNode } from '../../../types/flow.ts';
import { nodeLimits } from '../../../types/limits/nodes.ts';
import { requestLimits } from '../../../types/limits/requests.ts';
import { type InputType, inputTypeNamed } from '../../../types/values/input_types.ts';
import { fromReadableJson, javaScriptOfJson } from '../../../types/values/json/readable_json.ts';
import { parseLosslessJson } from '../../../types/values/json_text.ts';
import type { PortTypeName } from '../../../types/values/port_types.ts';
import {
  type LosslessJson,
  MAX_VALUE_DEPTH,
  type Value,
  ValueError,
  type ValueMap,
} from '../../../types/values/value.ts';
import { measureValue } from '../../engine/limits/value_size.ts';
import { formMember, formText } from '../../engine/node.ts';

/** An input of a flow, as its author has described it. */
interface ToolInput {
  name: string;
  /** Undefined if the author has chosen no type. Then any JSON fits. */
  type: InputType | undefined;
  isRequired: boolean;
  schema: Json;
}

type Json = { [keyword: string]: unknown };

/** The JSON Schema types of the types whose values are not any JSON. */
const JSON_TYPES: { readonly [type in PortTypeName]?: string } = {
  string: 'string',
  decimal: 'number',
  i128: 'integer',
  bool: 'boolean',
  array: 'array',
  object: 'object',
  pubkey: 'string',
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
function faultOf(value: Value, type: InputType | undefined): string | undefined {
  const { fault } = measureValue(value);
  if (fault !== undefined) return fault;
  return type?.format === undefined || !('S' in value) || FITS[type.format](value.S)
    ? undefined
    : `must be ${type.words}`;
}

const LIMITS = { characters: nodeLimits.checked_answer_bytes.value, depth: MAX_VALUE_DEPTH, members: Infinity };

function readInput(name: string, nodes: readonly SnapshotNode['data'][]): ToolInput {
  const forms = nodes.map(({ targets_form }) => targets_form.form_data);
  const given = (member: string) => forms.map((form) => formMember(form, member)).find((value) => value || undefined);
  const type = inputTypeNamed(given('type'));
  const choices = javaScriptOfJson(given('choices') ?? null);
  const hasDefault = forms.some((form) => (formMember(form, 'form_label') ?? null) !== null);
  const isDescribed = ['type', 'title', 'help', 'required', 'choices'].some((member) => given(member) !== undefined);
  const description = ['title', 'help'].flatMap((member) => formText({ text: given(member) ?? '' }, 'text') || [])
    .join('. ');
  const jsonType = type && JSON_TYPES[type.portType];
  return {
    name,
    type,
    // Nobody has said that an input without a description may be missing.
    isRequired: !hasDefault && (!isDescribed || given('required') === true),
    schema: {
      ...(jsonType !== undefined && { type: jsonType }),
      ...(type?.format !== undefined && { format: type.format }),
      ...(Array.isArray(choices) && choices.length > 0 && { enum: choices }),
      ...((description !== '' || type?.portType === 'pubkey') && { description: description || type?.words }),
    },
  };
}

/** The inputs of a flow that is a tool: the schema that the model gets, and the check of the arguments that it gives. */
export class ToolInputs {
  readonly schema: Json;
  readonly #inputs: readonly ToolInput[];

  constructor({ nodes }: Graph) {
    const byName = new Map<string, SnapshotNode['data'][]>();
    for (const { data } of nodes) {
      if (data.type !== 'native' || data.node_id !== 'flow_input') continue;
      const name = formText(data.targets_form.form_data, 'label') ?? data.sources[0]?.name ?? '';
      byName.set(name, [...byName.get(name) ?? [], data]);
    }
    this.#inputs = [...byName].map(([name, data]) => readInput(name, data));
    this.schema = {
      type: 'object',
      properties: Object.fromEntries(this.#inputs.map(({ name, schema }) => [name, schema])),
      required: this.#inputs.filter(({ isRequired }) => isRequired).map(({ name }) => name),
      additionalProperties: false,
    };
  }

  /** Checks arguments that a model has written. Returns the values for the flow, or the reason why they do not fit. */
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
    for (const { name, type, isRequired } of this.#inputs) {
      const given = formMember(json, name);
      if (given === undefined) continue;
      try {
        const value = fromReadableJson(given, [type?.portType ?? 'free'], isRequired);
        if (value === undefined) return { fault: `${name}: must be ${type?.words ?? 'JSON'}` };
        const fault = faultOf(value, type);
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
