import { z } from 'zod';
import { isStorable } from './values/value.ts';
import { decodeBase58 } from './values/base58.ts';

const MAX_NAME_LENGTH = 200;

/** Base58 of `length` bytes. What is wrong with the text is never told by quoting it: it may be a secret. */
const base58Schema = (length: number) =>
  z.string().refine(
    (text) => decodeBase58(text, length) !== undefined,
    `takes base58 of ${length} bytes`,
  );

/** The body of an upsert: the caller's wallet of this public key is stored anew, or changed. */
export const upsertWalletParamsSchema = z.strictObject({
  /** HARDCODED: the server keeps the secret key, encrypted, and signs with it. ADAPTER: whoever holds the key is asked. */
  type: z.enum(['HARDCODED', 'ADAPTER'], 'takes HARDCODED or ADAPTER'),
  /** The caller's own id, for clients that send it; the wallets of others don't exist for the caller. */
  user_id: z.uuid('takes the UUID of a user').toLowerCase().optional(),
  name: z.string().refine(isStorable, 'holds NUL or a lone surrogate')
    // Characters as the database counts them.
    .refine((name) => [...name].length <= MAX_NAME_LENGTH, `takes at most ${MAX_NAME_LENGTH} characters`),
  public_key: base58Schema(32),
  /** The 32 bytes of the secret key, then the public key. Left out, a HARDCODED wallet keeps the one that is stored. */
  keypair: base58Schema(64).optional(),
}).refine(({ type, keypair }) => type === 'HARDCODED' || keypair === undefined, {
  path: ['keypair'],
  message: 'an ADAPTER wallet takes none',
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
