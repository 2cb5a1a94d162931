import { callerErrors } from './errors/callers.ts';
import { deploymentErrors } from './errors/deployments.ts';
import type { ErrorEntry } from './errors/error_entry.ts';
import { requestErrors } from './errors/requests.ts';
import { runRequestErrors } from './errors/runs.ts';
import { storeErrors } from './errors/stores.ts';
import { connectionErrors } from './errors/connections.ts';
import { walletErrors } from './errors/wallets.ts';

/** The body of every error answer of /rest/v1 and /functions/v1, in the form of PostgREST's errors. */
export interface ErrorBody {
  /** The part that programs may read, because it does not change. Errors of this project have one of `errorCodes`. */
  code: string;
  /** The text for people, which may change. */
  message: string;
  /** Further data, such as the list of findings of `flow_invalid`; null if there is none. */
  details: unknown;
  /** Advice for the caller; null if there is none. */
  hint: string | null;
}

/** The body of every error answer of /functions/v1. */
export interface FunctionErrorBody extends ErrorBody {
  /** A copy of `message`, for clients that read this member. */
  error: string;
}

/**
 * Every error code of the backend: its HTTP status, its meaning, its remedy and an example.
 * `dev/database/error_codes.ts` writes the statuses to SQL. To find the text of an error, search for its code in
 * `functions/` (`apiError`) and in `sql/` (`private.fail`, or `private.refuse_faults` with the texts of a `*_faults`
 * function). `client/flow_error.ts` has the codes of the client itself. `types/run_errors.ts` has the codes of failed
 * runs.
 */
export const errorCodes = {
  ...requestErrors,
  ...callerErrors,
  ...deploymentErrors,
  ...runRequestErrors,
  ...walletErrors,
  ...connectionErrors,
  ...storeErrors,
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** The entry of each error code. */
export const errorEntries: Record<ErrorCode, ErrorEntry> = errorCodes;
