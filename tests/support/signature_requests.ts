import { ed25519 } from '@noble/curves/ed25519.js';
import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransactionMessage,
  createTransactionMessage,
  getCompiledTransactionMessageEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { base58, base64 } from '@scure/base';
import { randomUUID } from 'node:crypto';
import type { NewSignatureRequest, TransactionRecord } from '../../runner/solana/transaction_order.ts';
import type { PendingSignatureRequest, SubmitSignatureParams } from '../../types/signature_request.ts';
import { type ClaimedRun, stackClaims } from './claimed_run.ts';
import type { Keypair } from './keypairs.ts';
import { call } from './people.ts';
import { memo } from './solana.ts';

const BLOCKHASH = base58.encode(new Uint8Array(32).fill(7)) as Blockhash;

/** Makes a message in base64, with a priority fee and then memos. This key is the fee payer. */
export function makeMessage(feePayer: string, options: { price?: bigint; texts?: string[] } = {}): string {
  const { price = 100n, texts = ['hello'] } = options;
  const instructions: Instruction[] = [
    getSetComputeUnitPriceInstruction({ microLamports: price }),
    ...texts.map((text) => memo(text)),
  ];
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayer(feePayer as Address, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: BLOCKHASH, lastValidBlockHeight: 1n }, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  );
  return base64.encode(
    new Uint8Array(getCompiledTransactionMessageEncoder().encode(compileTransactionMessage(message))),
  );
}

/** Signs a message as a browser wallet does: its bytes, with ed25519. */
export const signMessage = ({ secretKey }: Keypair, message: string): string =>
  base58.encode(ed25519.sign(base64.decode(message), secretKey));

/** Makes the transaction of one node of a run, as a worker stores it before anybody has signed. */
export function makeTransaction(flow_run_id: string, message: string, node_id = randomUUID()): TransactionRecord {
  const effect = { flow_run_id, node_id, times: 0 };
  return {
    ...effect,
    members: [{ ...effect, instruction_count: 1 }],
    message,
    wire: null,
    memo: null,
    has_fees: false,
    slot: '7',
    last_valid_block_height: '157',
  };
}

export const makeRequest = (
  pubkey: string,
  msg: string,
  change: Partial<NewSignatureRequest> = {},
): NewSignatureRequest => ({ pubkey, msg, signatures: null, timeout_ms: 180_000, ...change });

/** Stores a signature request of a run for a key, as a worker does, and returns its id. */
export async function askFor(
  { id, claim }: Pick<ClaimedRun, 'id' | 'claim'>,
  { publicKey }: Keypair,
  message = makeMessage(publicKey),
  change: Partial<NewSignatureRequest> = {},
): Promise<number> {
  const [request] = await stackClaims().storeTransaction(claim, makeTransaction(id, message), [
    makeRequest(publicKey, message, change),
  ]);
  return request!.id;
}

/** Asks the route for the open signature request of a run. With `null`, waits for the route's default time. */
export const getRequest = (
  runId: string,
  token: string | undefined,
  wait: number | null = 0,
  headers: Record<string, string> = {},
): Promise<Response> =>
  call(`flow/signature_request/${runId}${wait === null ? '' : `?wait=${wait}`}`, {
    method: 'GET',
    token,
    headers,
  });

/** Reads the open signature request of a run. */
export const readRequest = async (runId: string, token: string): Promise<PendingSignatureRequest> =>
  await (await getRequest(runId, token)).json();

/** Answers a request. */
export const submit = (
  params: SubmitSignatureParams,
  token: string | undefined,
  headers: Record<string, string> = {},
): Promise<Response> =>
  call('signature/submit', {
    token,
    body: JSON.stringify(params),
    headers: { 'content-type': 'application/json', ...headers },
  });
