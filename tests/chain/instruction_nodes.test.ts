import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BuiltInstructions } from '../../runner/solana/building/instruction_module.ts';
import { associatedTokenAccountNode } from '../../runner/nodes/associated_token_account/index.ts';
import { createMintAccountNode } from '../../runner/nodes/create_mint_account/index.ts';
import { createTokenAccountNode } from '../../runner/nodes/create_token_account/index.ts';
import { memoNode } from '../../runner/nodes/memo/index.ts';
import { mintTokenNode } from '../../runner/nodes/mint_token/index.ts';
import { transferSolNode } from '../../runner/nodes/transfer_sol/index.ts';
import { transferTokenNode } from '../../runner/nodes/transfer_token/index.ts';
import { build, send, walletOf } from '../support/instruction_node.ts';
import { associatedAddress, mintAt, tokenAt } from '../support/mints.ts';
import { startTestChain, type TestChain } from '../support/solana.ts';

let chain: TestChain;
let issuer: KeyPairSigner;
let mint: KeyPairSigner;
let buyer: KeyPairSigner;
beforeAll(async () => {
  chain = await startTestChain();
  [issuer, mint, buyer] = await Promise.all([chain.fundedSigner(), generateKeyPairSigner(), generateKeyPairSigner()]);
});
afterAll(() => chain.stop());

/** Builds all instructions before any of the accounts exists. */
async function buildIssue(): Promise<BuiltInstructions[]> {
  const fee_payer = walletOf(issuer);
  const decimals = { U: '2' };
  const mint_account = walletOf(mint);
  const created = await build(createMintAccountNode, chain, {
    fee_payer,
    decimals,
    mint_authority: { B3: issuer.address },
    mint_account,
  });
  const owned = await build(associatedTokenAccountNode, chain, { owner: walletOf(issuer), fee_payer, mint_account });
  const minted = await build(mintTokenNode, chain, {
    fee_payer,
    mint_authority: walletOf(issuer),
    mint_account,
    recipient: owned.outputs.associated_token_account!,
    amount: { U: '1000' },
    decimals,
  });
  const sent = await build(transferTokenNode, chain, {
    fee_payer,
    mint_account,
    amount: { D: '12.34' },
    decimals,
    recipient: { B3: buyer.address },
    sender_owner: walletOf(issuer),
  });
  return [created, owned, minted, sent];
}

it('one transaction creates a mint, mints tokens and sends them to a new wallet', async () => {
  const built = await buildIssue();
  const { error } = await send(chain, [issuer, mint], ...built);
  expect(error).toBeNull();
  expect(mintAt(chain, mint.address)).toMatchObject({ decimals: 2, supply: 100_000n });
  const [own, theirs] = await Promise.all(
    [issuer, buyer].map(({ address }) => associatedAddress(address, mint.address)),
  );
  expect([tokenAt(chain, own!)?.amount, tokenAt(chain, theirs!)?.amount]).toEqual([98_766n, 1_234n]);
});

it('a token account of its own key is created, minted into and emptied with a memo and a payment in one transaction', async () => {
  const account = await generateKeyPairSigner();
  const { address: friend } = await generateKeyPairSigner();
  const fee_payer = walletOf(issuer);
  const mint_account = { B3: mint.address };
  const token = { B3: account.address };
  const built = await Promise.all([
    build(memoNode, chain, { fee_payer, memo: { S: 'all at once' } }),
    build(createTokenAccountNode, chain, {
      owner: walletOf(buyer),
      fee_payer,
      mint_account,
      token_account: walletOf(account),
    }),
    build(mintTokenNode, chain, {
      fee_payer,
      mint_authority: fee_payer,
      mint_account,
      recipient: token,
      amount: { F: '0.5' },
    }),
    build(transferTokenNode, chain, {
      fee_payer,
      mint_account,
      amount: { S: '0.5' },
      recipient: { B3: friend },
      sender_token_account: token,
      sender_owner: walletOf(buyer),
      memo: { S: 'yours' },
    }),
    build(transferSolNode, chain, { sender: fee_payer, recipient: { B3: friend }, amount: { D: '0.01' } }),
  ]);
  const { error, memo } = await send(chain, [issuer, account, buyer], ...built);
  expect([error, memo]).toEqual([null, '[11] all at once; [5] yours']);
  expect(tokenAt(chain, account.address)?.amount).toBe(0n);
  expect(tokenAt(chain, await associatedAddress(friend, mint.address))?.amount).toBe(50n);
  expect(chain.balance(friend)).toBe(10_000_000n);
});
