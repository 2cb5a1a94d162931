import { base58, base64 } from '@scure/base';
import { getCompiledTransactionMessageDecoder } from '@solana/kit';
import type { LedgerTransaction } from './ledger.ts';
import { invalidParams, RpcError, UNSUPPORTED_TRANSACTION_VERSION } from './rpc_error.ts';
import type { RpcConfig, RpcJson } from './rpc_params.ts';
import { readTransaction } from './wire_transaction.ts';

// SAFETY: errors consist of texts, numbers, arrays and objects.
export const errorJson = (error: LedgerTransaction['error'] | undefined): RpcJson => (error ?? null) as RpcJson;

/** Encodes an instruction in the JSON of a Solana RPC node. */
const instructionJson = (
  { programAddressIndex, accountIndices = [], data = new Uint8Array() }: {
    programAddressIndex: number;
    accountIndices?: Iterable<number>;
    data?: Iterable<number>;
  },
  stackHeight: number | null,
): RpcJson => ({
  accounts: [...accountIndices].map(BigInt),
  data: base58.encode(Uint8Array.from(data)),
  programIdIndex: BigInt(programAddressIndex),
  stackHeight,
});

/** Encodes a transaction as JSON instead of bytes. */
function transactionJson(bytes: Uint8Array): RpcJson {
  const { transaction } = readTransaction(bytes);
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  if (message.version === 1) throw new Error('transaction version 1 is not supported');
  const { header, staticAccounts, instructions, lifetimeToken } = message;
  return {
    message: {
      accountKeys: [...staticAccounts],
      ...(message.version === 0 && {
        addressTableLookups: (message.addressTableLookups ?? []).map((lookup) => ({
          accountKey: lookup.lookupTableAddress,
          readonlyIndexes: lookup.readonlyIndexes.map(BigInt),
          writableIndexes: lookup.writableIndexes.map(BigInt),
        })),
      }),
      header: {
        numReadonlySignedAccounts: header.numReadonlySignerAccounts,
        numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
        numRequiredSignatures: header.numSignerAccounts,
      },
      instructions: instructions.map((instruction) => instructionJson(instruction, null)),
      recentBlockhash: lifetimeToken,
    },
    signatures: Object.values(transaction.signatures).map((signature) =>
      base58.encode(Uint8Array.from(signature ?? []))
    ),
  };
}

function encodeBytes(bytes: Uint8Array, config: RpcConfig): RpcJson {
  const encoding = config.text('encoding') ?? 'json';
  if (encoding === 'base64') return [base64.encode(bytes), 'base64'];
  if (encoding === 'base58') return [base58.encode(bytes), 'base58'];
  if (encoding === 'json') return transactionJson(bytes);
  throw invalidParams(
    `Invalid params: the local chain knows no encoding \`${encoding}\`, but base58, base64 and json.`,
  );
}

/**
 * Returns the number of accounts in the message itself, the version, and the number of writable accounts from lookup
 * tables.
 */
function readForm(bytes: Uint8Array): { named: number; version: 'legacy' | 0; writableLookups: number } {
  const message = getCompiledTransactionMessageDecoder().decode(readTransaction(bytes).transaction.messageBytes);
  if (message.version === 1) throw new Error('transaction version 1 is not supported');
  const lookups = message.version === 0 ? message.addressTableLookups ?? [] : [];
  return {
    named: message.staticAccounts.length,
    version: message.version,
    writableLookups: lookups.reduce((sum, { writableIndexes }) => sum + writableIndexes.length, 0),
  };
}

/** Encodes a landed transaction in the RPC's form. Source: Agave, `transaction-status/src/lib.rs`. */
export function encodeTransaction(entry: LedgerTransaction, config: RpcConfig): RpcJson {
  const { named, version, writableLookups } = readForm(entry.bytes);
  const maxVersion = config.integer('maxSupportedTransactionVersion');
  if (version !== 'legacy' && maxVersion === undefined) {
    throw new RpcError(
      UNSUPPORTED_TRANSACTION_VERSION,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with ` +
        `the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  }
  const { before, after, innerInstructions, returnData } = entry;
  const err = errorJson(entry.error);
  const sum = (lamports: bigint[]) => lamports.reduce((total, amount) => total + amount, 0n);
  const loaded = entry.accounts.slice(named);
  return {
    blockTime: entry.blockTime,
    meta: {
      computeUnitsConsumed: entry.unitsConsumed,
      err,
      // The fee is the lamports that all accounts together have lost.
      fee: sum(before.lamports) - sum(after.lamports),
      innerInstructions: innerInstructions.map(({ index, instructions }) => ({
        index: BigInt(index),
        instructions: instructions.map(({ stackHeight, ...instruction }) => instructionJson(instruction, stackHeight)),
      })),
      loadedAddresses: { readonly: loaded.slice(writableLookups), writable: loaded.slice(0, writableLookups) },
      logMessages: entry.logs,
      postBalances: after.lamports,
      postTokenBalances: after.tokens,
      preBalances: before.lamports,
      preTokenBalances: before.tokens,
      ...(returnData && {
        returnData: {
          data: [base64.encode(returnData.data), 'base64'],
          programId: base58.encode(returnData.programId),
        },
      }),
      rewards: [],
      status: err === null ? { Ok: null } : { Err: err },
    },
    slot: entry.slot,
    transaction: encodeBytes(entry.bytes, config),
    ...(maxVersion !== undefined && { version }),
  };
}
