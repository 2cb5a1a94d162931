import { base64 } from '@scure/base';
import type { Commitment } from '@solana/kit';
import { LosslessNumber, stringify } from 'lossless-json';
import { z } from 'zod';
import { decodeBase58 } from '../../../types/values/base58.ts';
import type { LosslessJson } from '../../../types/values/value.ts';
import { NodeError, type RunInfo } from '../../engine/node.ts';
import { callJsonRpc, type RpcCaller } from './json_rpc.ts';

/** The commitments, from the least to the most final. Source: Solana documentation, "Commitment status". */
const LEVELS: Commitment[] = ['processed', 'confirmed', 'finalized'];

/** Reads whole numbers from their digits, because lamports and slots may need more bits than the 53 of a float. */
const unsignedSchema = z.instanceof(LosslessNumber).refine(({ value }) => /^\d{1,20}$/.test(value))
  .transform(({ value }) => BigInt(value));

/** Base58 of 64 bytes. */
const signatureTextSchema = z.string().refine((text) => decodeBase58(text, 64) !== undefined);

/** Base64 in its canonical form. Any other text is rejected. */
const bytesSchema = z.string().transform((text, context) => {
  try {
    return base64.decode(text);
  } catch {
    context.addIssue('not base64');
    return z.NEVER;
  }
});

/** The reason why a transaction failed; null if it did not fail. */
const errorSchema = z.custom<LosslessJson>((json) => json !== undefined);

const commitmentSchema = z.enum(['processed', 'confirmed', 'finalized']);

const withContext = <T extends z.ZodType>(value: T) => z.object({ context: z.object({ slot: unsignedSchema }), value });

const blockhashSchema = withContext(z.object({ blockhash: z.string(), lastValidBlockHeight: unsignedSchema }));

const accountSchema = z.object({
  data: z.tuple([bytesSchema, z.literal('base64')]).transform(([bytes]) => bytes),
  lamports: unsignedSchema,
  owner: z.string(),
});

const simulationSchema = z.object({
  err: errorSchema,
  logs: z.array(z.string()).nullable(),
  unitsConsumed: unsignedSchema.optional(),
});

const statusSchema = z.object({
  slot: unsignedSchema,
  err: errorSchema,
  confirmationStatus: commitmentSchema.nullable(),
});

const signatureSchema = z.object({
  signature: signatureTextSchema,
  slot: unsignedSchema,
  err: errorSchema,
  memo: z.string().nullable(),
});

const landedSchema = z.object({
  transaction: z.tuple([bytesSchema, z.literal('base64')]),
  // Old RPC nodes omit an empty list of addresses.
  meta: z.object({
    loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).optional(),
  }),
}).transform(({ transaction: [wire], meta: { loadedAddresses = { writable: [], readonly: [] } } }) => ({
  wire,
  /** The transaction's addresses from lookup tables. Writable addresses come first. */
  loadedAddresses: [...loadedAddresses.writable, ...loadedAddresses.readonly],
}));

export type ChainAccount = z.output<typeof accountSchema>;
type Simulation = z.output<typeof simulationSchema>;
type SignatureStatus = z.output<typeof statusSchema>;
export type AddressSignature = z.output<typeof signatureSchema>;
export type LandedTransaction = z.output<typeof landedSchema>;

/** True if a transaction has this commitment or a stronger one. */
export const hasReached = ({ confirmationStatus }: SignatureStatus, commitment: Commitment): boolean =>
  LEVELS.indexOf(confirmationStatus ?? 'processed') >= LEVELS.indexOf(commitment);

/** The newest blockhash, the height of the last block that accepts it, and the slot at which both were read. */
interface LatestBlockhash {
  blockhash: string;
  lastValidBlockHeight: bigint;
  slot: bigint;
}

/** The methods of a Solana RPC node that this project uses. Amounts are lamports; transactions are in wire format. */
export interface ChainRpc {
  /** Returns 0 for an account that doesn't exist. */
  getBalance: (address: string, commitment: Commitment) => Promise<bigint>;
  getBlockHeight: (commitment: Commitment) => Promise<bigint>;
  getLatestBlockhash: (commitment: Commitment) => Promise<LatestBlockhash>;
  /** Returns the lamports that an account with this many bytes must hold to be rent-exempt. */
  getMinimumBalanceForRentExemption: (dataLength: number, commitment: Commitment) => Promise<bigint>;
  /**
   * Returns accounts in the order of the addresses; null for an address without an account. Takes at most 100
   * addresses.
   */
  getMultipleAccounts: (addresses: string[], commitment: Commitment) => Promise<(ChainAccount | null)[]>;
  /**
   * Returns statuses in the order of the signatures; null for a transaction that is in no block. Takes at most 256
   * signatures. Searches the whole history up to the returned slot.
   */
  getSignatureStatuses: (signatures: string[]) => Promise<{ slot: bigint; statuses: (SignatureStatus | null)[] }>;
  /** Lists the newest transactions that name an address, newest first: at most 1000, and only those after `until`. */
  getSignaturesForAddress: (
    address: string,
    options: { commitment: 'confirmed' | 'finalized'; until?: string; minContextSlot?: bigint },
  ) => Promise<AddressSignature[]>;
  /** Returns a transaction that is in a block, if its version is at most 0; null otherwise. */
  getTransaction: (signature: string, commitment: 'confirmed' | 'finalized') => Promise<LandedTransaction | null>;
  /** Returns the signature of the airdrop's transaction, which may not be in a block yet. */
  requestAirdrop: (address: string, lamports: bigint) => Promise<string>;
  /**
   * Returns the signature. Throws a JsonRpcError, with the simulation's error in its data, if the preflight at this
   * commitment fails. With `skip`, the RPC node forwards the transaction without a preflight.
   */
  sendTransaction: (transaction: Uint8Array, preflight: Commitment | 'skip') => Promise<string>;
  /** Simulates a transaction under the newest blockhash. Signatures are not checked. */
  simulateTransaction: (transaction: Uint8Array, commitment: Commitment) => Promise<Simulation>;
}

/**
 * Makes the RPC of a run's network for one call of a node. Throws the errors of `callJsonRpc`. Throws a NodeError if an
 * answer does not have the expected form.
 */
export function makeChainRpc(caller: RpcCaller & { run: Pick<RunInfo, 'network'> }): ChainRpc {
  const call = async <T extends z.ZodType>(schema: T, method: string, ...params: unknown[]): Promise<z.output<T>> => {
    const { url } = caller.run.network;
    const { result } = await callJsonRpc(caller, { url, method, makeParams: () => stringify(params) ?? '[]' });
    const read = schema.safeParse(result);
    if (!read.success) throw new NodeError(`${method}: the answer does not have the form that Solana nodes give it`);
    return read.data;
  };
  const inBase64 = { encoding: 'base64' };
  return {
    getBalance: async (address, commitment) =>
      (await call(withContext(unsignedSchema), 'getBalance', address, { commitment })).value,

    getBlockHeight: (commitment) => call(unsignedSchema, 'getBlockHeight', { commitment }),

    async getLatestBlockhash(commitment) {
      const { context, value } = await call(blockhashSchema, 'getLatestBlockhash', { commitment });
      return { ...value, slot: context.slot };
    },

    getMinimumBalanceForRentExemption: (dataLength, commitment) =>
      call(unsignedSchema, 'getMinimumBalanceForRentExemption', dataLength, { commitment }),

    getMultipleAccounts: async (addresses, commitment) =>
      (await call(
        withContext(z.array(accountSchema.nullable()).length(addresses.length)),
        'getMultipleAccounts',
        addresses,
        {
          ...inBase64,
          commitment,
        },
      )).value,

    async getSignatureStatuses(signatures) {
      const statuses = withContext(z.array(statusSchema.nullable()).length(signatures.length));
      const options = { searchTransactionHistory: true };
      const { context, value } = await call(statuses, 'getSignatureStatuses', signatures, options);
      return { slot: context.slot, statuses: value };
    },

    getSignaturesForAddress: (address, options) =>
      call(z.array(signatureSchema), 'getSignaturesForAddress', address, options),

    getTransaction: (signature, commitment) =>
      call(landedSchema.nullable(), 'getTransaction', signature, {
        ...inBase64,
        commitment,
        maxSupportedTransactionVersion: 0,
      }),

    requestAirdrop: (address, lamports) => call(signatureTextSchema, 'requestAirdrop', address, lamports),

    sendTransaction: (transaction, preflight) =>
      call(signatureTextSchema, 'sendTransaction', base64.encode(transaction), {
        ...inBase64,
        ...(preflight === 'skip' ? { skipPreflight: true } : { preflightCommitment: preflight }),
      }),

    simulateTransaction: async (transaction, commitment) =>
      (await call(withContext(simulationSchema), 'simulateTransaction', base64.encode(transaction), {
        ...inBase64,
        commitment,
        replaceRecentBlockhash: true,
      })).value,
  };
}
