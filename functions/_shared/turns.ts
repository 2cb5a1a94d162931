import type { AccessTokens } from './access_tokens.ts';
import { isErrorOf } from '../../platform/api_error.ts';
import { makeKnownOwners } from './known_owners.ts';
import { type LookForOwners, makeTokenOwners } from './token_owners.ts';

/** A call of a database function, with the parts that decide in whose turn it is made (see admission.ts). */
export interface TurnCall {
  name: string;
  args: object;
  /** The credentials that are forwarded to the database. */
  headers: Record<string, string>;
}

/** The caller in whose turn a call is made. */
interface Turn {
  caller: string;
  /** Must be called if the database has executed the call. */
  succeed: () => Promise<void>;
  /** Must be called if the call has failed. */
  fail: (error: unknown) => void;
}

type TurnOf = (call: TurnCall) => Promise<Turn>;

/**
 * The turn that all unverified credentials share. If each had its own turn, a caller could get many turns by inventing
 * credentials.
 */
const UNVERIFIED = 'unverified';
/** The shared turn of guests whose deployment, flow or run does not exist. */
const NOBODYS_GUESTS = 'guests of nobody';

/** The functions that guests call with a public key. Their arguments name a deployment. */
const NAMES_DEPLOYMENT = new Set(['start_deployment', 'read_deployment', 'list_tools']);

/** Returns the deployment or flow that a call names, in the form that `turn_owners` reads. */
function subjectOf({ name, args }: TurnCall): string | undefined {
  if (!NAMES_DEPLOYMENT.has(name)) return undefined;
  const { id, flow } = args as { id?: unknown; flow?: unknown };
  if (id !== undefined) return `deployment ${id}`;
  return flow === undefined ? undefined : `flow ${flow}`;
}

/**
 * Makes a function that assigns a turn to each call. All access tokens and API keys of a user share one turn. Guests
 * are callers who show only a public key or a run token. All guests of one owner's deployments, flows and runs share
 * one turn. `look` asks the database for the owners of API keys, run tokens, deployments and flows.
 */
export function makeTurns(tokens: AccessTokens, look: LookForOwners): TurnOf {
  const known = makeKnownOwners();
  const lookUp = makeTokenOwners(look);
  const ownerOf = async (shown: string): Promise<string | undefined> => {
    const owner = known.of(shown) ?? await lookUp(shown);
    if (owner !== undefined) known.add(shown, owner);
    return owner;
  };
  const of = (caller: string, told: Partial<Turn> = {}): Turn => ({
    caller,
    succeed: () => Promise.resolve(),
    fail: () => {},
    ...told,
  });

  return async (call) => {
    const { authorization, 'x-api-key': apiKey, 'x-flow-run-token': runToken } = call.headers;
    if (authorization !== undefined) {
      const token = authorization.slice('Bearer '.length);
      const user = await tokens.userOf(token);
      return user === undefined ? of(UNVERIFIED, { succeed: () => tokens.accept(token) }) : of(`user ${user}`);
    }
    if (apiKey !== undefined) {
      const user = await ownerOf(apiKey);
      const fail = (error: unknown) => isErrorOf(error, 'api_key_invalid') && known.forget(apiKey);
      return user === undefined ? of(UNVERIFIED) : of(`user ${user}`, { fail });
    }
    const shown = runToken ?? subjectOf(call);
    const owner = shown === undefined ? undefined : await ownerOf(shown);
    if (owner !== undefined) return of(`guests of ${owner}`);
    return of(runToken === undefined ? NOBODYS_GUESTS : UNVERIFIED);
  };
}
