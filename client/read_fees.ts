import { parseLosslessJson } from '../types/values/json_text.ts';
import type { Answer } from './read_answer.ts';
import type { Fees } from './flow_client.ts';
import { FlowError } from './flow_error.ts';

/** The answer has been parsed before, so it is neither too large nor too deep. */
const NO_LIMITS = { characters: Infinity, depth: Infinity, members: Infinity };

const hasExactAmounts = (fees: unknown): boolean =>
  Array.isArray(fees) && fees.every((pair) => Array.isArray(pair) && Number.isSafeInteger(pair[1]));

/**
 * The fees in an answer, where `find` finds them: an amount beyond 2^53 is read from the text, since no JavaScript number holds it.
 * Throws answer_invalid.
 */
export function readFees({ body, text }: Pick<Answer, 'body' | 'text'>, find: (body: unknown) => unknown): Fees {
  try {
    const rounded = find(body);
    const fees = hasExactAmounts(rounded) ? rounded : find(parseLosslessJson(text, NO_LIMITS));
    // SAFETY: what has another form throws.
    return (fees as [unknown, unknown][]).map(([address, lamports]) => [String(address), BigInt(String(lamports))]);
  } catch (error) {
    throw new FlowError({
      code: 'answer_invalid',
      message: '`fees` of the answer must be pairs of an address and a whole number of lamports.',
      cause: error,
    });
  }
}
