import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import { lookupName, type Message, type MessageInstruction, readMessage, type TableLookup } from './solana_message.ts';

/** A forbidden change by a wallet. */
export interface MessageChange {
  /**
   * The path of the changed part, such as `account_keys[1]`. For a changed or missing part, the path has the index in
   * the original message. For an added part, it has the index in the new message.
   */
  path: string;
  message: string;
}

/** An instruction with its index in its message. */
export type PlacedInstruction = MessageInstruction & { index: number };

const isEqual = (a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean =>
  a.length === b.length && Array.from(a).every((item, index) => item === b[index]);

const isSame = (a: MessageInstruction, b: MessageInstruction): boolean =>
  a.program === b.program && isEqual(a.accounts, b.accounts) && isEqual(a.data, b.data);

/** Returns the instructions of the compute budget if `isBudget`, otherwise all other instructions. */
export const pickInstructions = ({ instructions }: Message, isBudget: boolean): PlacedInstruction[] =>
  instructions.map((instruction, index) => ({ ...instruction, index }))
    .filter(({ program }) => (program === COMPUTE_BUDGET_PROGRAM_ADDRESS) === isBudget);

function findListChanges(what: string, before: string[], after: string[]): MessageChange[] {
  const changes = before.flatMap((item, index) =>
    item === after[index]
      ? []
      : [{ path: `${what}[${index}]`, message: `was ${item}, is ${after[index] ?? 'missing'}` }]
  );
  const added = after.slice(before.length).map((item, index) => ({
    path: `${what}[${before.length + index}]`,
    message: `${item} was added`,
  }));
  return [...changes, ...added];
}

const describeLookup = (lookup: TableLookup): string => `${lookupName(lookup)} ${lookup.role}`;

/**
 * Compares the accounts and their roles. An account has the same role in all instructions of a message, so one
 * comparison is enough.
 */
function findAccountChanges(before: Message, after: Message): MessageChange[] {
  const paths = new Map([...before.accounts.keys()].map((address, index) => [address, `account_keys[${index}]`]));
  // Signers are skipped, because findListChanges reports their changes.
  const isOther = (address: string) => !before.signers.includes(address) && !after.signers.includes(address);
  const changed = [...before.accounts].flatMap(([address, role]) => {
    const now = after.accounts.get(address);
    if (role === now || (now === undefined && !isOther(address))) return [];
    const message = now === undefined ? `${address} is missing` : `${address} was ${role}, is ${now}`;
    return [{ path: paths.get(address)!, message }];
  });
  const added = [...after.accounts].flatMap(([address, role], index) => {
    if (before.accounts.has(address) || !isOther(address)) return [];
    // An added instruction of the compute budget adds its program, and no other account.
    if (address === COMPUTE_BUDGET_PROGRAM_ADDRESS && role === 'read-only') return [];
    return [{ path: `account_keys[${index}]`, message: `${address} was added` }];
  });
  return [...changed, ...added];
}

function compareInstructions(before: PlacedInstruction, after: PlacedInstruction): MessageChange[] {
  const path = `instructions[${before.index}]`;
  if (before.program !== after.program) {
    return [{ path: `${path}.program`, message: `was ${before.program}, is ${after.program}` }];
  }
  return [
    ...findListChanges(`${path}.accounts`, before.accounts, after.accounts),
    ...(isEqual(before.data, after.data) ? [] : [{ path: `${path}.data`, message: 'was changed' }]),
  ];
}

/** Compares the instructions from the first to the last difference. */
function findInstructionChanges(before: PlacedInstruction[], after: PlacedInstruction[]): MessageChange[] {
  let from = 0;
  while (from < before.length && from < after.length && isSame(before[from]!, after[from]!)) from++;
  let same = 0;
  const longest = Math.min(before.length, after.length) - from;
  while (same < longest && isSame(before.at(-1 - same)!, after.at(-1 - same)!)) same++;
  const old = before.slice(from, before.length - same);
  const fresh = after.slice(from, after.length - same);
  if (old.length === fresh.length) return old.flatMap((item, index) => compareInstructions(item, fresh[index]!));
  return [
    ...old.map(({ index, program }) => ({
      path: `instructions[${index}]`,
      message: `the instruction of ${program} is missing`,
    })),
    ...fresh.map(({ index, program }) => ({
      path: `instructions[${index}]`,
      message: `an instruction of ${program} was added`,
    })),
  ];
}

/**
 * Finds forbidden changes. The fee payer may change and add instructions of the compute budget, as wallets do, because
 * the fee payer pays for them. Everything else must stay: signers and accounts with their roles, blockhash, lookup
 * tables, and all other instructions in their order. Accounts are compared by address, not by position.
 */
export function findMessageChanges(original: Uint8Array, changed: Uint8Array, signer: string): MessageChange[] {
  const before = readMessage(original);
  const after = readMessage(changed);
  if (before?.version !== 0) return [{ path: 'message', message: 'must be a v0 message to be changed' }];
  if (after?.version !== 0) return [{ path: 'new_msg', message: 'must be a v0 message' }];
  const isCutShort = pickInstructions(after, true).length < pickInstructions(before, true).length;
  return [
    ...(signer === before.signers[0]
      ? []
      : [{ path: 'new_msg', message: 'only the fee payer may change the message' }]),
    ...findListChanges('account_keys', before.signers, after.signers),
    ...findAccountChanges(before, after),
    ...(before.blockhash === after.blockhash ? [] : [{ path: 'recent_blockhash', message: 'was changed' }]),
    ...findListChanges('address_table_lookups', before.lookups.map(describeLookup), after.lookups.map(describeLookup)),
    ...(isCutShort ? [{ path: 'instructions', message: 'an instruction of the compute budget is missing' }] : []),
    ...findInstructionChanges(pickInstructions(before, false), pickInstructions(after, false)),
  ];
}
