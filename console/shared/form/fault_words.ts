import { INPUT_TYPES, type InputType } from '../../../types/values/input_types.ts';

/** The words for the types of JSON Schema. A field offers the same kinds. */
const TYPE_WORDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'yes or no',
  array: 'a list',
  object: 'a map',
  null: 'null',
};

/** The most characters of a list of choices that a message shows. */
const SHOWN = 300;

/** The messages for formats. The database has the same words for the inputs of a start. */
const OF_FORMATS = new Map<string, string>(
  Object.values<InputType>(INPUT_TYPES).flatMap(({ format, words }) => format ? [[format, `must be ${words}`]] : []),
);

/** Writes JSON of a schema as a list of words. */
function choicesOf(json: string): string {
  const text = (JSON.parse(json) as unknown[])
    .map((value) => typeof value === 'string' && value !== '' ? value : JSON.stringify(value)).join(', ');
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

const counted = (count: string, word: string): string => `${count} ${word}${count === '1' ? '' : 's'}`;

/**
 * The messages by keyword. Each has the pattern of the part that it takes from the message of the validator, such as the
 * limit of a number.
 */
const MESSAGES: Record<string, [part: RegExp, write: (part: string) => string]> = {
  type: [
    /Expected "(.*)"\.$/,
    (types) => `must be ${types.split('", "').map((type) => TYPE_WORDS[type] ?? type).join(' or ')}`,
  ],
  enum: [/any of (\[.*\])\.$/s, (list) => `must be one of: ${choicesOf(list)}`],
  const: [/match (.*)\.$/s, (value) => `must be ${choicesOf(`[${value}]`)}`],
  minimum: [/than (\S+)\.$/, (limit) => `must be at least ${limit}`],
  maximum: [/than (\S+)\.$/, (limit) => `must be at most ${limit}`],
  exclusiveMinimum: [/than (\S+)\.$/, (limit) => `must be more than ${limit}`],
  exclusiveMaximum: [/to (\S+)\.$/, (limit) => `must be less than ${limit}`],
  multipleOf: [/of (\S+)\.$/, (number) => `must be a multiple of ${number}`],
  minLength: [/< (\d+)\)/, (count) => `must have at least ${counted(count, 'character')}`],
  maxLength: [/> (\d+)\)/, (count) => `must have at most ${counted(count, 'character')}`],
  minItems: [/< (\d+)\)/, (count) => `must have at least ${counted(count, 'item')}`],
  maxItems: [/> (\d+)\)/, (count) => `must have at most ${counted(count, 'item')}`],
  minProperties: [/least (\d+)/, (count) => `must have at least ${counted(count, 'row')}`],
  maxProperties: [/least (\d+)/, (count) => `must have at most ${counted(count, 'row')}`],
  uniqueItems: [/()/, () => 'must not have the same item twice'],
  anyOf: [/()/, () => 'has none of the allowed forms'],
  oneOf: [/()/, () => 'must have exactly one of the allowed forms'],
  not: [/()/, () => 'has a form that is not allowed'],
  // The message of the validator would not help, because it does not say which form the text must have.
  pattern: [/()/, () => 'must have the form of its type'],
  format: [/"([^"]*)"/, (format) => OF_FORMATS.get(format) ?? `must have the format ${format}`],
};

/** Returns the message of a fault in the words of the page. `error` is the message of the validator. */
export function faultWords(keyword: string, error: string): string {
  const [part, write] = Object.hasOwn(MESSAGES, keyword) ? MESSAGES[keyword]! : [];
  const found = part?.exec(error)?.[1];
  return write === undefined || found === undefined ? error : write(found);
}
