import type { Context } from 'hono';
import { type CompletedAction, sentActionParamsSchema } from '../../types/action.ts';
import { apiError } from '../_shared/api_error.ts';
import { readBody } from '../_shared/body.ts';
import type { Deps } from '../_shared/deps.ts';
import { blockchainHeader } from './blockchains.ts';
import type { ChainLookup, SentOutcome } from './chain_lookup.ts';
import { titleAndIcon } from './describe_action.ts';
import type { PublicAddress } from '../_shared/public_address.ts';

/** Bytes of the body: a key and a signature. */
const MAX_SENT_BODY_BYTES = 4_096;

/** What `begin_action_lookup` gives. */
interface SentRun {
  chain_url: string;
  cluster: string;
  transaction: string;
  name: string | null;
  icon_url: string | null;
}

/** What happened, for whoever signed. */
const WORDS: Readonly<Record<SentOutcome, { label: string; description: string; isError: boolean }>> = {
  confirmed: { label: 'Done', description: 'Your transaction is confirmed.', isError: false },
  failed: {
    label: 'Failed',
    description: 'Your transaction failed on the chain: nothing was transferred but the fee of the network.',
    isError: true,
  },
  other: {
    label: 'Not done',
    description: 'This is another transaction than the one that you were given.',
    isError: true,
  },
  unknown: {
    label: 'Not confirmed yet',
    description: 'Your transaction is not on the chain yet. Look at its signature in your wallet before you pay again.',
    isError: true,
  },
};

/**
 * `POST /action/sent?token=`: looks for the transaction that the run with this token put out, once a wallet has sent it,
 * and answers what became of it.
 */
export const makeSentAction = ({ serviceRpc }: Deps, lookUp: ChainLookup, address: PublicAddress) =>
async (
  context: Context,
): Promise<Response> => {
  const { signature } = await readBody(context.req.raw, sentActionParamsSchema, MAX_SENT_BODY_BYTES);
  const token = context.req.query('token') ?? '';
  const { chain_url, cluster, transaction, name, icon_url } = await serviceRpc<SentRun>('begin_action_lookup', {}, {
    'x-flow-run-token': /^fr_[\w-]{64}$/.test(token) ? token : `fr_${'A'.repeat(64)}`,
  });
  const outcome = await lookUp({ url: chain_url, cluster, transaction, signature });
  if (outcome === undefined) {
    throw apiError('service_unavailable', 'Too many transactions are looked for right now. Try again in a moment.', {
      headers: { 'retry-after': '5' },
    });
  }
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
