import { ApiError } from '../../../platform/api_error.ts';

/**
 * An error as Supabase Storage answers it. For each fault of a caller, the HTTP status is 400, and `statusCode` in the
 * body is the status that fits the fault. After a 429, a caller may repeat the request.
 */
export class StorageError extends Error {
  override name = 'StorageError';
  readonly statusCode: number;
  readonly error: string;

  constructor(statusCode: number, error: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.error = error;
  }

  /** Makes the answer. */
  toResponse(): Response {
    const { statusCode, error, message } = this;
    const status = statusCode < 500 && statusCode !== 429 ? 400 : statusCode;
    return Response.json({ statusCode: String(statusCode), error, message }, { status });
  }
}

// The texts are those of the hosted API. Source: Supabase documentation, "Storage error codes", and answers of
// supabase-js.
export const noBucket = () => new StorageError(404, 'Bucket not found', 'Bucket not found');
export const noObject = () => new StorageError(404, 'not_found', 'Object not found');
const duplicate = () => new StorageError(409, 'Duplicate', 'The resource already exists');
export const invalidKey = (key: string) => new StorageError(400, 'InvalidKey', `Invalid key: ${key}`);
export const tooLarge = () =>
  new StorageError(413, 'Payload too large', 'The object exceeded the maximum allowed size');
export const wrongType = (type: string) =>
  new StorageError(415, 'invalid_mime_type', `mime type ${type} is not supported`);
export const invalidRequest = (message: string) => new StorageError(400, 'Error', message);
export const invalidToken = (message: string) => new StorageError(400, 'InvalidJWT', message);
export const unauthorized = (message: string) => new StorageError(403, 'Unauthorized', message);

/** Reads an error that `private.fail` has raised, in the form that PostgREST expects. */
function ofProject({ message, detail }: { message: string; detail?: string }): StorageError {
  const raised = JSON.parse(message) as { code: string; message: string };
  const { status } = JSON.parse(detail ?? '{}') as { status: number };
  return new StorageError(status, raised.code, raised.message);
}

/**
 * If a caller has caused an error of Postgres, or has too many waiting requests, converts the error to a StorageError.
 * Returns any other error unchanged.
 */
export function ofCaller(error: unknown): unknown {
  if (error instanceof ApiError) return new StorageError(error.status, error.code, error.message);
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (code === '42501') return unauthorized('new row violates row-level security policy');
  if (code === '23505') return duplicate();
  // SAFETY: an error with a code of Postgres has these members.
  if (code === 'PGRST') return ofProject(error as { message: string; detail?: string });
  // Postgres refuses a text that contains NUL.
  if (code === '22021') return invalidRequest('a text holds NUL');
  return error;
}
