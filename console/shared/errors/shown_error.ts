/** An error as it is shown to a person. */
interface ShownError {
  message: string;
  /** The stable code of the backend, or of the client. */
  code: string | undefined;
  /** The remedy. */
  hint: string | undefined;
  /** The faults, one sentence each. */
  details: string[];
  /** Further details, which are for programs rather than for people. */
  raw: string[];
}

/** The most details that are shown. */
const DETAILS_SHOWN = 20;

const textIn = (error: object, name: string): string | undefined => {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/**
 * Parses the details of an error. Edge Functions send details as JSON. PostgREST sends a text, which may contain JSON.
 */
export function detailsOf(details: unknown): unknown {
  if (typeof details !== 'string') return details;
  try {
    return JSON.parse(details);
  } catch {
    return details;
  }
}

/** Returns the sentence of a detail: a text, or the member `message`; undefined if the detail has none. */
function sentenceOf(detail: unknown): string | undefined {
  if (typeof detail === 'string') return detail;
  const message = typeof detail === 'object' && detail !== null ? textIn(detail, 'message') : undefined;
  if (message === undefined) return undefined;
  const path: unknown = Reflect.get(detail as object, 'path');
  const place = Array.isArray(path) ? path.join('.') : path;
  return typeof place === 'string' && place !== '' ? `${place}: ${message}` : message;
}

/**
 * Splits an error's details into sentences and other details. A text, a finding of a flow and a fault of a request
 * become sentences.
 */
function linesOf(details: unknown): Pick<ShownError, 'details' | 'raw'> {
  const read = detailsOf(details);
  if (read === null || read === undefined || read === '') return { details: [], raw: [] };
  const list = (Array.isArray(read) ? read : [read]).slice(0, DETAILS_SHOWN);
  return {
    details: list.map(sentenceOf).filter((line) => line !== undefined),
    raw: list.filter((detail) => sentenceOf(detail) === undefined).map((detail) => JSON.stringify(detail)),
  };
}

/** Returns the hint of an error, or the time at which to try again if the backend gives one. */
function hintOf(error: object): string | undefined {
  const seconds: unknown = Reflect.get(error, 'retryAfter');
  if (typeof seconds !== 'number') return textIn(error, 'hint');
  return seconds === 1 ? 'Try again in a second.' : `Try again in ${seconds} seconds.`;
}

/** True if the details only repeat the message. */
const isRepetition = (message: string, details: readonly string[]): boolean =>
  details.length === 1 && details[0]!.replace(/\.$/, '') === message.replace(/\.$/, '');

/** Converts an error of supabase-js, of the flow client, of Auth, of a wallet, or of the program. */
export function showError(error: unknown): ShownError {
  if (typeof error !== 'object' || error === null) {
    return { message: String(error), code: undefined, hint: undefined, details: [], raw: [] };
  }
  const message = textIn(error, 'message') ?? 'Something failed without an error.';
  const { details, raw } = linesOf(Reflect.get(error, 'details'));
  return {
    message,
    code: textIn(error, 'code'),
    hint: hintOf(error),
    details: isRepetition(message, details) ? [] : details,
    raw,
  };
}
