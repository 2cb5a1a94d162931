import { base64 } from '@scure/base';
import { LosslessNumber, stringify } from 'lossless-json';
import type { LosslessJson } from '../../../types/value.ts';
import type { TransactionRecord } from '../engine/transaction.ts';
import { isObject, type JsonRpcError } from './json_rpc.ts';
import { readMessage } from './message.ts';

/** The index of the instruction that a transaction's error names, or undefined. */
function failedInstruction(error: LosslessJson | undefined): number | undefined {
  const named = isObject(error) ? error.InstructionError : undefined;
  const [index] = Array.isArray(named) ? named : [];
  return index instanceof LosslessNumber ? Number(index.value) : undefined;
}

/** The transaction's error in what a node answered of a simulation that failed. */
export const simulationError = ({ data }: JsonRpcError): LosslessJson | undefined =>
  isObject(data) ? data.err : undefined;

/** A transaction's error as the node names it. */
export const errorText = (error: LosslessJson): string => stringify(error) ?? 'unknown error';

/**
 * Errors of a transaction's members, in order: the one whose instruction failed gets the whole text. When it is nobody's, all do.
 * What stands in front of their instructions is counted in the message itself: a wallet may have changed it.
 */
export function memberErrors(
  { members, message, memo, has_fees }: TransactionRecord,
  feeCount: number,
  error: LosslessJson | undefined,
  text: string,
): string[] {
  const failed = failedInstruction(error);
  const own = members.reduce((sum, { instruction_count }) => sum + instruction_count, 0);
  const behind = (has_fees ? feeCount : 0) + (memo === null ? 0 : 1);
  let start = readMessage(base64.decode(message)).instructions.length - own - behind;
  const isTheirs = failed !== undefined && failed >= start && failed < start + own;
  return members.map(({ instruction_count }) => {
    const isIts = isTheirs && failed >= start && failed < start + instruction_count;
    start += instruction_count;
    return !isTheirs || isIts ? text : 'transaction simulation failed';
  });
}
