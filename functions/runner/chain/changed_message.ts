import { hex } from '@scure/base';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import { type ReadMessage, signersOf } from './message.ts';

/** The accounts of a message by their index: what they are, and what an instruction may do with them. */
function describeAccounts({ staticAccounts, header, addressTableLookups = [] }: ReadMessage): string[] {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  const named = staticAccounts.map((account, index) => {
    const isSigner = index < numSignerAccounts;
    const end = isSigner
      ? numSignerAccounts - numReadonlySignerAccounts
      : staticAccounts.length - numReadonlyNonSignerAccounts;
    return `${account} ${isSigner ? 'signs' : ''} ${index < end ? 'writable' : ''}`;
  });
  const looked = (access: string, indexes: 'writableIndexes' | 'readonlyIndexes') =>
    addressTableLookups.flatMap((lookup) =>
      lookup[indexes].map((index) => `${lookup.lookupTableAddress}[${index}] ${access}`)
    );
  // Source: Solana documentation, "Versioned Transactions": first all writable accounts of the tables, then the others.
  return [...named, ...looked('writable', 'writableIndexes'), ...looked('', 'readonlyIndexes')];
}

/** What each instruction does, but for the amounts of compute budgets, as text. */
function describeInstructions(message: ReadMessage): string[] {
  const accounts = describeAccounts(message);
  return message.instructions.map(({ programAddressIndex, accountIndices = [], data }) => {
    const program = message.staticAccounts[programAddressIndex] ?? '';
    const used = accountIndices.map((index) => accounts[index]);
    const isBudget = program === COMPUTE_BUDGET_PROGRAM_ADDRESS;
    return JSON.stringify([program, used, isBudget ? '' : hex.encode(Uint8Array.from(data ?? []))]);
  });
}

/**
 * What a wallet changed of a message that it may not change, or undefined. It may set the amounts of the compute budget, as wallets
 * do; other keys, those of the flow's owner among them, sign the message too, for what the flow wants done and nothing else.
 */
export function findChange(before: ReadMessage, after: ReadMessage): string | undefined {
  const [keysBefore, keysAfter] = [signersOf(before), signersOf(after)];
  if (keysAfter[0] !== keysBefore[0]) return 'another fee payer';
  if (keysAfter.toSorted().join() !== keysBefore.toSorted().join()) return 'other signers';
  if (after.lifetimeToken !== before.lifetimeToken) return 'another blockhash';
  const [old, changed] = [describeInstructions(before), describeInstructions(after)];
  if (changed.length !== old.length) return 'another number of instructions';
  const index = changed.findIndex((instruction, at) => instruction !== old[at]);
  return index === -1 ? undefined : `another instruction ${index}`;
}
