/** What a person is told of an error. */
export interface ShownError {
  message: string;
  /** The stable code of the backend, or of the client. */
  code: string | undefined;
  /** What to do about it. */
  hint: string | undefined;
  /** What is wrong, one sentence each. */
  details: string[];
  /** What else is known, for programs rather than for people. */
  raw: string[];
}

/** How many details are shown. */
const DETAILS_SHOWN = 20;

const textIn = (error: object, name: string): string | undefined => {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** PostgREST gives details as text, which may be JSON; the Edge Functions give them as JSON. */
function detailsOf(details: unknown): unknown {
  if (typeof details !== 'string') return details;
  try {
    return JSON.parse(details);
  } catch {
    return details;
  }
}

/** A detail as a sentence; undefined for one that has none. */
function sentenceOf(detail: unknown): string | undefined {
  if (typeof detail === 'string') return detail;
  const message = typeof detail === 'object' && detail !== null ? textIn(detail, 'message') : undefined;
  if (message === undefined) return undefined;
  const path: unknown = Reflect.get(detail as object, 'path');
  const place = Array.isArray(path) ? path.join('.') : path;
  return typeof place === 'string' && place !== '' ? `${place}: ${message}` : message;
}

/** The lines of an error's details: findings, faults of a request, or one text; apart from those, what has no sentence. */
function linesOf(details: unknown): Pick<ShownError, 'details' | 'raw'> {
  const read = detailsOf(details);
  if (read === null || read === undefined || read === '') return { details: [], raw: [] };
  const list = (Array.isArray(read) ? read : [read]).slice(0, DETAILS_SHOWN);
  return {
    details: list.map(sentenceOf).filter((line) => line !== undefined),
    raw: list.filter((detail) => sentenceOf(detail) === undefined).map((detail) => JSON.stringify(detail)),
  };
}

/** What to do: where the backend says when it makes sense to try again, nobody has to look for a header. */
function hintOf(error: object): string | undefined {
  const seconds: unknown = Reflect.get(error, 'retryAfter');
  if (typeof seconds !== 'number') return textIn(error, 'hint');
  return seconds === 1 ? 'Try again in a second.' : `Try again in ${seconds} seconds.`;
}

/** Reads an error of supabase-js, of the flow client, of Auth, of a wallet, or of the program. */
export function showError(error: unknown): ShownError {
  if (typeof error !== 'object' || error === null) {
    return { message: String(error), code: undefined, hint: undefined, details: [], raw: [] };
  }
  return {
    message: textIn(error, 'message') ?? 'Something failed, without saying what.',
    code: textIn(error, 'code'),
    hint: hintOf(error),
    ...linesOf(Reflect.get(error, 'details')),
  };
}
