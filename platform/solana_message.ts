import {
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getCompiledTransactionMessageCodec,
} from '@solana/kit';

/** The rights of an account in a transaction. They are the same in all instructions of the transaction. */
type AccountRole = 'writable signer' | 'read-only signer' | 'writable' | 'read-only';

/**
 * An instruction that names its accounts by address. A serialized instruction has positions in the message's list of
 * accounts instead.
 */
export interface MessageInstruction {
  program: string;
  /**
   * The addresses of the accounts, in the order of the instruction. An account of a lookup table is named
   * `<table>[<index>]`.
   */
  accounts: string[];
  data: Uint8Array;
}

/** An account that a message takes from a lookup table. */
export interface TableLookup {
  table: string;
  index: number;
  role: AccountRole;
}

/** A decoded message, with addresses in place of positions. */
export interface Message {
  version: 0 | 'legacy';
  /** The keys that sign, the fee payer first. */
  signers: string[];
  /** The accounts that the message lists itself, the signers first. */
  accounts: Map<string, AccountRole>;
  blockhash: string;
  /**
   * The accounts from lookup tables, in the order of their positions: first the writable accounts of all tables, then
   * the read-only accounts.
   */
  lookups: TableLookup[];
  instructions: MessageInstruction[];
}

type DecodedMessage =
  & Extract<CompiledTransactionMessage, { version: Message['version'] }>
  & CompiledTransactionMessageWithLifetime;

/** The name of a lookup table's account in `MessageInstruction.accounts`. */
export const lookupName = ({ table, index }: Pick<TableLookup, 'table' | 'index'>): string => `${table}[${index}]`;

/** Decodes a message. Returns undefined if the decoded message, encoded again, has other bytes. */
function decode(bytes: Uint8Array): DecodedMessage | undefined {
  const codec = getCompiledTransactionMessageCodec();
  try {
    const message = codec.decode(bytes);
    const encoded = codec.encode(message);
    const isExact = encoded.length === bytes.length && encoded.every((byte, index) => byte === bytes[index]);
    return message.version !== 1 && isExact ? message : undefined;
  } catch {
    return undefined;
  }
}

function readAccounts({ header, staticAccounts }: DecodedMessage): [string, AccountRole][] | undefined {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  const count = staticAccounts.length;
  // The fee payer must be writable.
  if (numReadonlySignerAccounts >= numSignerAccounts) return undefined;
  if (numSignerAccounts + numReadonlyNonSignerAccounts > count) return undefined;
  return staticAccounts.map((address, index) => {
    if (index < numSignerAccounts - numReadonlySignerAccounts) return [address, 'writable signer'];
    if (index < numSignerAccounts) return [address, 'read-only signer'];
    return [address, index < count - numReadonlyNonSignerAccounts ? 'writable' : 'read-only'];
  });
}

function readLookups(message: DecodedMessage): TableLookup[] {
  const tables = message.version === 0 ? message.addressTableLookups ?? [] : [];
  const pick = (indexes: 'writableIndexes' | 'readonlyIndexes', role: AccountRole) =>
    tables.flatMap((lookup) => lookup[indexes].map((index) => ({ table: lookup.lookupTableAddress, index, role })));
  return [...pick('writableIndexes', 'writable'), ...pick('readonlyIndexes', 'read-only')];
}

/**
 * Reads a serialized message, either of version 0 or legacy; undefined if the chain would refuse the bytes. Source:
 * Solana, VersionedMessage::sanitize.
 */
export function readMessage(bytes: Uint8Array): Message | undefined {
  const decoded = decode(bytes);
  const listed = decoded && readAccounts(decoded);
  if (decoded === undefined || listed === undefined) return undefined;
  const accounts = new Map(listed);
  if (accounts.size < listed.length) return undefined;
  const lookups = readLookups(decoded);
  const names = [...listed.map(([name]) => name), ...lookups.map(lookupName)];

  const instructions: MessageInstruction[] = [];
  for (const { programAddressIndex, accountIndices = [], data = new Uint8Array() } of decoded.instructions) {
    // A program is neither the fee payer nor an account of a lookup table.
    if (programAddressIndex === 0 || programAddressIndex >= listed.length) return undefined;
    if (accountIndices.some((index) => index >= names.length)) return undefined;
    instructions.push({
      program: names[programAddressIndex]!,
      accounts: accountIndices.map((index) => names[index]!),
      data: new Uint8Array(data),
    });
  }
  return {
    version: decoded.version,
    signers: names.slice(0, decoded.header.numSignerAccounts),
    accounts,
    blockhash: decoded.lifetimeToken,
    lookups,
    instructions,
  };
}
