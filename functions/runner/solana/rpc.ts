import { base64 } from '@scure/base';
import { LosslessNumber, stringify } from 'lossless-json';
import { z } from 'zod';
import { decodeBase58 } from '../../../types/values/base58.ts';
import type { LosslessJson } from '../../../types/values/value.ts';
import { NodeError, type RunInfo } from '../engine/node.ts';
import { callJsonRpc, type RpcCaller } from './json_rpc.ts';

/** How sure a client wants to be that what it reads lasts. Source: Solana documentation, "Commitment status". */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

const LEVELS: Commitment[] = ['processed', 'confirmed', 'finalized'];

/** Whole numbers are read from their digits: lamports and slots are wider than a float's 53 bits. */
const unsignedSchema = z.instanceof(LosslessNumber).refine(({ value }) => /^\d{1,20}$/.test(value))
  .transform(({ value }) => BigInt(value));

/** Base58 of 64 bytes. */
const signatureTextSchema = z.string().refine((text) => decodeBase58(text, 64) !== undefined);

/** Base64 in its one canonical form; any other text is rejected. */
const bytesSchema = z.string().transform((text, context) => {
  try {
    return base64.decode(text);
  } catch {
    context.addIssue('not base64');
    return z.NEVER;
  }
});

/** Null, or why a transaction failed. */
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
  // Old nodes leave the addresses out where there are none.
  meta: z.object({
    loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).optional(),
  }),
}).transform(({ transaction: [wire], meta: { loadedAddresses = { writable: [], readonly: [] } } }) => ({
  wire,
  /** Of its lookup tables, the writable ones first. */
  loadedAddresses: [...loadedAddresses.writable, ...loadedAddresses.readonly],
}));

export type ChainAccount = z.output<typeof accountSchema>;
export type Simulation = z.output<typeof simulationSchema>;
export type SignatureStatus = z.output<typeof statusSchema>;
export type AddressSignature = z.output<typeof signatureSchema>;
export type LandedTransaction = z.output<typeof landedSchema>;

/** Whether a transaction has this commitment, or a surer one. */
export const hasReached = ({ confirmationStatus }: SignatureStatus, commitment: Commitment): boolean =>
  LEVELS.indexOf(confirmationStatus ?? 'processed') >= LEVELS.indexOf(commitment);

/** The newest blockhash, the height of the last block that takes it, and the slot at which both were read. */
export interface LatestBlockhash {
  blockhash: string;
  lastValidBlockHeight: bigint;
  slot: bigint;
}

/** The JSON-RPC of a Solana node, as far as it is used here. Amounts are lamports; transactions are in wire format. */
export interface ChainRpc {
  /** 0 for an account that doesn't exist. */
  getBalance: (address: string, commitment: Commitment) => Promise<bigint>;
  getBlockHeight: (commitment: Commitment) => Promise<bigint>;
  getLatestBlockhash: (commitment: Commitment) => Promise<LatestBlockhash>;
  /** Lamports that an account with so many bytes of data must have to stay. */
  getMinimumBalanceForRentExemption: (dataLength: number, commitment: Commitment) => Promise<bigint>;
  /** In the order of the addresses, of which there may be 100; null for one without account. */
  getMultipleAccounts: (addresses: string[], commitment: Commitment) => Promise<(ChainAccount | null)[]>;
  /**
   * In the order of the signatures, of which there may be 256; null for one that is in no block. Searches the whole history, up to
   * the slot that it gives with them.
   */
  getSignatureStatuses: (signatures: string[]) => Promise<{ slot: bigint; statuses: (SignatureStatus | null)[] }>;
  /** The newest transactions that name an address, newest first: 1000 at most, and only those after `until`. */
  getSignaturesForAddress: (
    address: string,
    options: { commitment: 'confirmed' | 'finalized'; until?: string; minContextSlot?: bigint },
  ) => Promise<AddressSignature[]>;
  /** A transaction that is in a block, of version 0 at most; null for another. */
  getTransaction: (signature: string, commitment: 'confirmed' | 'finalized') => Promise<LandedTransaction | null>;
  /** Gives the signature of a transaction that is on its way. */
  requestAirdrop: (address: string, lamports: bigint) => Promise<string>;
  /**
   * Gives the signature. Throws a JsonRpcError, with the simulation's error in its data, when the preflight at this commitment fails;
   * with `skip`, the node passes the transaction on unseen.
   */
  sendTransaction: (transaction: Uint8Array, preflight: Commitment | 'skip') => Promise<string>;
  /** Runs a transaction without effect, under the newest blockhash and whoever has signed. */
  simulateTransaction: (transaction: Uint8Array, commitment: Commitment) => Promise<Simulation>;
}

/** The RPC of a run's network, for one call of a node. Errors are those of `callJsonRpc`, and one for an answer of another form. */
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
