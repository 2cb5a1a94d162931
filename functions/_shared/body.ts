import type { Context } from 'hono';
import { z } from 'zod';
import { checkJsonText, JsonLimitError } from '../../types/values/json_text.ts';
import { apiError } from '../../platform/api_error.ts';
import { makeByteSink } from '../../platform/byte_sink.ts';
import { requestLimits } from '../../types/limits/requests.ts';

/** The default limit of a request body, in bytes. */
export const MAX_BODY_BYTES = requestLimits.body_bytes.value;

/** The limits of depth and size for the JSON of a body. Every valid input is within these limits. */
const BODY_LIMITS = Object.freeze({
  characters: MAX_BODY_BYTES,
  depth: requestLimits.json_levels.value,
  members: requestLimits.body_values.value,
});

/**
 * The limits for a webhook's body. The whole body becomes the value of one input, so the limit for the values of a
 * start applies.
 */
const WEBHOOK_LIMITS = Object.freeze({ ...BODY_LIMITS, members: requestLimits.plain_values.value });

/**
 * The most faults that an answer lists, and the most characters of a name or message in the list. Without these limits,
 * a body full of faults would cause a huge answer.
 */
const MAX_FAULTS = requestLimits.listed_faults.value;
const MAX_NAME_LENGTH = 100;
const MAX_MESSAGE_LENGTH = 500;

const cut = (name: string): string => name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH)}…`;

/** Makes the message for an unknown member. The message lists the members of the schema. */
const describeUnknown = (schema: z.ZodType): string =>
  schema instanceof z.ZodObject
    ? `there is no such member; the members are ${Object.keys(schema.shape).join(', ')}`
    : 'there is no such member';

/** Makes the `details` of `request_invalid`: the path of each fault and its message. */
const issueDetails = (error: z.ZodError, schema: z.ZodType) =>
  error.issues.slice(0, MAX_FAULTS).flatMap((issue) => {
    const path = issue.path.map((part) => cut(String(part)));
    return issue.code === 'unrecognized_keys'
      ? issue.keys.slice(0, MAX_FAULTS).map((key) => ({
        path: [...path, cut(key)].join('.'),
        message: path.length === 0 ? describeUnknown(schema) : 'there is no such member',
      }))
      : [{ path: path.join('.'), message: issue.message.slice(0, MAX_MESSAGE_LENGTH) }];
  }).slice(0, MAX_FAULTS);

const invalid = (what: string, details: { path: string; message: string }[]) => {
  const first = details[0];
  const where = first && first.path !== '' ? `${first.path}: ` : '';
  return apiError('request_invalid', `The ${what} is invalid: ${where}${first?.message ?? 'unknown'}.`, { details });
};

/** Describes a missing value or a value of a wrong type, for schemas without a message of their own. */
const describeType: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_union' && Array.isArray(issue.options)) {
    return `must be one of ${issue.options.join(', ')}`;
  }
  if (issue.code !== 'invalid_type') return undefined;
  return issue.input === undefined
    ? 'is missing'
    : `must be ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
};

/** Parses the value with the schema. Throws request_invalid with a path for each fault. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: describeType });
  if (result.success) return result.data;
  throw invalid(what, issueDetails(result.error, schema));
}

/** Tests whether Supabase's gateway or clients add a parameter of this name to the query of any request. */
const isAddedParameter = (name: string): boolean =>
  name === 'apikey' || name === 'forceFunctionRegion' || name.startsWith('x-');

/**
 * Refuses a query with an unknown parameter. If a misspelt parameter were ignored, the call could start another flow or
 * deployment than the caller meant.
 */
function refuseUnknownParameters({ req }: Context, known: readonly string[]): void {
  const unknown = Object.keys(req.queries()).filter((name) => !known.includes(name) && !isAddedParameter(name));
  if (unknown.length === 0) return;
  const message = `there is no such parameter; ${
    known.length === 0 ? 'the route takes none' : `the parameters are ${known.join(', ')}`
  }`;
  throw invalid('query', unknown.slice(0, MAX_FAULTS).map((name) => ({ path: cut(name), message })));
}

/** Parses the query with the schema. Unknown and repeated parameters are refused. */
export function readQuery<Schema extends z.ZodObject>(context: Context, schema: Schema): z.output<Schema> {
  const { req } = context;
  const known = Object.keys(schema.shape);
  refuseUnknownParameters(context, known);
  const repeated = known.filter((name) => (req.queries(name)?.length ?? 0) > 1);
  if (repeated.length > 0) {
    throw invalid('query', repeated.map((path) => ({ path, message: 'is given more than once' })));
  }
  return parse(schema, req.query(), 'query');
}

const tooLarge = (maxBytes: number) => apiError('body_too_large', `The body is larger than ${maxBytes} bytes.`);

/** Reads a body without Content-Length. Throws body_too_large as soon as the body has more bytes than allowed. */
async function readChunks(body: ReadableStream<Uint8Array<ArrayBuffer>>, maxBytes: number): Promise<Uint8Array> {
  const sink = makeByteSink(maxBytes, () => tooLarge(maxBytes));
  for await (const chunk of body) sink.add(chunk);
  return sink.bytes();
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Keeps a byte-order mark, because a signature covers the bytes as they were sent. */
const utf8AsSent = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

async function readBytes(request: Request, maxBytes: number): Promise<ArrayBuffer | Uint8Array> {
  const length = request.headers.get('content-length');
  if (Number(length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  // Without Transfer-Encoding, a body can't have more bytes than Content-Length says, so nothing has to count them.
  // This branch does not touch `request.body`, because reading that property turns the body into a stream.
  if (length !== null && !request.headers.has('transfer-encoding')) return await request.arrayBuffer();
  return request.body === null ? new ArrayBuffer() : await readChunks(request.body, maxBytes);
}

/** Refuses a compressed body. Else a caller would be told that the body is not UTF-8. */
function refuseCompressed({ headers }: Request): void {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return;
  throw apiError('media_type_unsupported', 'The body is compressed, which this route does not read.', {
    hint: 'Send the body as it is, without the header Content-Encoding.',
  });
}

async function readText(request: Request, maxBytes: number, decoder = utf8): Promise<string> {
  refuseCompressed(request);
  const bytes = await readBytes(request, maxBytes);
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (error) {
    throw apiError('request_invalid', 'The body is not UTF-8.', { cause: error });
  }
  if (text.includes('\0')) throw apiError('request_invalid', "The body holds NUL, which can't be stored.");
  return text;
}

/** Reads the text of a JSON body within the limits of a body, and does not parse it. */
export async function readJsonText(request: Request, maxBytes: number = MAX_BODY_BYTES): Promise<string> {
  const text = await readText(request, maxBytes);
  if (text.trim() !== '') checkJsonBody(request, text);
  return text;
}

/**
 * Reads a body, and returns its JSON and its text. An empty body counts as `{}`. Throws body_too_large if the body has
 * too many bytes.
 */
export async function readJson(request: Request, maxBytes: number): Promise<{ json: unknown; text: string }> {
  const text = await readJsonText(request, maxBytes);
  if (text.trim() === '') return { json: {}, text: '{}' };
  try {
    return { json: JSON.parse(text), text };
  } catch {
    // The parser's error is dropped: it quotes the text around the fault, and that text may be a secret.
    throw apiError('request_invalid', 'The body is not valid JSON.');
  }
}

const mediaTypeOf = (request: Request): string =>
  request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';

/** Throws if the body is not declared as JSON, or if it exceeds the limits of depth and size. */
function checkJsonBody(request: Request, text: string): void {
  if (mediaTypeOf(request) !== 'application/json') {
    throw apiError(
      'media_type_unsupported',
      'A body must be application/json.',
      {
        hint: 'Send the header Content-Type: application/json.',
      },
    );
  }
  checkJsonLimits(text);
}

function checkJsonLimits(text: string, limits = BODY_LIMITS): void {
  try {
    checkJsonText(text, limits);
  } catch (error) {
    if (error instanceof JsonLimitError) throw apiError('request_invalid', `The body ${error.message}.`);
    throw error;
  }
}

const FORM = 'application/x-www-form-urlencoded';
/** JSON, or a media type with the suffix +json. Source: RFC 6839, section 3.1. */
const JSON_TYPE = /^application\/(?:[\w!#$&^.-]+\+)?json$/;

/**
 * Reads the text of a webhook's body: JSON, or a form. The text is kept as it was sent, because signatures cover it.
 * The database parses the text and refuses invalid JSON.
 */
export async function readWebhookText(request: Request, maxBytes: number): Promise<string> {
  const text = await readText(request, maxBytes, utf8AsSent);
  const mediaType = mediaTypeOf(request);
  if (JSON_TYPE.test(mediaType)) {
    checkJsonLimits(text, WEBHOOK_LIMITS);
  } else if (mediaType !== FORM) {
    throw apiError(
      'media_type_unsupported',
      `A body must be application/json, another type that ends in +json, or ${FORM}.`,
      {
        hint: 'Configure the sender to send JSON.',
      },
    );
  }
  return text;
}

/** Reads a JSON body like `readJson` and parses it with the schema. */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  maxBytes: number = MAX_BODY_BYTES,
): Promise<z.output<Schema>> {
  return parse(schema, (await readJson(request, maxBytes)).json, 'body');
}
