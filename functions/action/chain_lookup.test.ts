import { ed25519 } from '@noble/curves/ed25519.js';
import { base58, base64 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Keypair, makeKeypair } from '../../tests/support/keypairs.ts';
import { SOL, startTestChain, type TestChain } from '../../tests/support/solana.ts';
import { startSilentServer } from '../../tests/support/silent_server.ts';
import { fundedKeypair, transferFrom } from '../../tests/support/transactions.ts';
import { signWire } from '../../tests/support/wire.ts';
import { compileMessage, encodeTransaction } from '../../runner/solana/building/message.ts';
import { toActionTransaction } from './action_transaction.ts';
import { makeChainLookup } from './chain_lookup.ts';

let chain: TestChain;
let buyer: Keypair;
beforeAll(async () => {
  // Slots have their true length, so that a blockhash stays valid as long as on other chains: for 150 slots.
  chain = await startTestChain({});
  buyer = await fundedKeypair(chain);
});
afterAll(() => chain?.stop());

const lookUp = makeChainLookup({ allowPrivateNetwork: true, timeoutMs: 30_000 });
const soon = makeChainLookup({ allowPrivateNetwork: true, timeoutMs: 50 });

/** Makes an unsigned payment in the form in which a run outputs it. */
const payment = (amount = SOL, to = makeKeypair().publicKey): string => {
  const { clock } = chain.ledger;
  const message = compileMessage({
    feePayer: buyer.publicKey,
    instructions: [transferFrom(buyer.publicKey, to, amount)],
    blockhash: clock.blockhash(clock.slot()),
    lookupTables: {},
  });
  return base64.encode(encodeTransaction(message));
};

/** Sends a transaction like a wallet and returns the signature. */
async function send(wire: string, options: object = {}): Promise<string> {
  const { result, error } = await chain.call('sendTransaction', wire, {
    encoding: 'base64',
    preflightCommitment: 'processed',
    ...options,
  });
  expect(error).toBeUndefined();
  return result as string;
}

const target = (transaction: string, signature: string) => ({
  url: chain.url,
  cluster: 'devnet',
  transaction,
  signature,
});

describe('a transaction that a wallet sent', () => {
  it('is confirmed once it is in a block', async () => {
    const transaction = payment();
    const signature = await send(signWire(transaction, buyer));
    expect(await lookUp(target(transaction, signature))).toBe('confirmed');
  });

  it('is found in the legacy form, too', async () => {
    const transaction = payment();
    const legacy = base64.decode(toActionTransaction(transaction, buyer.publicKey));
    legacy.set(ed25519.sign(legacy.subarray(65), buyer.secretKey), 1);
    const signature = await send(base64.encode(legacy));
    expect(await lookUp(target(transaction, signature))).toBe('confirmed');
  });

  it('is reported as failed if it failed on the chain', async () => {
    const transaction = payment(1_000n * SOL);
    const signature = await send(signWire(transaction, buyer), { skipPreflight: true });
    expect(await lookUp(target(transaction, signature))).toBe('failed');
  });

  it('is reported as another transaction if it does something else', async () => {
    const signature = await send(signWire(payment(1n * SOL, makeKeypair().publicKey), buyer));
    expect(await lookUp(target(payment(), signature))).toBe('other');
  });

  it('is confirmed if it arrives during the look-up', async () => {
    const transaction = payment();
    const signed = signWire(transaction, buyer);
    const looking = lookUp(target(transaction, base58.encode(base64.decode(signed).subarray(1, 65))));
    await send(signed);
    expect(await looking).toBe('confirmed');
  });

  it('is unknown if it is not found in time', async () => {
    const unsent = signWire(payment(), buyer);
    expect(await soon(target(unsent, base58.encode(base64.decode(unsent).subarray(1, 65))))).toBe('unknown');
  });

  it('is unknown if the RPC server does not answer', async () => {
    const silent = await startSilentServer();
    try {
      expect(await soon({ ...target(payment(), '1'.repeat(64)), url: silent.url })).toBe('unknown');
    } finally {
      await silent.close();
    }
  });

  it('is unknown if the RPC address is not allowed', async () => {
    const refusing = makeChainLookup({ allowPrivateNetwork: false, timeoutMs: 30_000 });
    const transaction = payment();
    const signature = await send(signWire(transaction, buyer));
    expect(await refusing(target(transaction, signature))).toBe('unknown');
  });
});
