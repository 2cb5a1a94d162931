import { unsealConnection, unsealTokens } from '../../platform/secrets/connection_secrets.ts';
import { fromSealedRow, type SealedRow, SealedSecretError } from '../../platform/secrets/sealed_secrets.ts';
import type { Connection } from '../../types/connection.ts';
import { connectionLimits } from '../../types/limits/connections.ts';
import { codedError } from '../../types/run_errors.ts';
import { type Credential, NodeError, type OpenConnection } from '../engine/node.ts';
import { releasedIfPassing } from '../engine/failures/passing_error.ts';
import { TransientError } from '../engine/failures/transient_error.ts';
import { nextTokens, type TokenServices, type UsableTokens } from './access_token.ts';
import { type DirectSecret, makeCredential, type OauthSecret, secretsOf } from './credential.ts';

/** A connection with its sealed secret, as the database returns it. */
export type StoredConnection = Connection & SealedRow & {
  /** For a kind `oauth2_*`, the valid access token; null if none is stored. */
  token: SealedRow | null;
};

/**
 * The longest wait for a token. It is a little longer than a lease, so that a waiting worker can take over the lease of
 * a lost worker.
 */
const MAX_WAIT_MS = connectionLimits.connection_lease_seconds.value * 1_000 +
  connectionLimits.connection_token_ms.value;

/** Makes the credential of an access token. If a server refuses the token, the token is marked as expired. */
function makeTokenCredential(
  stored: StoredConnection,
  opened: OauthSecret,
  { tokens, nonce }: UsableTokens,
  { rpc, allowsHttp }: TokenServices,
): Credential {
  return makeCredential(stored, { kind: 'bearer', secret: { token: tokens.access_token } }, {
    allowsHttp,
    otherSecrets: [...secretsOf(opened), ...(tokens.refresh_token === undefined ? [] : [tokens.refresh_token])],
    refused: async () => await rpc('expire_connection_token', { connection_id: stored.id, nonce }),
  });
}

async function openOnce(
  stored: StoredConnection,
  services: TokenServices,
  signal: AbortSignal,
): Promise<Credential | undefined> {
  const { readKeys, allowsHttp } = services;
  const opened = await unsealConnection(readKeys(), stored, fromSealedRow(stored));
  // SAFETY: every ConnectionSecret is either an OauthSecret or a DirectSecret.
  if (!opened.kind.startsWith('oauth2_')) return makeCredential(stored, opened as DirectSecret, { allowsHttp });
  const oauth = opened as OauthSecret;
  const usable = stored.token === null
    ? await nextTokens(stored, oauth, services, signal)
    : { tokens: await unsealTokens(readKeys(), stored, fromSealedRow(stored.token)), nonce: stored.token.nonce };
  return usable && makeTokenCredential(stored, oauth, usable, services);
}

/**
 * Opens the connection that `read` returns. If another worker is requesting its access token, waits and reads the
 * connection again. Throws a NodeError if the secret can't be decrypted or the token server gives no token.
 */
export async function openStoredConnection(
  read: () => Promise<StoredConnection>,
  services: TokenServices,
  signal: AbortSignal,
): Promise<Credential> {
  const begin = performance.now();
  try {
    while (performance.now() - begin < MAX_WAIT_MS) {
      const credential = await openOnce(await read(), services, signal);
      if (credential !== undefined) return credential;
    }
  } catch (error) {
    if (!(error instanceof SealedSecretError)) throw error;
    throw new NodeError(codedError('connection_unreadable', error.message));
  }
  throw new TransientError(codedError('connection_token_failed', 'no worker got an access token in time'));
}

/**
 * Makes a function that opens the connections of a claimed run by name. The database returns a connection only to the
 * newest claim of a run, and only if the run has a connection of that name.
 */
export const makeConnectionOpener =
  (services: TokenServices) =>
  ({ flow_run_id, claim_number }: { flow_run_id: string; claim_number: number }): OpenConnection =>
  async (name, signal) => {
    const read = async (): Promise<StoredConnection> => {
      const claim = { flow_run_id, claim_number };
      const stored = await services.rpc<StoredConnection | null>('read_claimed_connection', { claim, name });
      if (stored !== null) return stored;
      throw new NodeError(codedError(
        'connection_missing',
        `the run has no connection ${JSON.stringify(name)}. Store it, then deploy the flow again.`,
      ));
    };
    try {
      return await openStoredConnection(read, services, signal);
    } catch (error) {
      // After a passing failure the run is released. The next claim may run the node again, because the node has not
      // sent its request.
      throw releasedIfPassing(error);
    }
  };
