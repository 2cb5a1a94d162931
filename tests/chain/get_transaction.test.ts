import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  type Blockhash,
  compressTransactionMessageUsingAddressLookupTables,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signature as toSignature,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getCreateAssociatedTokenInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { base58, base64 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { associatedAddress, createMint, createTokenAccount } from '../support/mints.ts';
import { memo, SOL, startTestChain, type TestChain, transfer, writeLookupTable } from '../support/solana.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const VERSION_0 = { maxSupportedTransactionVersion: 0n };

async function send(wire: string): Promise<string> {
  const { result, error } = await chain.call('sendTransaction', wire, { encoding: 'base64', skipPreflight: true });
  expect(error).toBeUndefined();
  return result;
}

const read = (signature: string, config: object = {}) =>
  chain.call('getTransaction', signature, { commitment: 'confirmed', ...config });

const readIn = async (encoding: string | undefined, signature: string) =>
  (await read(signature, { ...VERSION_0, encoding })).result;

describe('a transaction of a block', () => {
  it('is returned with its bytes, balances, fee, log and units', async () => {
    const sender = await chain.fundedSigner();
    const { address: recipient } = await generateKeyPairSigner();
    const wire = await chain.sign(sender, [transfer(sender, recipient, SOL), memo('a memo')]);
    const signature = await send(wire);
    const slot = chain.ledger.clock.slot();
    chain.ledger.clock.advance(1n);
    const result = await readIn('base64', signature);
    expect(result).toEqual({
      blockTime: expect.any(BigInt),
      meta: {
        computeUnitsConsumed: expect.any(BigInt),
        err: null,
        fee: 5_000n,
        innerInstructions: [],
        loadedAddresses: { readonly: [], writable: [] },
        logMessages: expect.arrayContaining([expect.stringContaining('a memo')]),
        postBalances: [9n * SOL - 5_000n, SOL, 1n, expect.any(BigInt)],
        postTokenBalances: [],
        preBalances: [10n * SOL, 0n, 1n, expect.any(BigInt)],
        preTokenBalances: [],
        rewards: [],
        status: { Ok: null },
      },
      slot,
      transaction: [wire, 'base64'],
      version: 0n,
    });
    expect(result.meta.computeUnitsConsumed).toBeGreaterThan(150n);
  });

  it('is returned from the requested commitment on', async () => {
    const sender = await chain.fundedSigner();
    const signature = await send(await chain.sign(sender, [memo('new')]));
    const isThere = async (commitment: string) =>
      (await read(signature, { ...VERSION_0, encoding: 'base64', commitment })).result !== null;
    expect(await isThere('confirmed')).toBe(false);
    chain.ledger.clock.advance(1n);
    expect([await isThere('confirmed'), await isThere('finalized')]).toEqual([true, false]);
    chain.ledger.clock.advance(31n);
    expect(await isThere('finalized')).toBe(true);
    expect((await read(signature, { commitment: 'processed' })).error).toEqual({
      code: -32602n,
      message: 'Method does not support commitment below `confirmed`',
    });
    expect((await read('1'.repeat(64))).result).toBeNull();
  });

  it('is returned with its error and its fee if it failed', async () => {
    const sender = await chain.fundedSigner(SOL);
    const { address: recipient } = await generateKeyPairSigner();
    const signature = await send(await chain.sign(sender, [transfer(sender, recipient, 2n * SOL)]));
    chain.ledger.clock.advance(1n);
    const err = { InstructionError: [0n, { Custom: 1n }] };
    expect((await readIn('base64', signature)).meta).toMatchObject({
      err,
      status: { Err: err },
      fee: 5_000n,
      preBalances: [SOL, 0n, 1n],
      postBalances: [SOL - 5_000n, 0n, 1n],
    });
  });

  it('of version 0 is returned only to clients that support it', async () => {
    const sender = await chain.fundedSigner();
    const signature = await send(await chain.sign(sender, [memo('versioned')]));
    chain.ledger.clock.advance(1n);
    expect((await read(signature)).error).toEqual({
      code: -32015n,
      message: 'Transaction version (0) is not supported by the requesting client. Please try the request again with ' +
        'the following configuration parameter: "maxSupportedTransactionVersion": 0',
    });
  });

  it('is returned in the encodings of a node', async () => {
    const sender = await chain.fundedSigner();
    const wire = await chain.sign(sender, [memo('hello')]);
    const signature = await send(wire);
    chain.ledger.clock.advance(1n);
    expect((await readIn('base58', signature)).transaction).toEqual([base58.encode(base64.decode(wire)), 'base58']);
    expect((await readIn(undefined, signature)).transaction).toEqual({
      message: {
        accountKeys: [sender.address, memo('').programAddress],
        addressTableLookups: [],
        header: { numReadonlySignedAccounts: 0n, numReadonlyUnsignedAccounts: 1n, numRequiredSignatures: 1n },
        instructions: [{
          accounts: [],
          data: base58.encode(new TextEncoder().encode('hello')),
          programIdIndex: 1n,
          stackHeight: null,
        }],
        recentBlockhash: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
      },
      signatures: [signature],
    });
    const { error } = await read(signature, { ...VERSION_0, encoding: 'jsonParsed' });
    expect(error).toMatchObject({ code: -32602n, message: expect.stringContaining('`jsonParsed`') });
  });

  it('names the addresses from its lookup tables, with separate writable ones', async () => {
    const sender = await chain.fundedSigner();
    const { address: recipient } = await generateKeyPairSigner();
    const clock = address('SysvarC1ock11111111111111111111111111111111');
    const table = await writeLookupTable(chain, [clock, recipient]);
    const lifetime = {
      blockhash: chain.ledger.clock.blockhash(chain.ledger.clock.slot()) as Blockhash,
      lastValidBlockHeight: 0n,
    };
    const reading = transfer(sender, recipient, SOL);
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (draft) => setTransactionMessageFeePayerSigner(sender, draft),
      (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
      (draft) =>
        appendTransactionMessageInstruction({
          ...reading,
          accounts: [...reading.accounts!, { address: clock, role: AccountRole.READONLY }],
        }, draft),
      (draft) => compressTransactionMessageUsingAddressLookupTables(draft, { [table]: [clock, recipient] }),
    );
    const signature = await send(getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message)));
    chain.ledger.clock.advance(1n);
    const { meta } = await readIn('base64', signature);
    expect(meta.err).toBeNull();
    expect(meta.loadedAddresses).toEqual({ readonly: [clock], writable: [recipient] });
    expect(meta.postBalances[2]).toBe(SOL);
  });

  it('names the calls of its programs, and the token balances before and after', async () => {
    const sender = await chain.fundedSigner();
    const mint = await createMint(chain, sender, 2);
    const owner = (await generateKeyPairSigner()).address;
    const ata = await associatedAddress(owner, mint);
    const signature = await send(
      await chain.sign(sender, [getCreateAssociatedTokenInstruction({ payer: sender, owner, mint, ata })]),
    );
    const [full, minted] = [
      await createTokenAccount(chain, sender, mint, sender.address, 1_250n),
      chain.ledger.landed.at(-1)!.signature,
    ];
    chain.ledger.clock.advance(1n);
    const { meta } = await readIn('base64', signature);
    expect(meta.innerInstructions).toMatchObject([{ index: 0n, instructions: { length: 4 } }]);
    expect(meta.innerInstructions[0].instructions[0]).toEqual({
      accounts: expect.any(Array),
      data: expect.any(String),
      programIdIndex: expect.any(BigInt),
      stackHeight: 2n,
    });
    const empty = {
      accountIndex: expect.any(BigInt),
      mint,
      owner,
      programId: TOKEN_PROGRAM_ADDRESS,
      uiTokenAmount: { amount: '0', decimals: 2n, uiAmount: null, uiAmountString: '0' },
    };
    expect([meta.preTokenBalances, meta.postTokenBalances]).toEqual([[], [empty]]);
    const { meta: after, transaction } = await readIn('json', minted);
    expect(after.postTokenBalances).toMatchObject([{
      accountIndex: BigInt(transaction.message.accountKeys.indexOf(full)),
      uiTokenAmount: { amount: '1250', decimals: 2n, uiAmountString: '12.5' },
    }]);
  });
});

it("kit's client reads it", async () => {
  const sender = await chain.fundedSigner();
  const { address: recipient } = await generateKeyPairSigner();
  const signature = await send(await chain.sign(sender, [transfer(sender, recipient, SOL)]));
  chain.ledger.clock.advance(1n);
  const read = await createSolanaRpc(chain.url).getTransaction(toSignature(signature), {
    commitment: 'confirmed',
    encoding: 'json',
    maxSupportedTransactionVersion: 0,
  }).send();
  expect(read?.transaction.message.accountKeys).toContain(recipient);
  expect(read?.meta).toMatchObject({ err: null, fee: 5_000n, computeUnitsConsumed: 150n });
});
