import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { AuthorityType, getSetAuthorityInstruction } from '@solana-program/token';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { build, land, missing, send, signerKeys, walletOf } from '../../../tests/support/instruction_node.ts';
import { associatedAddress, createMint, createTokenAccount, tokenAt } from '../../../tests/support/mints.ts';
import { SOL, startTestChain, type TestChain, transfer } from '../../../tests/support/solana.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { transferTokenNode } from './index.ts';

const FALSE = { B: false };

let chain: TestChain;
let feePayer: KeyPairSigner;
let sender: KeyPairSigner;
let mint: Address;
let source: Address;
let buyer: KeyPairSigner;
let ata: Address;
beforeAll(async () => {
  chain = await startTestChain();
  [feePayer, sender] = await Promise.all([chain.fundedSigner(), chain.fundedSigner()]);
  mint = await createMint(chain, sender, 6);
  source = await createTokenAccount(chain, sender, mint, sender.address, 1_000_000_000n);
});
beforeEach(async () => {
  buyer = await chain.fundedSigner(SOL);
  ata = await associatedAddress(buyer.address, mint);
});
afterAll(() => chain.stop());

const transferOf = (inputs: ValueMap = {}) =>
  build(transferTokenNode, chain, {
    fee_payer: walletOf(feePayer),
    mint_account: { B3: mint },
    amount: { D: '1.5' },
    recipient: { B3: buyer.address },
    sender_owner: walletOf(sender),
    ...inputs,
  });

const amountAt = (address: string) => tokenAt(chain, address)?.amount;

describe('transfer_token to a wallet', () => {
  it('creates its token account at the cost of the fee payer, and sends the tokens there', async () => {
    const before = amountAt(source)!;
    const built = await transferOf();
    expect(built.outputs).toEqual({ recipient_token_account: { B3: ata } });
    expect(signerKeys(built).toSorted()).toEqual([feePayer.address, sender.address].toSorted());
    const paid = chain.balance(feePayer.address);
    const { memo } = await send(chain, [feePayer, sender], built);
    expect(tokenAt(chain, ata)).toMatchObject({ mint, owner: buyer.address, amount: 1_500_000n });
    expect(amountAt(source)).toBe(before - 1_500_000n);
    expect(paid - chain.balance(feePayer.address)).toBe(10_000n + chain.ledger.minimumBalance(165n));
    expect(memo).toBe('[0] ');
  });

  it('uses its existing token account, with the signature of the sender alone', async () => {
    await createTokenAccount(chain, sender, mint, buyer.address, 5n);
    const built = await transferOf({ memo: { S: 'order 7' }, decimals: { U: '6' }, allow_unfunded: FALSE });
    expect(signerKeys(built)).toEqual([sender.address]);
    const { memo, logs } = await send(chain, [feePayer, sender], built);
    expect([amountAt(ata), memo]).toEqual([1_500_005n, '[7] order 7']);
    expect(logs).toContain(`Program log: ${sender.address}`);
    expect((await transferOf({ fund_recipient: FALSE })).outputs).toEqual(built.outputs);
  });

  it('without SOL is refused if allow_unfunded is false', async () => {
    const { address } = await generateKeyPairSigner();
    const recipient = { B3: address };
    await expect(transferOf({ recipient, allow_unfunded: FALSE })).rejects.toThrow(
      `recipient: the wallet ${address} has no SOL, and allow_unfunded is false`,
    );
    for (const allow_unfunded of [{ B: true }, { N: 0 } as const]) {
      await send(chain, [feePayer, sender], await transferOf({ recipient, allow_unfunded }));
    }
    expect(amountAt(await associatedAddress(address, mint))).toBe(3_000_000n);
  });

  it('without a token account is refused if fund_recipient is false', async () => {
    await expect(transferOf({ fund_recipient: FALSE })).rejects.toThrow(
      `recipient: the wallet ${buyer.address} has no associated token account, and fund_recipient is false`,
    );
    expect((await transferOf({ fund_recipient: { N: 0 } })).instructions.instructions).toHaveLength(3);
  });

  it('succeeds if somebody has sent SOL to its token account, or creates that account meanwhile', async () => {
    await land(chain, await chain.sign(feePayer, [transfer(feePayer, ata, SOL)]));
    const built = await transferOf();
    expect(built.instructions.instructions).toHaveLength(3);
    await createTokenAccount(chain, sender, mint, buyer.address);
    await send(chain, [feePayer, sender], built);
    expect(amountAt(ata)).toBe(1_500_000n);
  });

  it('sends nothing to an associated token account that now belongs to another owner', async () => {
    await createTokenAccount(chain, sender, mint, buyer.address);
    const handOver = getSetAuthorityInstruction({
      owned: ata,
      owner: buyer,
      authorityType: AuthorityType.AccountOwner,
      newAuthority: sender.address,
    });
    await land(chain, await chain.sign(buyer, [handOver]));
    await expect(transferOf()).rejects.toThrow(
      `recipient: the wallet's associated token account ${ata} now belongs to another owner, ${sender.address}`,
    );
  });
});

describe('transfer_token to another account', () => {
  it('uses a token account of the mint directly', async () => {
    await createTokenAccount(chain, sender, mint, buyer.address);
    const built = await transferOf({ recipient: { B3: ata }, allow_unfunded: FALSE, fund_recipient: FALSE });
    expect(built.outputs).toEqual({ recipient_token_account: { B3: ata } });
    await send(chain, [feePayer, sender], built);
    expect(amountAt(ata)).toBe(1_500_000n);
  });

  it('refuses accounts that cannot hold tokens of the mint', async () => {
    const other = await createMint(chain, sender, 0);
    const token = await createTokenAccount(chain, sender, other, buyer.address);
    await expect(transferOf({ recipient: { B3: token } })).rejects.toThrow(
      `recipient: must be a token account of the mint ${mint}, not of ${other}`,
    );
    await expect(transferOf({ recipient: { B3: mint } })).rejects.toThrow(
      `recipient: ${mint} must be a wallet or a token account, but it belongs to the program Tokenkeg`,
    );
    await expect(transferOf({ recipient: { B3: ata } })).rejects.toThrow(
      `recipient: the account ${ata} does not exist, and nobody can have a key for it; give the wallet, not its token account`,
    );
  });
});

it('transfer_token takes the tokens from the given token account', async () => {
  const other = await createTokenAccount(chain, sender, mint, buyer.address, 2_000_000n);
  const inputs = { sender_token_account: { B3: other }, sender_owner: walletOf(buyer), fee_payer: walletOf(buyer) };
  const built = await transferOf({ ...inputs, recipient: { B3: sender.address }, amount: { S: '2' } });
  expect([signerKeys(built), built.instructions.feePayer.publicKey]).toEqual([[buyer.address], buyer.address]);
  await send(chain, [buyer], built);
  expect(amountAt(other)).toBe(0n);
});

it('transfer_token fails on the chain if there are too few tokens, or if sender_owner does not own them', async () => {
  await expect(send(chain, [feePayer, sender], await transferOf({ amount: { U: '1001' } }))).rejects.toThrow(
    /insufficient funds/,
  );
  const thief = await transferOf({ sender_token_account: { B3: source }, sender_owner: walletOf(buyer) });
  await expect(send(chain, [feePayer, buyer], thief)).rejects.toThrow(/owner does not match/i);
});

it('transfer_token needs the right decimals or an existing mint', async () => {
  await expect(transferOf({ decimals: { U: '0' } })).rejects.toThrow(`decimals: the mint ${mint} has 6, not 0`);
  const { address } = await generateKeyPairSigner();
  await expect(transferOf({ mint_account: { B3: address } })).rejects.toThrow(
    `mint_account: there is no account ${address}; for a mint that the same transaction creates, decimals must be given`,
  );
  await expect(transferOf({ mint_account: { B3: source } })).rejects.toThrow(
    `mint_account: ${source} must be a mint of the token program`,
  );
});

it.each<[string, ValueMap]>([
  ...missing('fee_payer', 'mint_account', 'amount', 'recipient', 'sender_owner'),
  ['recipient: invalid type: unit value, expected a public key', { recipient: { N: 0 } }],
  ['sender_owner: data did not match any variant of untagged enum Wallet', { sender_owner: { B3: '1'.repeat(32) } }],
  ['sender_token_account: invalid value: string', { sender_token_account: { S: 'mine' } }],
  ['allow_unfunded: invalid type: string, expected a boolean', { allow_unfunded: { S: 'true' } }],
  ['fund_recipient: invalid type: integer `1`, expected a boolean', { fund_recipient: { U: '1' } }],
  ['memo: invalid type: integer `7`, expected a string', { memo: { U: '7' } }],
  ['decimals: invalid value: decimal `0.5`, expected u8', { decimals: { D: '0.5' } }],
  ['amount is negative', { amount: { F: '-1' } }],
  ['amount is too large: in its smallest units it is more than 18446744073709551615', { amount: { S: '1e14' } }],
])('transfer_token refuses wrong inputs with "%s"', async (message, inputs) => {
  await expect(transferOf(inputs)).rejects.toThrow(message);
});
