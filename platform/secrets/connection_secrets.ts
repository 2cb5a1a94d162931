import type { Connection, ConnectionSecret } from '../../types/connection.ts';
import { type KeyRing, seal, type SealedSecret, unseal } from './sealed_secrets.ts';

/**
 * The columns to which the secret of a connection is bound. If one of them is changed, the secret can't be decrypted.
 */
export type BoundConnection = Pick<Connection, 'id' | 'user_id' | 'kind' | 'hosts' | 'header' | 'parameter'>;

/**
 * Makes the text to which a secret is bound: a JSON list, so that no two connections have the same text. A wallet's
 * text begins with a user's id, so it never equals a connection's text.
 */
const boundTo = ({ id, user_id, kind, hosts, header, parameter }: BoundConnection): string =>
  JSON.stringify(['connection', id.toLowerCase(), user_id.toLowerCase(), kind, hosts, header, parameter]);

/** The tokens of a connection of a kind `oauth2_*`. */
export interface ConnectionTokens {
  access_token: string;
  /** The newest refresh token; missing if the token server never gave one. */
  refresh_token?: string | undefined;
}

const tokensBoundTo = ({ id, user_id }: BoundConnection): string =>
  JSON.stringify(['connection token', id.toLowerCase(), user_id.toLowerCase()]);

const encodeJson = (value: unknown) => new Uint8Array(new TextEncoder().encode(JSON.stringify(value)));

/** Encrypts the tokens of a connection. */
export const sealTokens = (
  keys: KeyRing,
  connection: BoundConnection,
  tokens: ConnectionTokens,
): Promise<SealedSecret> => seal(keys, tokensBoundTo(connection), encodeJson(tokens));

/** Decrypts the tokens of a connection. Throws SealedSecretError if the tokens belong to another connection. */
export async function unsealTokens(
  keys: KeyRing,
  connection: BoundConnection,
  sealed: SealedSecret,
): Promise<ConnectionTokens> {
  const bytes = await unseal(keys, tokensBoundTo(connection), sealed, 'connection');
  // SAFETY: the bytes have this shape, because only sealTokens encrypts with this bound text.
  return JSON.parse(new TextDecoder().decode(bytes)) as ConnectionTokens;
}

/** Encrypts the secret of a connection with the current key, bound to the connection. */
export const sealConnection = (
  keys: KeyRing,
  connection: BoundConnection,
  secret: ConnectionSecret['secret'],
): Promise<SealedSecret> => seal(keys, boundTo(connection), encodeJson(secret));

/**
 * Decrypts the secret of a connection. Throws SealedSecretError if a bound column was changed or the key is missing.
 */
export async function unsealConnection(
  keys: KeyRing,
  connection: BoundConnection,
  sealed: SealedSecret,
): Promise<ConnectionSecret> {
  const json = new TextDecoder().decode(await unseal(keys, boundTo(connection), sealed, 'connection'));
  // SAFETY: only sealConnection encrypts with this bound text, which names the kind. So the secret fits the kind.
  return { kind: connection.kind, secret: JSON.parse(json) } as ConnectionSecret;
}
