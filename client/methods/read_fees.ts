import { parseLosslessJson } from '../../types/values/json_text.ts';
import type { Answer } from '../requests/read_answer.ts';
import type { Fees } from '../flow_client.ts';
import { FlowError } from '../flow_error.ts';

/** The parser needs no limits, because the size of the answer was already checked. */
const NO_LIMITS = { characters: Infinity, depth: Infinity, members: Infinity };

const hasExactAmounts = (fees: unknown): boolean =>
  Array.isArray(fees) && fees.every((pair) => Array.isArray(pair) && Number.isSafeInteger(pair[1]));

/**
 * Reads the fees of an answer. `find` takes the fees from a parsed body. If an amount is above 2^53, the fees are
 * parsed again from the text, because no JavaScript number holds the amount exactly. Throws answer_invalid.
 */
export function readFees({ body, text }: Pick<Answer, 'body' | 'text'>, find: (body: unknown) => unknown): Fees {
  try {
    const rounded = find(body);
    const fees = hasExactAmounts(rounded) ? rounded : find(parseLosslessJson(text, NO_LIMITS));
    // SAFETY: if the fees are not a list of pairs with whole amounts, this statement throws an error, which is caught.
    return (fees as [unknown, unknown][]).map(([address, lamports]) => [String(address), BigInt(String(lamports))]);
  } catch (error) {
    throw new FlowError({
      code: 'answer_invalid',
      message: '`fees` of the answer must be pairs of an address and a whole number of lamports.',
      cause: error,
    });
  }
}
