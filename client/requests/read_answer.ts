import { FlowError } from '../flow_error.ts';

/** The size limit of an answer, in bytes. A run's output has at most 16 MiB. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** The most characters that an error quotes from an answer that does not have the expected form. */
const MAX_QUOTED = 200;

/** Returns the target of a request, as error messages name it. */
const placeOf = (method: string, url: URL): string => `${method} ${url.origin}${url.pathname}`;

/** Reads the text of an answer. Throws answer_too_large as soon as the limit is exceeded. */
async function readText(response: Response, place: string): Promise<string> {
  const tooLarge = () =>
    new FlowError({
      code: 'answer_too_large',
      message: `The answer to ${place} is larger than ${MAX_ANSWER_BYTES} bytes.`,
      status: response.status,
    });
  if (Number(response.headers.get('content-length') ?? 0) > MAX_ANSWER_BYTES) {
    await response.body?.cancel();
    throw tooLarge();
  }
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  const parts: string[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > MAX_ANSWER_BYTES) {
      await reader.cancel();
      throw tooLarge();
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads the header Retry-After, which is a number of seconds or a date, as seconds. Null without a valid header. */
function readRetryAfter(response: Response): number | null {
  const text = response.headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return text === '' || Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

const textOrNull = (value: unknown): string | null => typeof value === 'string' ? value : null;

/** Parses the details of an error. PostgREST sends details as a text, which may contain JSON. */
function readDetails(details: unknown): unknown {
  const json = typeof details === 'string' && /^[[{]/.test(details) ? parseJson(details) : undefined;
  return json ?? details ?? null;
}

function strangeAnswer(response: Response, text: string, place: string): FlowError {
  const type = response.headers.get('content-type')?.split(';')[0] ?? 'nothing';
  const quoted = text.trim() === '' ? 'an empty body' : `${JSON.stringify(text.trim().slice(0, MAX_QUOTED))}`;
  return new FlowError({
    code: 'answer_invalid',
    message:
      `${place} was answered ${response.status} with ${type}. The backend of a project never answers like this: ${quoted}`,
    hint: 'Check that the address is that of the project, and that its functions are deployed.',
    status: response.status,
    retryAfter: readRetryAfter(response),
  });
}

/** Reads the error in an answer of the backend, or of a gateway before it. */
function readError(response: Response, text: string, place: string): FlowError {
  const body = parseJson(text);
  if (typeof body !== 'object' || body === null) return strangeAnswer(response, text, place);
  const { code, message, msg, error, details, hint } = body as Record<string, unknown>;
  const words = textOrNull(message) ?? textOrNull(msg) ?? textOrNull(error);
  if (words === null) return strangeAnswer(response, text, place);
  return new FlowError({
    code: textOrNull(code) ?? 'gateway_refused',
    message: words,
    details: readDetails(details),
    hint: textOrNull(hint),
    status: response.status,
    retryAfter: readRetryAfter(response),
  });
}

const isRedirect = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);

/** A parsed answer. */
export interface Answer {
  status: number;
  headers: Headers;
  /** The parsed body; null for an empty body. */
  body: unknown;
  /** The text of the body, in which numbers have all their digits. */
  text: string;
}

/** Reads a whole answer that has a success status and a JSON or empty body. Throws a FlowError for any other answer. */
export async function readAnswer(response: Response, method: string, url: URL): Promise<Answer> {
  const place = placeOf(method, url);
  if (isRedirect(response)) {
    await response.body?.cancel();
    const location = response.headers.get('location');
    throw new FlowError({
      code: 'redirected',
      message: `${place} is redirected${location === null ? '' : ` to ${location.slice(0, MAX_QUOTED)}`}. ` +
        'The client does not follow the redirect, because it would send its credentials to that address.',
      hint: 'Make the client with the address at which the project itself answers.',
      status: response.status,
    });
  }
  const text = await readText(response, place);
  if (!response.ok) throw readError(response, text, place);
  if (text.trim() === '') return { status: response.status, headers: response.headers, body: null, text };
  const body = parseJson(text);
  if (body === undefined) throw strangeAnswer(response, text, place);
  return { status: response.status, headers: response.headers, body, text };
}

/** Throws answer_invalid if a member that `names` lists is missing in the body, or is not a text. */
export function requireTexts<Name extends string>(body: unknown, names: readonly Name[], what: string): void {
  const members = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const missing = names.find((name) => typeof members[name] !== 'string');
  if (missing === undefined) return;
  throw new FlowError({
    code: 'answer_invalid',
    message: `In the answer to ${what}, \`${missing}\` is missing or is not a text.`,
  });
}
