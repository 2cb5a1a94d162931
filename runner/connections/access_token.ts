import {
  type BoundConnection,
  type ConnectionTokens,
  sealTokens,
  unsealTokens,
} from '../../platform/secrets/connection_secrets.ts';
import type { Rpc } from '../../platform/database/rpc.ts';
import { pause } from '../../platform/pause.ts';
import { retried } from '../../platform/database/retried.ts';
import {
  fromSealedRow,
  type KeyRing,
  type SealedRow,
  SealedSecretError,
  toSealedRow,
} from '../../platform/secrets/sealed_secrets.ts';
import { connectionLimits } from '../../types/limits/connections.ts';
import { codedError } from '../../types/run_errors.ts';
import { type HttpClient, NodeError } from '../engine/node.ts';
import { TransientError } from '../engine/failures/transient_error.ts';
import { type OauthSecret, secretsOf } from './credential.ts';
import { makeRedaction } from './redaction.ts';
import { type NewTokens, requestTokens } from './token_request.ts';

/** While another worker requests the token, the time between two looks for it. */
const LOOK_MS = 250;

/**
 * The time for which a worker tries to store a new token while the database does not answer. The token must not be
 * lost: its answer may have replaced the refresh token.
 */
const STORE_RETRY_MS = 20_000;

const MAX_FAILURE_CHARACTERS = 300;
const MAX_TOKEN_BYTES = connectionLimits.connection_token_bytes.value;

interface Failure {
  message: string;
  is_transient: boolean;
}

/** The answer of begin_token_refresh. */
type Turn =
  | { state: 'ready' | 'wait' | 'gone' }
  | { state: 'leased'; lease: string; token: SealedRow | null }
  | { state: 'failed' } & Failure;

/** The tokens that a request may use. The database identifies them by the nonce. */
export interface UsableTokens {
  tokens: ConnectionTokens;
  nonce: string;
}

export interface TokenServices {
  rpc: Rpc;
  readKeys: () => KeyRing;
  /** Makes the requests to token servers, each in at most connection_token_ms. */
  tokenHttp: HttpClient;
  allowsHttp: boolean;
}

const toError = ({ message, is_transient }: Failure): NodeError => {
  const text = codedError('connection_token_failed', message);
  return is_transient ? new TransientError(text) : new NodeError(text);
};

/**
 * Decrypts the former tokens. If their encryption key is missing, returns undefined. Then the new token is requested
 * with the connection's secret.
 */
async function readFormer(
  connection: BoundConnection,
  token: SealedRow,
  keys: KeyRing,
): Promise<ConnectionTokens | undefined> {
  try {
    return await unsealTokens(keys, connection, fromSealedRow(token));
  } catch (error) {
    if (error instanceof SealedSecretError) return undefined;
    throw error;
  }
}

/**
 * Gets a new access token under the lease, and stores it. If the connection was stored again meanwhile, the new token
 * belongs to the former secret. Then returns undefined.
 */
async function refresh(
  connection: BoundConnection,
  opened: OauthSecret,
  turn: Extract<Turn, { lease: string }>,
  { rpc, readKeys, tokenHttp, allowsHttp }: TokenServices,
): Promise<UsableTokens | undefined> {
  const { lease } = turn;
  // If the first call succeeded and only its answer was lost, the repeated call changes nothing and returns false. Then
  // the caller reads the token again.
  const end = (args: object) =>
    retried(STORE_RETRY_MS, () => rpc<boolean>('end_token_refresh', { connection_id: connection.id, lease, ...args }));
  let made: NewTokens;
  try {
    const former = turn.token && await readFormer(connection, turn.token, readKeys());
    made = await requestTokens(tokenHttp, opened, former?.refresh_token, allowsHttp);
    if (new TextEncoder().encode(JSON.stringify(made.tokens)).length > MAX_TOKEN_BYTES) {
      throw new NodeError(`the tokens of the token server are larger than ${MAX_TOKEN_BYTES} bytes`);
    }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const failure: Failure = {
      message: (await makeRedaction(secretsOf(opened)).text(error.message)).slice(0, MAX_FAILURE_CHARACTERS),
      is_transient: error instanceof TransientError,
    };
    await end({ failure });
    throw toError(failure);
  }
  const token = toSealedRow(await sealTokens(readKeys(), connection, made.tokens));
  const isStored = await end({ token, valid_seconds: made.validSeconds });
  return isStored ? { tokens: made.tokens, nonce: token.nonce } : undefined;
}

/**
 * Checks which worker has the lease for a new token, and requests the token if this worker has the lease. `nonce` is
 * the nonce of the opened secret. If this function returns undefined, the caller must read the connection again.
 */
export async function nextTokens(
  connection: BoundConnection & Pick<SealedRow, 'nonce'>,
  opened: OauthSecret,
  services: TokenServices,
  signal: AbortSignal,
): Promise<UsableTokens | undefined> {
  const turn = await services.rpc<Turn>('begin_token_refresh', {
    connection_id: connection.id,
    secret_nonce: connection.nonce,
  });
  if (turn.state === 'failed') throw toError(turn);
  if (turn.state === 'leased') return await refresh(connection, opened, turn, services);
  if (turn.state === 'wait') await pause(LOOK_MS, signal);
  signal.throwIfAborted();
  return undefined;
}
