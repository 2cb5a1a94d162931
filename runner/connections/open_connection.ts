import { ApiError } from '../../functions/_shared/api_error.ts';
import { unsealConnection } from '../../functions/_shared/connection_secrets.ts';
import type { Rpc } from '../../functions/_shared/database.ts';
import {
  fromSealedRow,
  type KeyRing,
  type SealedRow,
  SealedSecretError,
} from '../../functions/_shared/sealed_secrets.ts';
import type { Connection } from '../../types/connection.ts';
import { codedError } from '../../types/run_errors.ts';
import { type Credential, NodeError, type OpenConnection, Released } from '../engine/node.ts';
import { makeCredential } from './credential.ts';

export interface ConnectionOpenerOptions {
  /** Calls as service role. */
  rpc: Rpc;
  readKeys: () => KeyRing;
  /** True if secrets may be sent over http. */
  allowsHttp: boolean;
}

/** A connection with its sealed secret, as the database returns it. */
export type StoredConnection = Connection & SealedRow;

/** Opens a connection. Throws a NodeError if its secret can't be decrypted. */
export async function openStoredConnection(
  stored: StoredConnection,
  { readKeys, allowsHttp }: Omit<ConnectionOpenerOptions, 'rpc'>,
): Promise<Credential> {
  try {
    return makeCredential(stored, await unsealConnection(readKeys(), stored, fromSealedRow(stored)), { allowsHttp });
  } catch (error) {
    if (!(error instanceof SealedSecretError)) throw error;
    throw new NodeError(codedError('connection_unreadable', error.message));
  }
}

/**
 * Makes a function that opens the connections of a claimed run by name. The database returns a connection only to the
 * newest claim of a run, and only if the run has it by that name.
 */
export const makeConnectionOpener =
  ({ rpc, readKeys, allowsHttp }: ConnectionOpenerOptions) =>
  ({ flow_run_id, claim_number }: { flow_run_id: string; claim_number: number }): OpenConnection => {
    const read = async (name: string): Promise<StoredConnection> => {
      let stored: StoredConnection | null;
      try {
        stored = await rpc('read_claimed_connection', { claim: { flow_run_id, claim_number }, name });
      } catch (error) {
        // The next claim runs the node again, as it has not sent anything.
        const isPassing = error instanceof ApiError && ['claim_lost', 'service_unavailable'].includes(error.code);
        throw isPassing ? new Released() : error;
      }
      if (stored === null) {
        throw new NodeError(codedError(
          'connection_missing',
          `the run has no connection ${JSON.stringify(name)}. Store it, then deploy the flow again.`,
        ));
      }
      return stored;
    };
    return async (name) => await openStoredConnection(await read(name), { readKeys, allowsHttp });
  };
