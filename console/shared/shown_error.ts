/** What a person is told of an error. */
export interface ShownError {
  message: string;
  /** The stable code of the backend, or of the client. */
  code: string | undefined;
  /** What to do about it. */
  hint: string | undefined;
  /** What is wrong, one line each. */
  details: string[];
}

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

function lineOf(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  if (typeof detail !== 'object' || detail === null) return JSON.stringify(detail);
  const message = textIn(detail, 'message');
  if (message === undefined) return JSON.stringify(detail);
  const path: unknown = Reflect.get(detail, 'path');
  const place = Array.isArray(path) ? path.join('.') : path;
  return typeof place === 'string' && place !== '' ? `${place}: ${message}` : message;
}

/** The lines of an error's details: findings, faults of a request, or one text. */
function linesOf(details: unknown): string[] {
  const read = detailsOf(details);
  if (read === null || read === undefined || read === '') return [];
  const list = Array.isArray(read) ? read : [read];
  return list.slice(0, 20).map(lineOf);
}

/** Reads an error of supabase-js, of the flow client, of Auth, or of the program. */
export function showError(error: unknown): ShownError {
  if (typeof error !== 'object' || error === null) {
    return { message: String(error), code: undefined, hint: undefined, details: [] };
  }
  return {
    message: textIn(error, 'message') ?? 'Something failed, without saying what.',
    code: textIn(error, 'code'),
    hint: textIn(error, 'hint'),
    details: linesOf(Reflect.get(error, 'details')),
  };
}
