import {
  appendTransactionMessageInstruction,
  type Blockhash,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { base64 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expireBlockhashes } from '../../dev/chain/ledger.ts';
import { memo, MEMO_V1, SOL, startTestChain, type TestChain, transfer, writeLookupTable } from '../support/solana.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const inBase64 = { encoding: 'base64', preflightCommitment: 'processed' };
const send = (wire: string, config: object = {}) => chain.call('sendTransaction', wire, { ...inBase64, ...config });
const statusOf = async (signature: string) => (await chain.call('getSignatureStatuses', [signature])).result.value[0];

const emptyExecution = {
  accounts: null,
  innerInstructions: null,
  logs: [],
  replacementBlockhash: null,
  returnData: null,
  unitsConsumed: 0n,
};

/** The error that a Solana node answers if its preflight check refuses a transaction. */
const preflightFailure = (message: string, err: unknown, rest: object = {}) => ({
  code: -32002n,
  message: `Transaction simulation failed: ${message}`,
  data: { ...emptyExecution, err, ...rest },
});

describe('a transaction', () => {
  it('moves lamports, costs its fee, and is confirmed and finalized as slots go by', async () => {
    const sender = await chain.fundedSigner();
    const { address } = await generateKeyPairSigner();
    const { result: signature } = await send(await chain.sign(sender, [transfer(sender, address, SOL)]));
    expect([chain.balance(address), chain.balance(sender.address)]).toEqual([SOL, 9n * SOL - 5_000n]);
    const slot = chain.ledger.clock.slot();
    const status = { slot, err: null, status: { Ok: null } };
    expect(await statusOf(signature)).toEqual({ ...status, confirmations: 0n, confirmationStatus: 'processed' });
    chain.ledger.clock.advance(1n);
    expect(await statusOf(signature)).toEqual({ ...status, confirmations: 1n, confirmationStatus: 'confirmed' });
    chain.ledger.clock.advance(31n);
    expect(await statusOf(signature)).toEqual({ ...status, confirmations: null, confirmationStatus: 'finalized' });
    chain.ledger.clock.advance(300n);
    expect(await statusOf(signature)).toBeNull();
    const searched = await chain.call('getSignatureStatuses', [signature], { searchTransactionHistory: true });
    expect(searched.result.value[0]).toMatchObject(status);
  });

  it('that fails in the preflight costs nothing and is refused with its logs, as a node of Solana does', async () => {
    const sender = await chain.fundedSigner(SOL);
    const { address } = await generateKeyPairSigner();
    const wire = await chain.sign(sender, [memo('first'), transfer(sender, address, 2n * SOL)]);
    const { error, status } = await send(wire);
    const system = '11111111111111111111111111111111';
    expect(status).toBe(200);
    expect(error).toEqual(preflightFailure(
      'Error processing Instruction 1: custom program error: 0x1',
      { InstructionError: [1n, { Custom: 1n }] },
      { logs: expect.any(Array), unitsConsumed: expect.any(BigInt) },
    ));
    expect(error?.data.logs.slice(-3)).toEqual([
      `Program ${system} invoke [1]`,
      'Transfer: insufficient lamports 999995000, need 2000000000',
      `Program ${system} failed: custom program error: 0x1`,
    ]);
    expect(chain.balance(sender.address)).toBe(SOL);
  });

  it('that fails without a preflight is in its block, with its error and its fee', async () => {
    const sender = await chain.fundedSigner(SOL);
    const { address } = await generateKeyPairSigner();
    const wire = await chain.sign(sender, [transfer(sender, address, 2n * SOL)]);
    const { result: signature } = await send(wire, { skipPreflight: true });
    const err = { InstructionError: [0n, { Custom: 1n }] };
    expect(await statusOf(signature)).toMatchObject({ err, status: { Err: err } });
    expect(chain.balance(sender.address)).toBe(SOL - 5_000n);
    const { result } = await chain.call('getSignaturesForAddress', address, { commitment: 'confirmed' });
    expect(result).toEqual([]);
    chain.ledger.clock.advance(1n);
    const listed = await chain.call('getSignaturesForAddress', address, { commitment: 'confirmed' });
    expect(listed.result).toMatchObject([{ signature, err, confirmationStatus: 'confirmed' }]);
  });

  it('of an account without lamports is refused before it runs', async () => {
    const poor = await generateKeyPairSigner();
    const { error } = await send(await chain.sign(poor, [memo('x')]));
    expect(error).toEqual(
      preflightFailure('Attempt to debit an account but found no record of a prior credit.', 'AccountNotFound'),
    );
  });

  it('that would leave an account with less than its rent is refused with the account', async () => {
    const sender = await chain.fundedSigner();
    const { address } = await generateKeyPairSigner();
    const { error } = await send(await chain.sign(sender, [transfer(sender, address, 1n)]));
    expect(error?.message).toBe(
      'Transaction simulation failed: Transaction results in an account (1) with insufficient funds for rent',
    );
    expect(error?.data.err).toEqual({ InsufficientFundsForRent: { account_index: 1n } });
  });

  it('is accepted once', async () => {
    const sender = await chain.fundedSigner();
    const wire = await chain.sign(sender, [memo('once')]);
    const [first, again] = [await send(wire), await send(wire)];
    expect(first.result).toEqual(expect.any(String));
    expect(again.error).toEqual(
      preflightFailure('This transaction has already been processed', 'AlreadyProcessed'),
    );
    const landed = chain.ledger.landed.length;
    expect((await send(wire, { skipPreflight: true })).result).toBe(first.result);
    expect(chain.ledger.landed).toHaveLength(landed);
  });

  it('is valid for 150 blocks after its blockhash', async () => {
    const sender = await chain.fundedSigner();
    const { result: { value } } = await chain.call('getLatestBlockhash', { commitment: 'processed' });
    const isValid = async () =>
      (await chain.call('isBlockhashValid', value.blockhash, { commitment: 'processed' })).result.value;
    const wire = await chain.sign(sender, [memo('late')], value.blockhash);
    chain.ledger.clock.advance(150n);
    expect((await chain.call('getBlockHeight', { commitment: 'processed' })).result).toBe(value.lastValidBlockHeight);
    expect(await isValid()).toBe(true);
    chain.ledger.clock.advance(1n);
    expect(await isValid()).toBe(false);
    expect((await send(wire)).error).toEqual(preflightFailure('Blockhash not found', 'BlockhashNotFound'));
    const lost = await send(wire, { skipPreflight: true });
    expect(await statusOf(lost.result)).toBeNull();
  });

  it('with a blockhash that its preflight cannot know yet is refused', async () => {
    const sender = await chain.fundedSigner();
    const wire = await chain.sign(sender, [memo('early')]);
    expect((await send(wire, { preflightCommitment: 'finalized' })).error?.data.err).toBe('BlockhashNotFound');
    chain.ledger.clock.advance(32n);
    expect((await send(wire, { preflightCommitment: 'finalized' })).result).toEqual(expect.any(String));
  });

  it('with a wrong signature is refused, or dropped without a preflight', async () => {
    const sender = await chain.fundedSigner();
    const bytes = base64.decode(await chain.sign(sender, [memo('forged')]));
    bytes[1]! ^= 1;
    const wire = base64.encode(bytes);
    expect((await send(wire)).error).toEqual({
      code: -32003n,
      message: 'Transaction signature verification failure',
    });
    const { result } = await send(wire, { skipPreflight: true });
    expect(await statusOf(result)).toBeNull();
  });
});

describe('a transaction of another form', () => {
  const lifetime = () => ({
    blockhash: chain.ledger.clock.blockhash(chain.ledger.clock.slot()) as Blockhash,
    lastValidBlockHeight: 0n,
  });

  it('is accepted in the legacy form, too', async () => {
    const sender = await chain.fundedSigner();
    const message = pipe(
      createTransactionMessage({ version: 'legacy' }),
      (draft) => setTransactionMessageFeePayerSigner(sender, draft),
      (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime(), draft),
      (draft) => appendTransactionMessageInstruction(memo('legacy'), draft),
    );
    const { result } = await send(getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message)));
    expect(await statusOf(result)).toMatchObject({ err: null });
  });

  it('with a lookup table is found by the addresses from the table', async () => {
    const sender = await chain.fundedSigner();
    const { address } = await generateKeyPairSigner();
    const other = await generateKeyPairSigner();
    const table = await writeLookupTable(chain, [other.address, address]);
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (draft) => setTransactionMessageFeePayerSigner(sender, draft),
      (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime(), draft),
      (draft) => appendTransactionMessageInstruction(transfer(sender, address, SOL), draft),
      (draft) => compressTransactionMessageUsingAddressLookupTables(draft, { [table]: [other.address, address] }),
    );
    const { result, error } = await send(
      getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message)),
    );
    expect(error).toBeUndefined();
    expect(chain.balance(address)).toBe(SOL);
    chain.ledger.clock.advance(1n);
    const naming = async (key: string) =>
      (await chain.call('getSignaturesForAddress', key, { commitment: 'confirmed' })).result;
    expect(await naming(address)).toMatchObject([{ signature: result }]);
    expect(await naming(other.address)).toEqual([]);
  });
});

describe('a simulation', () => {
  it('needs no signature unless it has to check them', async () => {
    const sender = await chain.fundedSigner();
    const bytes = base64.decode(await chain.sign(sender, [memo('unsigned')])).fill(0, 1, 65);
    const config = { encoding: 'base64', commitment: 'processed' };
    const { result } = await chain.call('simulateTransaction', base64.encode(bytes), config);
    expect(result.value).toMatchObject({ err: null, logs: expect.arrayContaining(['Program log: unsigned']) });
    const checked = await chain.call('simulateTransaction', base64.encode(bytes), { ...config, sigVerify: true });
    expect(checked.error?.code).toBe(-32003n);
  });

  it('returns units, logs and the accounts afterwards, and changes nothing', async () => {
    const sender = await chain.fundedSigner();
    const { address } = await generateKeyPairSigner();
    const wire = await chain.sign(sender, [transfer(sender, address, SOL)], '1'.repeat(32));
    const { result } = await chain.call('simulateTransaction', wire, {
      encoding: 'base64',
      replaceRecentBlockhash: true,
      commitment: 'processed',
      accounts: { encoding: 'base64', addresses: [address] },
    });
    expect(result.value).toMatchObject({
      err: null,
      unitsConsumed: 150n,
      accounts: [{ lamports: SOL }],
      replacementBlockhash: { blockhash: chain.ledger.clock.blockhash(chain.ledger.clock.slot()) },
    });
    expect(chain.balance(address)).toBe(0n);
  });

  it('of a transaction that fails is an answer, not an error', async () => {
    const sender = await chain.fundedSigner();
    const wire = await chain.sign(sender, [transfer(sender, sender.address, 20n * SOL)], '1'.repeat(32));
    const { result } = await chain.call('simulateTransaction', wire, { encoding: 'base64' });
    expect(result.value).toMatchObject({ err: 'BlockhashNotFound', logs: [], unitsConsumed: 0n });
    const replaced = await chain.call('simulateTransaction', wire, {
      encoding: 'base64',
      replaceRecentBlockhash: true,
    });
    expect(replaced.result.value.err).toEqual({ InstructionError: [0n, { Custom: 1n }] });
    const both = { encoding: 'base64', replaceRecentBlockhash: true, sigVerify: true };
    expect((await chain.call('simulateTransaction', wire, both)).error?.code).toBe(-32602n);
  });
});

describe('the signatures of an address', () => {
  it('are listed in pages, the newest first, with their memos', async () => {
    const sender = await chain.fundedSigner();
    const sent = [];
    for (const instructions of [[memo('plain', MEMO_V1)], [memo('grün'), memo(' two')], [memo('third')]]) {
      sent.unshift((await send(await chain.sign(sender, instructions))).result);
    }
    chain.ledger.clock.advance(32n);
    const list = async (config: object = {}) =>
      (await chain.call('getSignaturesForAddress', sender.address, config)).result;
    const all = await list();
    expect(all.map(({ memo }: { memo: string | null }) => memo)).toEqual([
      '[5] third',
      '[5] grün; [4]  two',
      '[5] plain',
      null,
    ]);
    expect(all[0]).toEqual({
      signature: sent[0],
      slot: expect.any(BigInt),
      err: null,
      memo: '[5] third',
      blockTime: expect.any(BigInt),
      confirmationStatus: 'finalized',
    });
    expect(Math.abs(Number(all[0].blockTime) - Date.now() / 1000)).toBeLessThan(30);
    expect(await list({ limit: 1n })).toEqual([all[0]]);
    expect(await list({ before: sent[0], until: sent[2] })).toEqual([all[1]]);
    expect(await list({ before: '1'.repeat(64) })).toEqual([]);
    expect((await chain.call('getSignaturesForAddress', sender.address, { limit: 1_001n })).error?.message).toBe(
      'Invalid limit; max 1000',
    );
  });
});

describe('the network', () => {
  it('can delay transactions, and lose them', async () => {
    const sender = await chain.fundedSigner();
    chain.ledger.deliver('hold');
    const { result: held } = await send(await chain.sign(sender, [memo('held')]));
    chain.ledger.deliver('lose');
    const { result: lost } = await send(await chain.sign(sender, [memo('lost')]));
    chain.ledger.deliver('land');
    expect([await statusOf(held), await statusOf(lost)]).toEqual([null, null]);
    chain.ledger.release();
    expect(await statusOf(held)).toMatchObject({ err: null });
    expect(await statusOf(lost)).toBeNull();
  });

  it('drops a transaction that was delayed for too long', async () => {
    const sender = await chain.fundedSigner();
    chain.ledger.deliver('hold');
    const { result: held } = await send(await chain.sign(sender, [memo('held for long')]));
    chain.ledger.deliver('land');
    expireBlockhashes(chain.ledger);
    chain.ledger.release();
    expect(await statusOf(held)).toBeNull();
  });
});
