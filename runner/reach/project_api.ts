import { withoutTrailingSlashes } from '../../platform/base_url.ts';
import { readPublicKeys } from '../../platform/config.ts';
import type { Rpc } from '../../platform/database/rpc.ts';
import { codedError } from '../../types/run_errors.ts';
import { type HttpClient, type HttpRequest, type HttpResponse, NodeError, type ProjectApi } from '../engine/node.ts';
import { releasedIfPassing } from '../engine/failures/passing_error.ts';

/** The address of the project's REST API, and a publishable key of the project. */
interface ProjectAddress {
  restUrl: string;
  publicKey: string;
}

/**
 * Reads the address that clients of the project use. If variables are missing, returns their names. Missing variables
 * are no error, because a worker that calls Postgres directly does not need them for its own work.
 */
export function readProjectAddress(env: (name: string) => string | undefined): ProjectAddress | { missing: string } {
  const url = env('SUPABASE_URL') ?? '';
  const [publicKey] = readPublicKeys(env);
  if (URL.canParse(url) && publicKey !== undefined) {
    return { restUrl: `${withoutTrailingSlashes(url)}/rest/v1`, publicKey };
  }
  const missing = [
    ...(URL.canParse(url) ? [] : ['SUPABASE_URL']),
    ...(publicKey === undefined ? ['SUPABASE_PUBLISHABLE_KEYS or SUPABASE_ANON_KEY'] : []),
  ];
  return { missing: missing.join(', and ') };
}

const TOKEN_HEADER = 'x-flow-claim-token';

/** Headers with which a flow's author can make a request as another user than the flow's owner. */
const CREDENTIALS = new Set(['apikey', 'authorization', 'x-api-key']);

/** A token is renewed after this part of its validity, so that no token expires while a request with it waits. */
const USED_PART = 0.5;

interface ClaimToken {
  token: string;
  /** In milliseconds of the clock `now`. */
  renewedAt: number;
}

interface ProjectApiOptions {
  /** Calls as service role. */
  rpc: Rpc;
  claim: { flow_run_id: string; claim_number: number };
  address: ProjectAddress | { missing: string };
  /** A client that may reach private addresses, because the project of a local stack has a private address. */
  http: HttpClient;
  /** Milliseconds, of any clock. */
  now: () => number;
}

/** The code is needed, because PostgREST also answers 401 for other reasons, such as a missing right. */
const isTokenRefused = ({ status, body }: HttpResponse): boolean =>
  status === 401 && new TextDecoder().decode(body).includes('"token_invalid"');

/**
 * Makes the object through which the nodes of one claim call the project's REST API. The database makes the token for
 * these calls when a node first needs it.
 */
export function makeProjectApi({ rpc, claim, address, http, now }: ProjectApiOptions): ProjectApi {
  let token: Promise<ClaimToken> | undefined;
  /**
   * The token that was made last. A refused token is forgotten only if it is this one. If not, another node has already
   * replaced it.
   */
  let newest: string | undefined;

  const makeToken = async (): Promise<ClaimToken> => {
    const begin = now();
    const { flow_run_id, claim_number } = claim;
    const made = await rpc<{ token: string; seconds: number }>('make_claim_token', { flow_run_id, claim_number });
    newest = made.token;
    return { token: made.token, renewedAt: begin + made.seconds * 1_000 * USED_PART };
  };

  /** Returns a valid token. Nodes that need a token at the same time share it. */
  const validToken = async (): Promise<string> => {
    try {
      const known = token;
      const isUsable = known !== undefined && (await known).renewedAt > now();
      // During the wait, another node may have renewed or forgotten the token.
      if (!isUsable && token === known) token = makeToken();
      return (await (token ??= makeToken())).token;
    } catch (error) {
      token = undefined;
      // If the database does not answer, the run is released, and the next claim makes the request with a token of its
      // own.
      throw releasedIfPassing(error);
    }
  };

  const forget = (refused: string): void => {
    if (newest === refused) token = undefined;
  };

  const known = (): ProjectAddress => {
    if ('restUrl' in address) return address;
    throw new NodeError(
      codedError(
        'project_address_unknown',
        `the worker lacks the project's address or public key: set ${address.missing}`,
      ),
    );
  };

  const serves = (url: URL): boolean => {
    if (!('restUrl' in address)) return false;
    const base = new URL(address.restUrl);
    // A URL with a user name or password does not count, because the HTTP client would make an authorization header of
    // them.
    return url.origin === base.origin && url.pathname.startsWith(`${base.pathname}/`) &&
      `${url.username}${url.password}` === '';
  };

  /** Returns the headers of the flow's author, without headers that only this function may set. */
  const givenHeaders = ({ headers }: HttpRequest): HttpRequest['headers'] =>
    headers.filter(([name]) => name.toLowerCase() !== TOKEN_HEADER);

  return {
    restUrl: () => known().restUrl,
    serves,
    request: async (request) => {
      // This last check prevents that the token is sent to another server.
      if (!URL.canParse(request.url) || !serves(new URL(request.url))) {
        throw new NodeError("the URL does not belong to the project's REST API");
      }
      const headers = givenHeaders(request);
      const names = new Set(headers.map(([name]) => name.toLowerCase()));
      if (!names.has('apikey')) headers.push(['apikey', known().publicKey]);
      const send = (credential: HttpRequest['headers']) =>
        http.request({ ...request, headers: [...headers, ...credential], refusesRedirects: true });
      if ([...CREDENTIALS].some((name) => names.has(name))) return await send([]);
      const sent = await validToken();
      const response = await send([[TOKEN_HEADER, sent]]);
      if (!isTokenRefused(response)) return response;
      // The token expired while the request waited, or the secret that signs tokens was rotated twice. PostgREST
      // refused the request as a whole, so it may be sent again.
      forget(sent);
      return await send([[TOKEN_HEADER, await validToken()]]);
    },
    primaryKeyColumns: async (table, schema) => {
      try {
        return await rpc<string[]>('primary_key_columns', { table_name: table, schema_name: schema });
      } catch (error) {
        throw releasedIfPassing(error);
      }
    },
  };
}
