import type { Context } from 'hono';
import { type CompletedAction, sentActionParamsSchema } from '../../types/action.ts';
import { readBody } from '../_shared/body.ts';
import type { Deps } from '../_shared/deps.ts';
import { blockchainHeader } from './blockchains.ts';
import type { ChainLookup, SentOutcome } from './chain_lookup.ts';
import { titleAndIcon } from './describe_action.ts';
import { type LookupTurns, makeLookupTurns } from './lookup_turns.ts';
import type { PublicAddress } from '../../platform/public_address.ts';

/** The limit of the body, in bytes. The body holds a key and a signature. */
const MAX_SENT_BODY_BYTES = 4_096;

/** The result of `begin_action_lookup`. */
interface SentRun {
  owner_id: string;
  caller: string;
  chain_url: string;
  cluster: string;
  transaction: string;
  name: string | null;
  icon_url: string | null;
}

/** The outcome, in words for the signer. */
const WORDS: Readonly<Record<SentOutcome, { label: string; description: string; isError: boolean }>> = {
  confirmed: { label: 'Done', description: 'Your transaction is confirmed.', isError: false },
  failed: {
    label: 'Failed',
    description: 'Your transaction failed on the chain: only the network fee was paid.',
    isError: true,
  },
  other: {
    label: 'Not done',
    description: 'This transaction is not the one that you were given.',
    isError: true,
  },
  unknown: {
    label: 'Not confirmed yet',
    description: 'Your transaction is not on the chain yet. Look at its signature in your wallet before you pay again.',
    isError: true,
  },
};

/**
 * `POST /action/sent?token=`: a wallet calls this route after it has sent a transaction. The route looks on the chain
 * for the transaction of the run with this token, and answers with the outcome.
 */
export const makeSentAction =
  ({ serviceRpc }: Deps, lookUp: ChainLookup, address: PublicAddress, turns: LookupTurns = makeLookupTurns()) =>
  async (
    context: Context,
  ): Promise<Response> => {
    const { signature } = await readBody(context.req.raw, sentActionParamsSchema, MAX_SENT_BODY_BYTES);
    const token = context.req.query('token') ?? '';
    const { owner_id, caller, chain_url, cluster, transaction, name, icon_url } = await serviceRpc<SentRun>(
      'begin_action_lookup',
      {},
      {
        'x-flow-run-token': /^fr_[\w-]{64}$/.test(token) ? token : `fr_${'A'.repeat(64)}`,
      },
    );
    const outcome = await turns.take(
      { owner: owner_id, caller, url: chain_url },
      () => lookUp({ url: chain_url, cluster, transaction, signature }),
    );
    const { label, description, isError } = WORDS[outcome];
    const answer: CompletedAction = {
      type: 'completed',
      ...titleAndIcon({ name, icon_url }, address),
      label,
      description: `${description}\n\n${signature}`,
      ...(isError && { error: { message: description } }),
    };
    return context.json(answer, 200, blockchainHeader(cluster));
  };
