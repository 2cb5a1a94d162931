import postgres from 'postgres';
import type { ErrorBody } from '../../types/errors.ts';
import { ApiError } from '../api_error.ts';
import type { Rpc } from '../database/rpc.ts';
import { toApiError, unavailable, UNREADABLE_TEXT } from '../database/database_errors.ts';
import { parameterText, quoteText } from './literals.ts';
import { makePool, type PoolOptions } from './pool.ts';
import { actAsServiceRole, showHeaders } from './session.ts';
import { callStatement, matchSignature, type Signature, signaturesQuery } from './signatures.ts';

/** Calls of SQL functions over connections to Postgres. */
interface PostgresRpc {
  /** Calls as service role. Answers and errors are the same as over PostgREST. */
  rpc: Rpc;
  /** Closes the connections when the calls under way are answered. */
  close: () => void;
}

const NO_HEADERS = new Headers();

/**
 * SQLSTATE undefined_function. A call also fails with this code if the function has changed since its signature was
 * read.
 */
const UNDEFINED_FUNCTION = '42883';

/** No known function of this name takes these arguments. */
class NoSuchFunction extends Error {
  readonly code = UNDEFINED_FUNCTION;
}

/** Converts an error of private.fail to the status, headers and body of PostgREST's answer. */
function readRaised({ message, detail }: postgres.PostgresError): [{ status: number; headers: Headers }, ErrorBody] {
  try {
    const { status, headers } = JSON.parse(detail ?? '');
    return [{ status, headers: new Headers(headers) }, JSON.parse(message)];
  } catch {
    return [{ status: 500, headers: NO_HEADERS }, { code: 'PGRST121', message, details: null, hint: null }];
  }
}

/** Makes an ApiError from a failed call. The error is the same as over PostgREST. */
function readError(name: string, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof NoSuchFunction) {
    return toApiError(name, { status: 404, headers: NO_HEADERS }, { code: 'PGRST202', message: error.message });
  }
  if (!(error instanceof postgres.PostgresError)) return unavailable(error);
  const { code, message, detail, hint } = error;
  if (code === 'PGRST') return toApiError(name, ...readRaised(error));
  // PostgREST answers 503 for the classes 08 (connection_exception) and 53 (insufficient_resources). After any error of
  // severity FATAL, the server or a pooler closes the connection. In the classes 28, 3D and 42, the address names a
  // wrong user or database, so a repetition would not help.
  if (/^(?:08|53)/.test(code) || (error.severity === 'FATAL' && !/^(?:28|3D|42)/.test(code))) return unavailable(error);
  // The server refuses the user or the password.
  const status = code.startsWith('28') ? 401 : 500;
  return toApiError(name, { status, headers: NO_HEADERS }, { code, message, details: detail, hint });
}

const badText = (name: string): ApiError =>
  toApiError(name, { status: 400, headers: NO_HEADERS }, { code: UNREADABLE_TEXT, message: 'unreadable text' });

/** Makes the service that calls functions of schema public over Postgres. Errors are thrown as ApiError. */
export function makePostgresRpc(options: PoolOptions): PostgresRpc {
  const { hasSessions } = options.address;
  const pool = makePool(options);
  const signatures = new Map<string, readonly Signature[]>();

  const readSignatures = async (name: string): Promise<readonly Signature[]> => {
    const known = signatures.get(name) ??
      // SAFETY: the query builds objects of this shape.
      await pool.use((connection) => connection.executeTogether([signaturesQuery(name)])) as Signature[];
    signatures.set(name, known);
    return known;
  };

  const call = async (name: string, args: object, headers?: Record<string, string>): Promise<unknown> => {
    const given = Object.entries(args).filter(([, value]) => value !== undefined);
    const names = given.map(([argumentName]) => argumentName);
    const signature = matchSignature(await readSignatures(name), names);
    if (signature === undefined) throw new NoSuchFunction(`no function public.${name}(${names.join(', ')})`);
    const texts = given.map(([argumentName, value]) =>
      parameterText(value, signature.arguments.find((argument) => argument.name === argumentName)!)
    );
    // Such texts can't be sent: the encoder would replace a lone surrogate, and a message ends at NUL.
    if (texts.some((text) => text !== null && (!text.isWellFormed() || text.includes('\0')))) throw badText(name);
    const result = await pool.use((connection) => {
      if (hasSessions && headers === undefined) {
        return connection.execute(callStatement(name, signature, names, (index) => `$${index + 1}`), texts);
      }
      return connection.executeTogether([
        ...actAsServiceRole('transaction'),
        ...(headers === undefined ? [] : showHeaders(headers)),
        callStatement(name, signature, names, (index) => quoteText(texts[index]!)),
      ]);
    });
    return signature.returns === 'nothing' ? null : result;
  };

  /**
   * Calls with the known signature. If a migration has changed the function since, that call fails, and is repeated
   * with a fresh signature.
   */
  const callAsKnown = async (name: string, ...given: [args: object, headers?: Record<string, string>]) => {
    const isKnown = signatures.has(name);
    try {
      return await call(name, ...given);
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNDEFINED_FUNCTION) throw error;
      signatures.delete(name);
      // A repetition is safe, because the failed call has changed nothing. Either the function is missing, or it called
      // a missing function, and the transaction was rolled back.
      if (!isKnown) throw error;
      return await call(name, ...given);
    }
  };

  return {
    rpc: async <Result>(name: string, args: object, headers?: Record<string, string>): Promise<Result> => {
      try {
        // SAFETY: the SQL function defines the shape; types/database.types.ts is generated from the same schema.
        return await callAsKnown(name, args, headers) as Result;
      } catch (error) {
        throw readError(name, error);
      }
    },
    close: pool.close,
  };
}
