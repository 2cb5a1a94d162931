import { z } from 'zod';
import { isStorable } from './values/value.ts';
import { decodeBase58 } from './values/base58.ts';
import { flowLimits } from './limits/flows.ts';

const MAX_NAME_LENGTH = flowLimits.name_characters.value;

/** Makes a schema for base58 of `length` bytes. The error never quotes the text, which may be a secret. */
const base58Schema = (length: number) =>
  z.string().refine(
    (text) => decodeBase58(text, length) !== undefined,
    `must be base58 of ${length} bytes`,
  );

/** The body of an upsert: it stores or changes the caller's wallet with this public key. */
export const upsertWalletParamsSchema = z.strictObject({
  /**
   * With HARDCODED, the server stores the encrypted secret key and signs with it. With ADAPTER, the holder of the key
   * is asked to sign.
   */
  type: z.enum(['HARDCODED', 'ADAPTER'], 'must be HARDCODED or ADAPTER'),
  /**
   * The caller's own id, which clients may leave out. A request with another user's id is refused as if the wallet did
   * not exist.
   */
  user_id: z.uuid('must be the UUID of a user').toLowerCase().optional(),
  name: z.string().refine(isStorable, 'holds NUL or a lone surrogate')
    // Counts code points, like the database.
    .refine((name) => [...name].length <= MAX_NAME_LENGTH, `must have at most ${MAX_NAME_LENGTH} characters`),
  public_key: base58Schema(32),
  /** The 32 bytes of the secret key, then the public key. If omitted, a HARDCODED wallet keeps its stored key pair. */
  keypair: base58Schema(64).optional(),
}).refine(({ type, keypair }) => type === 'HARDCODED' || keypair === undefined, {
  path: ['keypair'],
  message: 'an ADAPTER wallet must have no keypair',
});

export type UpsertWalletParams = z.infer<typeof upsertWalletParamsSchema>;

/** A wallet as its owner sees it: the row of `wallets`, without any secret. */
export interface Wallet {
  id: number;
  user_id: string;
  type: 'HARDCODED' | 'ADAPTER';
  name: string;
  public_key: string;
  created_at: string;
  updated_at: string;
}
