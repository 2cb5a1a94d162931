import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, land, missing, send, signerKeys, walletOf } from '../../../tests/support/instruction_node.ts';
import { associatedAddress, createMint, createTokenAccount, mintAt, tokenAt } from '../../../tests/support/mints.ts';
import { SOL, startTestChain, type TestChain, transfer } from '../../../tests/support/solana.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { mintTokenNode } from './index.ts';

let chain: TestChain;
let feePayer: KeyPairSigner;
let authority: KeyPairSigner;
let mint: Address;
beforeAll(async () => {
  chain = await startTestChain();
  [feePayer, authority] = await Promise.all([chain.fundedSigner(), chain.fundedSigner()]);
  mint = await createMint(chain, authority, 6);
});
afterAll(() => chain.stop());

const newTokenAccount = async (of = mint) =>
  createTokenAccount(chain, authority, of, (await generateKeyPairSigner()).address);

const mintTo = async (inputs: ValueMap = {}) =>
  await build(mintTokenNode, chain, {
    fee_payer: walletOf(feePayer),
    mint_authority: walletOf(authority),
    mint_account: { B3: mint },
    recipient: { B3: await associatedAddress(feePayer.address, mint) },
    amount: { U: '1' },
    ...inputs,
  });

it.each<[string, Value, bigint]>([
  ['whole tokens', { U: '7' }, 7_000_000n],
  ['a fraction, without what is less than a unit', { D: '0.1234567' }, 123_456n],
  ['a float', { F: '0.3' }, 300_000n],
  ['a text', { S: '1e3' }, 1_000_000_000n],
])('mint_token mints %s into a token account, exactly', async (_name, amount, units) => {
  const recipient = await newTokenAccount();
  const supply = mintAt(chain, mint)!.supply;
  const built = await mintTo({ recipient: { B3: recipient }, amount });
  expect([signerKeys(built), built.outputs]).toEqual([[authority.address], {}]);
  expect(built.instructions.feePayer.publicKey).toBe(feePayer.address);
  await send(chain, [feePayer, authority], built);
  expect([tokenAt(chain, recipient)?.amount, mintAt(chain, mint)?.supply]).toEqual([units, supply + units]);
});

it('mint_token does not round amounts of a mint with more decimal places than a decimal has', async () => {
  const fine = await createMint(chain, authority, 30);
  const recipient = await newTokenAccount(fine);
  const amount = { D: '0.0000000000123456789012345678' };
  const inputs = { mint_account: { B3: fine }, recipient: { B3: recipient } };
  await send(chain, [feePayer, authority], await mintTo({ ...inputs, amount }));
  expect(tokenAt(chain, recipient)?.amount).toBe(12_345_678_901_234_567_800n);
  await expect(mintTo({ ...inputs, amount: { U: '1' } })).rejects.toThrow('amount is too large: in its smallest units');
});

it('mint_token accepts decimals for a mint that does not exist yet, and refuses decimals that differ from the mint', async () => {
  const recipient = { B3: await newTokenAccount() };
  await send(chain, [feePayer, authority], await mintTo({ recipient, decimals: { U: '6' } }));
  await expect(mintTo({ recipient, decimals: { U: '9' } })).rejects.toThrow(`decimals: the mint ${mint} has 6, not 9`);
  const { address } = await generateKeyPairSigner();
  const inputs = { mint_account: { B3: address }, recipient: { B3: await associatedAddress(address, address) } };
  expect((await mintTo({ ...inputs, decimals: { U: '0' } })).instructions.instructions).toHaveLength(1);
  await expect(mintTo(inputs)).rejects.toThrow(
    `mint_account: there is no account ${address}; for a mint that the same transaction creates, decimals must be given`,
  );
  await expect(mintTo({ ...inputs, decimals: { N: 0 } })).rejects.toThrow(`there is no account ${address}`);
});

it('mint_token refuses an account that is not a mint', async () => {
  const token = await newTokenAccount();
  for (const decimals of [{ N: 0 } as const, { U: '6' }]) {
    await expect(mintTo({ mint_account: { B3: token }, decimals })).rejects.toThrow(
      `mint_account: ${token} must be a mint of the token program`,
    );
    await expect(mintTo({ mint_account: walletOf(feePayer), decimals })).rejects.toThrow(
      `mint_account: ${feePayer.address} must be a mint of the token program: it belongs to the program ${
        '1'.repeat(32)
      }`,
    );
  }
});

it('mint_token refuses recipients that are no token account of the mint', async () => {
  await expect(mintTo({ recipient: walletOf(feePayer) })).rejects.toThrow(
    `recipient: ${feePayer.address} must be a token account, and is a wallet; the node associated_token_account gives the token account of`,
  );
  await expect(mintTo({ recipient: { B3: mint } })).rejects.toThrow(`recipient: ${mint} must be a token account`);
  const other = await createMint(chain, authority, 0);
  await expect(mintTo({ recipient: { B3: await newTokenAccount(other) } })).rejects.toThrow(
    `recipient: must be a token account of the mint ${mint}, not of ${other}`,
  );
});

it('mint_token succeeds even if somebody has sent SOL to the token account before its creation', async () => {
  const { address: owner } = await generateKeyPairSigner();
  const recipient = await associatedAddress(owner, mint);
  await land(chain, await chain.sign(feePayer, [transfer(feePayer, recipient, SOL)]));
  const built = await mintTo({ recipient: { B3: recipient } });
  await createTokenAccount(chain, authority, mint, owner);
  await send(chain, [feePayer, authority], built);
  expect(tokenAt(chain, recipient)?.amount).toBe(1_000_000n);
});

it('mint_token fails on the chain without the right authority', async () => {
  const built = await mintTo({ recipient: { B3: await newTokenAccount() }, mint_authority: walletOf(feePayer) });
  await expect(send(chain, [feePayer], built)).rejects.toThrow(/owner does not match/i);
});

it.each<[string, ValueMap]>([
  ...missing('fee_payer', 'mint_authority', 'mint_account', 'recipient', 'amount'),
  ['mint_authority: data did not match any variant of untagged', { mint_authority: { B3: '1'.repeat(32) } }],
  ['amount: invalid type: unit value, expected a decimal', { amount: { N: 0 } }],
  ['amount is negative', { amount: { I: '-1' }, recipient: { B3: '1'.repeat(31) + '2' } }],
  ['amount is too large: in its smallest units it is more than', { amount: { U: '18446744073710' } }],
  ['decimals: invalid value: integer `-1`, expected u8', { decimals: { I: '-1' } }],
])('mint_token refuses wrong inputs with "%s"', async (message, inputs) => {
  await expect(mintTo(inputs)).rejects.toThrow(message);
});
