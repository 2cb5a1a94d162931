import type { Connection, ConnectionSecret } from '../../types/connection.ts';
import { type KeyRing, seal, type SealedSecret, unseal } from './sealed_secrets.ts';

/** The columns to which the secret of a connection is bound. */
export type BoundConnection = Pick<Connection, 'id' | 'user_id' | 'kind' | 'hosts' | 'header' | 'parameter'>;

/**
 * A list as JSON, so no two connections have the same text. It begins unlike the text of any wallet, which begins with
 * a user's id.
 */
const boundTo = ({ id, user_id, kind, hosts, header, parameter }: BoundConnection): string =>
  JSON.stringify(['connection', id.toLowerCase(), user_id.toLowerCase(), kind, hosts, header, parameter]);

/** Encrypts the secret of a connection with the current key, bound to the connection. */
export const sealConnection = (
  keys: KeyRing,
  connection: BoundConnection,
  secret: ConnectionSecret['secret'],
): Promise<SealedSecret> =>
  seal(keys, boundTo(connection), new Uint8Array(new TextEncoder().encode(JSON.stringify(secret))));

/** Decrypts the secret of a connection. Throws SealedSecretError if a bound column was changed, or its key is missing. */
export async function unsealConnection(
  keys: KeyRing,
  connection: BoundConnection,
  sealed: SealedSecret,
): Promise<ConnectionSecret> {
  const json = new TextDecoder().decode(await unseal(keys, boundTo(connection), sealed, 'connection'));
  // SAFETY: only sealConnection encrypts for a connection, and the kind is bound to the secret.
  return { kind: connection.kind, secret: JSON.parse(json) } as ConnectionSecret;
}
