import {
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getCompiledTransactionMessageCodec,
} from '@solana/kit';

/** What an account may do in a transaction, the same for all its instructions. */
export type AccountRole = 'writable signer' | 'read-only signer' | 'writable' | 'read-only';

/** An instruction by what it names, not by the places where the message lists that. */
export interface MessageInstruction {
  program: string;
  /** In order; an account of a lookup table as `<table>[<index>]`. */
  accounts: string[];
  data: Uint8Array;
}

/** A v0 message, readable without its own lists. */
export interface Message {
  /** The keys that sign, the fee payer first. */
  signers: string[];
  /** The accounts that it lists itself, the signers first. */
  accounts: Map<string, AccountRole>;
  blockhash: string;
  /** `<table>[<index>] <role>`, in order. */
  lookups: string[];
  instructions: MessageInstruction[];
}

type DecodedMessage = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime & { version: 0 };

/** The message that the bytes encode, when it is one of version 0 and nothing is left over or said in another way than usual. */
function decode(bytes: Uint8Array): DecodedMessage | undefined {
  const codec = getCompiledTransactionMessageCodec();
  try {
    const message = codec.decode(bytes);
    const encoded = codec.encode(message);
    const isExact = encoded.length === bytes.length && encoded.every((byte, index) => byte === bytes[index]);
    return message.version === 0 && isExact ? message as DecodedMessage : undefined;
  } catch {
    return undefined;
  }
}

function readAccounts({ header, staticAccounts }: DecodedMessage): [string, AccountRole][] | undefined {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  const count = staticAccounts.length;
  // The fee payer is writable.
  if (numReadonlySignerAccounts >= numSignerAccounts) return undefined;
  if (numSignerAccounts + numReadonlyNonSignerAccounts > count) return undefined;
  return staticAccounts.map((address, index) => {
    if (index < numSignerAccounts - numReadonlySignerAccounts) return [address, 'writable signer'];
    if (index < numSignerAccounts) return [address, 'read-only signer'];
    return [address, index < count - numReadonlyNonSignerAccounts ? 'writable' : 'read-only'];
  });
}

/** Accounts of lookup tables in the order in which instructions count them: the writable ones of all tables first. */
function readLookups({ addressTableLookups = [] }: DecodedMessage): [string, AccountRole][] {
  const names = (table: string, indexes: readonly number[], role: AccountRole) =>
    indexes.map((index): [string, AccountRole] => [`${table}[${index}]`, role]);
  return [
    ...addressTableLookups.flatMap((table) => names(table.lookupTableAddress, table.writableIndexes, 'writable')),
    ...addressTableLookups.flatMap((table) => names(table.lookupTableAddress, table.readonlyIndexes, 'read-only')),
  ];
}

/**
 * Reads a serialized v0 message; undefined when the bytes are none that the chain would take.
 * Source: Solana, VersionedMessage::sanitize.
 */
export function readMessage(bytes: Uint8Array): Message | undefined {
  const decoded = decode(bytes);
  const listed = decoded && readAccounts(decoded);
  if (decoded === undefined || listed === undefined) return undefined;
  const accounts = new Map(listed);
  if (accounts.size < listed.length) return undefined;
  const lookups = readLookups(decoded);
  const names = [...listed, ...lookups].map(([name]) => name);

  const instructions: MessageInstruction[] = [];
  for (const { programAddressIndex, accountIndices = [], data = new Uint8Array() } of decoded.instructions) {
    // The fee payer is no program, nor is what a lookup table holds.
    if (programAddressIndex === 0 || programAddressIndex >= listed.length) return undefined;
    if (accountIndices.some((index) => index >= names.length)) return undefined;
    instructions.push({
      program: names[programAddressIndex]!,
      accounts: accountIndices.map((index) => names[index]!),
      data: new Uint8Array(data),
    });
  }
  return {
    signers: names.slice(0, decoded.header.numSignerAccounts),
    accounts,
    blockhash: decoded.lifetimeToken,
    lookups: lookups.map(([name, role]) => `${name} ${role}`),
    instructions,
  };
}
