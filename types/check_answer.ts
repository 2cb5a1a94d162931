import type { InputQuestion } from './answer_schema.ts';
import { nodeLimits } from './limits/nodes.ts';
import { requestLimits } from './limits/requests.ts';
import { isObject } from './values/value.ts';

/** A fault of an answer: the path in the answer, such as `lines.0.price`, and a message. */
interface AnswerFault {
  path: string;
  message: string;
}

/** The keywords that `faultOfAnswerSchema` accepts. Other members of a schema only describe a value. */
interface AnswerSchema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: AnswerSchema[];
  oneOf?: AnswerSchema[];
  properties?: { [name: string]: AnswerSchema };
  required?: string[];
  additionalProperties?: boolean | AnswerSchema;
  minProperties?: number;
  maxProperties?: number;
  items?: AnswerSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
}

const MAX_STEPS = nodeLimits.answer_check_steps.value;

type Path = readonly (string | number)[];
type Json = { [name: string]: unknown };

/** Thrown when a check has taken all its steps. */
class StepsOver extends Error {}

const IS_OF_TYPE: { [type: string]: (value: unknown) => boolean } = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

const listOf = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(', ');

/** A quotient of two fractions may miss a whole number by its last digits. */
const isMultiple = (value: number, of: number): boolean => Number.isInteger(Number((value / of).toPrecision(15)));

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

const fault = (path: Path, message: string): AnswerFault => ({ path: path.join('.'), message });

function* faultsOfCount(
  word: string,
  { length }: { length: number },
  least: number | undefined,
  most: number | undefined,
  path: Path,
): Generator<AnswerFault> {
  if (least !== undefined && length < least) yield fault(path, `must have at least ${counted(least, word)}`);
  if (most !== undefined && length > most) yield fault(path, `must have at most ${counted(most, word)}`);
}

function* faultsOfNumber(schema: AnswerSchema, value: number, path: Path): Generator<AnswerFault> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (minimum !== undefined && value < minimum) yield fault(path, `must be at least ${minimum}`);
  if (maximum !== undefined && value > maximum) yield fault(path, `must be at most ${maximum}`);
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    yield fault(path, `must be more than ${exclusiveMinimum}`);
  }
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) {
    yield fault(path, `must be less than ${exclusiveMaximum}`);
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    yield fault(path, `must be a multiple of ${multipleOf}`);
  }
}

/** One check of an answer. Its steps are limited, because alternatives and list items multiply. */
class Check {
  #steps = 0;
  /** The numbers of characters of texts. Alternatives count the same text again and again. */
  readonly #characters = new Map<string, number>();

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new StepsOver();
  }

  /** Finds the faults of a value, one after the other. */
  *faultsOf(schema: AnswerSchema, value: unknown, path: Path): Generator<AnswerFault, void> {
    this.#spend(1);
    const { type, enum: values = [], anyOf, oneOf } = schema;
    if (type !== undefined) {
      const types = [type].flat();
      if (!types.some((one) => IS_OF_TYPE[one]?.(value))) {
        return yield fault(path, `must be of the type ${types.join(' or ')}`);
      }
    }
    this.#spend(values.length);
    if (schema.enum !== undefined && !values.includes(value)) yield fault(path, `must be one of ${listOf(values)}`);
    if (schema.const !== undefined && schema.const !== value) yield fault(path, `must be ${listOf([schema.const])}`);
    if (anyOf !== undefined && !anyOf.some((one) => this.#fits(one, value))) {
      yield fault(path, `must fit one of ${counted(anyOf.length, 'alternative')}`);
    }
    if (oneOf !== undefined) {
      const fitting = oneOf.filter((one) => this.#fits(one, value)).length;
      if (fitting !== 1) {
        yield fault(path, `must fit exactly one of ${counted(oneOf.length, 'alternative')}, but fits ${fitting}`);
      }
    }
    if (typeof value === 'number') yield* faultsOfNumber(schema, value, path);
    else if (typeof value === 'string') {
      const { minLength, maxLength } = schema;
      if (minLength === undefined && maxLength === undefined) return;
      yield* faultsOfCount('character', { length: this.#charactersOf(value) }, minLength, maxLength, path);
    } else if (Array.isArray(value)) yield* this.#faultsOfList(schema, value, path);
    else if (isObject(value)) yield* this.#faultsOfObject(schema, value, path);
  }

  /** Counts the characters of a text as JSON Schema does: a character beyond the BMP is one. Source: RFC 8259. */
  #charactersOf(text: string): number {
    const count = this.#characters.get(text) ?? [...text].length;
    this.#characters.set(text, count);
    return count;
  }

  #fits(schema: AnswerSchema, value: unknown): boolean {
    return this.faultsOf(schema, value, []).next().done === true;
  }

  *#faultsOfList({ items, minItems, maxItems }: AnswerSchema, value: unknown[], path: Path): Generator<AnswerFault> {
    yield* faultsOfCount('item', value, minItems, maxItems, path);
    if (items === undefined) return;
    for (const [index, item] of value.entries()) yield* this.faultsOf(items, item, [...path, index]);
  }

  *#faultsOfObject(schema: AnswerSchema, value: Json, path: Path): Generator<AnswerFault> {
    const { properties = {}, required = [], additionalProperties = true, minProperties, maxProperties } = schema;
    const names = Object.keys(value);
    this.#spend(required.length + names.length);
    yield* faultsOfCount('member', names, minProperties, maxProperties, path);
    for (const name of required) if (!Object.hasOwn(value, name)) yield fault([...path, name], 'is missing');
    for (const name of names) {
      const inner = Object.hasOwn(properties, name) ? properties[name]! : additionalProperties;
      if (inner === false) yield fault(path, `must not have the member ${JSON.stringify(name)}`);
      else if (inner !== true) yield* this.faultsOf(inner, value[name], [...path, name]);
    }
  }
}

/** Returns the first faults of an answer, at most as many as an error lists. */
function faultsBySchema(schema: AnswerSchema, answer: unknown): AnswerFault[] {
  const faults: AnswerFault[] = [];
  try {
    for (const found of new Check().faultsOf(schema, answer, [])) {
      faults.push(found);
      if (faults.length === requestLimits.listed_faults.value) break;
    }
  } catch (error) {
    if (!(error instanceof StepsOver)) throw error;
    if (faults.length === 0) faults.push(fault([], `must be shorter: checking it takes more than ${MAX_STEPS} steps`));
  }
  return faults;
}

/** Returns the faults of an answer in readable JSON; an empty list if the answer fits the question. */
export function faultsOfAnswer({ json_schema, choices }: Partial<InputQuestion>, answer: unknown): AnswerFault[] {
  if (choices && !choices.some((choice) => choice === answer)) {
    return [{ path: '', message: `must be one of ${listOf(choices)}` }];
  }
  if (!json_schema) return [];
  const most = nodeLimits.checked_answer_bytes.value;
  if (new TextEncoder().encode(JSON.stringify(answer)).length > most) {
    return [{ path: '', message: `must have at most ${most} bytes of JSON, because it is checked against a schema` }];
  }
  // SAFETY: `faultOfAnswerSchema` checked the form of the schema when the node requested the answer.
  return faultsBySchema(json_schema as AnswerSchema, answer);
}
