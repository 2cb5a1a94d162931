import type { RunQuestion } from '../../../types/flow_run.ts';
import { isObject } from '../../../types/values/value.ts';

/** A form by which a client asks its user, and the reader of the user's answer. */
interface QuestionForm {
  message: string;
  requestedSchema: FormSchema;
  read: (content: Record<string, unknown>) => unknown;
}

/** A schema of a form: a flat object. Source: revision 2026-07-28, "Requested schema" of elicitations. */
interface FormSchema {
  type: 'object';
  properties: Record<string, FieldSchema>;
  required?: string[];
}

type FieldSchema = { type: 'string' | 'number' | 'integer' | 'boolean'; [keyword: string]: unknown };

/** The name of the field of a question that takes a single value. */
const ANSWER = 'answer';

/** The keywords that forms have, by type. The answer is checked against the other keywords when it comes. */
const KEYWORDS = {
  string: ['title', 'description', 'default', 'enum', 'minLength', 'maxLength'],
  number: ['title', 'description', 'default', 'minimum', 'maximum'],
  integer: ['title', 'description', 'default', 'minimum', 'maximum'],
  boolean: ['title', 'description', 'default'],
} as const;

/** Converts the schema of a value to a field; undefined if a form has no such field. */
function fieldOf(schema: unknown): FieldSchema | undefined {
  if (!isObject(schema) || typeof schema.type !== 'string' || !Object.hasOwn(KEYWORDS, schema.type)) return undefined;
  const type = schema.type as keyof typeof KEYWORDS;
  const { enum: listed } = schema;
  if (listed !== undefined && !(Array.isArray(listed) && listed.every((value) => typeof value === 'string'))) {
    return undefined;
  }
  const known: readonly string[] = KEYWORDS[type];
  return { ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => known.includes(keyword))), type };
}

/** Converts the schema of an object to a form; undefined if the object is not flat. */
function fieldsOf({ properties = {}, required }: Record<string, unknown>): FormSchema | undefined {
  if (!isObject(properties)) return undefined;
  const fields = Object.entries(properties).map(([name, schema]) => [name, fieldOf(schema)] as const);
  if (fields.length === 0 || fields.some(([, field]) => field === undefined)) return undefined;
  return {
    type: 'object',
    // SAFETY: no field is undefined.
    properties: Object.fromEntries(fields) as Record<string, FieldSchema>,
    ...(Array.isArray(required) && { required: required.map(String) }),
  };
}

/** The text with which people are asked. */
export const messageOf = ({ title, description }: Partial<RunQuestion>): string =>
  [title, description].filter((text) => typeof text === 'string' && text !== '').join('\n\n') ||
  'The run asks for a value.';

/** Makes the form of a question; undefined if no form can ask it. */
export function formOf(question: RunQuestion): QuestionForm | undefined {
  const { json_schema: schema, choices } = question;
  const message = messageOf(question);
  if (isObject(schema) && schema.type === 'object') {
    const requestedSchema = fieldsOf(schema);
    return requestedSchema && { message, requestedSchema, read: (content) => content };
  }
  const field = Array.isArray(choices) ? fieldOf({ type: 'string', enum: choices }) : fieldOf(schema);
  return field && {
    message,
    requestedSchema: { type: 'object', properties: { [ANSWER]: field }, required: [ANSWER] },
    read: (content) => content[ANSWER],
  };
}
