import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { build, missing, send, signerKeys, walletOf } from '../../../tests/support/instruction_node.ts';
import { createMint, tokenAt } from '../../../tests/support/mints.ts';
import { startTestChain, type TestChain } from '../../../tests/support/solana.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { createTokenAccountNode } from './index.ts';

let chain: TestChain;
let feePayer: KeyPairSigner;
let mint: Address;
let owner: Address;
let account: KeyPairSigner;
beforeAll(async () => {
  chain = await startTestChain();
  feePayer = await chain.fundedSigner();
  mint = await createMint(chain, feePayer, 9);
  owner = (await generateKeyPairSigner()).address;
});
beforeEach(async () => {
  account = await generateKeyPairSigner();
});
afterAll(() => chain.stop());

const create = (inputs: ValueMap = {}) =>
  build(createTokenAccountNode, chain, {
    owner: { B3: owner },
    fee_payer: walletOf(feePayer),
    mint_account: { B3: mint },
    token_account: walletOf(account),
    ...inputs,
  });

it('create_token_account creates an account of the owner at the given key, with the rent of the chain', async () => {
  const built = await create();
  expect([signerKeys(built).toSorted(), built.outputs]).toEqual([[account.address, feePayer.address].toSorted(), {}]);
  expect(built.instructions.instructions).toHaveLength(2);
  await send(chain, [feePayer, account], built);
  expect(tokenAt(chain, account.address)).toMatchObject({ mint, owner, amount: 0n });
  expect(chain.balance(account.address)).toBe(chain.ledger.minimumBalance(165n));
});

it('create_token_account fails if the account already exists, even as a wallet', async () => {
  await send(chain, [feePayer, account], await create());
  await expect(create()).rejects.toThrow(`token_account: the account ${account.address} exists already`);
  const { address } = feePayer;
  await expect(create({ token_account: walletOf(feePayer) })).rejects.toThrow(`the account ${address} exists already`);
});

it.each<[string, ValueMap]>([
  ...missing('owner', 'fee_payer', 'mint_account', 'token_account'),
  ['mint_account: invalid type: unit value, expected a public key', { mint_account: { N: 0 } }],
  ['token_account: data did not match any variant of untagged enum Wallet', { token_account: { B3: '1'.repeat(32) } }],
])('create_token_account refuses wrong inputs with "%s"', async (message, inputs) => {
  await expect(create(inputs)).rejects.toThrow(message);
});
