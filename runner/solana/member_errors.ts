import { LosslessNumber, stringify } from 'lossless-json';
import type { LosslessJson } from '../../types/values/value.ts';
import { pickInstructions } from '../../platform/solana_message_changes.ts';
import type { TransactionRecord } from './transaction_order.ts';
import { isObject, type JsonRpcError } from './rpc/json_rpc.ts';
import { messageOf } from './building/message.ts';

/** Returns the index of the instruction that a transaction's error names, or undefined. */
function failedInstruction(error: LosslessJson | undefined): number | undefined {
  const named = isObject(error) ? error.InstructionError : undefined;
  const [index] = Array.isArray(named) ? named : [];
  return index instanceof LosslessNumber ? Number(index.value) : undefined;
}

/** Returns the transaction's error from an RPC node's answer about a failed simulation. */
export const simulationError = ({ data }: JsonRpcError): LosslessJson | undefined =>
  isObject(data) ? data.err : undefined;

/** Formats the error of a transaction as JSON, in the form in which the RPC node reports it. */
export const errorText = (error: LosslessJson): string => stringify(error) ?? 'unknown error';

/** Returns the indexes of a message's instructions, without those of the compute budget. */
const positionsIn = (message: string): number[] =>
  pickInstructions(messageOf(message), false).map(({ index }) => index);

/**
 * Returns an error for each member of a transaction, in order. The member whose instruction failed gets the whole text.
 * Every member gets the whole text if the failed instruction belongs to no member, for example if it is the memo.
 * `positions` has the indexes of the message's instructions in the failed transaction, without those of the compute
 * budget.
 */
export function memberErrors(
  { members, message }: TransactionRecord,
  error: LosslessJson | undefined,
  text: string,
  positions: readonly number[] = positionsIn(message),
): string[] {
  const failed = failedInstruction(error);
  const position = failed === undefined ? -1 : positions.indexOf(failed);
  let end = 0;
  const ends = members.map(({ instruction_count }) => end += instruction_count);
  // The fees and the memo come after the members' instructions.
  const isTheirs = position >= 0 && position < end;
  const failedMember = isTheirs ? ends.findIndex((memberEnd) => position < memberEnd) : undefined;
  return members.map((_, index) => index === (failedMember ?? index) ? text : 'transaction simulation failed');
}
