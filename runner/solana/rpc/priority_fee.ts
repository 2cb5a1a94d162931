import { type Instruction, isWritableRole } from '@solana/kit';
import { LosslessNumber } from 'lossless-json';
import { haltError, NodeError } from '../../engine/node.ts';
import { callJsonRpc, isObject, type RpcCaller } from './json_rpc.ts';

/** Micro-lamports for a compute unit when no estimate is available. */
const DEFAULT_PRICE = 100n;

const HELIUS_URL = 'https://mainnet.helius-rpc.com/';

/**
 * Returns the accounts that a transaction writes to. The price depends on the other transactions that write to these
 * accounts.
 */
export const writableAccounts = (feePayer: string, instructions: readonly Instruction[]): string[] => [
  ...new Set([
    feePayer,
    ...instructions.flatMap(({ accounts = [] }) => accounts.filter(({ role }) => isWritableRole(role)))
      .map((account) => account.address),
  ]),
];

/**
 * Returns the price of a medium priority on the main network now, in micro-lamports for a compute unit. If there is no
 * API key, makes no request and returns the default. If the request gets no answer, calls `warn` and returns the
 * default. Source: Helius documentation, "getPriorityFeeEstimate".
 */
export async function estimatePrice(
  caller: RpcCaller,
  apiKey: string | undefined,
  accountKeys: string[],
  warn: (content: string) => void,
): Promise<bigint> {
  if (apiKey === undefined) return DEFAULT_PRICE;
  const makeParams = () => JSON.stringify([{ accountKeys, options: { priorityLevel: 'Medium' } }]);
  const url = `${HELIUS_URL}?api-key=${encodeURIComponent(apiKey)}`;
  try {
    const { result } = await callJsonRpc(caller, { url, method: 'getPriorityFeeEstimate', makeParams });
    const estimate = isObject(result) ? result.priorityFeeEstimate : undefined;
    const price = estimate instanceof LosslessNumber ? Math.ceil(Number(estimate.value)) : Number.NaN;
    if (price >= 0 && price <= Number.MAX_SAFE_INTEGER) return BigInt(price);
    throw new NodeError('the answer has no estimate');
  } catch (error) {
    if (caller.signal.aborted) throw haltError(caller.signal);
    if (!(error instanceof NodeError)) throw error;
    warn(`no estimate of the priority fee, ${DEFAULT_PRICE} micro-lamports are taken: ${error.message}`);
    return DEFAULT_PRICE;
  }
}
