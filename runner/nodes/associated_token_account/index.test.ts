import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, missing, send, signerKeys, walletOf } from '../../../tests/support/instruction_node.ts';
import { associatedAddress, createMint, tokenAt } from '../../../tests/support/mints.ts';
import { startTestChain, type TestChain } from '../../../tests/support/solana.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { associatedTokenAccountNode } from './index.ts';

let chain: TestChain;
let feePayer: KeyPairSigner;
let mint: Address;
let owner: Address;
beforeAll(async () => {
  chain = await startTestChain();
  feePayer = await chain.fundedSigner();
  mint = await createMint(chain, feePayer, 0);
  owner = (await generateKeyPairSigner()).address;
});
afterAll(() => chain.stop());

const create = (inputs: ValueMap = {}) =>
  build(associatedTokenAccountNode, chain, {
    owner: { B3: owner },
    fee_payer: walletOf(feePayer),
    mint_account: { S: mint },
    ...inputs,
  });

it("associated_token_account creates the owner's account for the mint, and outputs its address before the transaction", async () => {
  const built = await create();
  const address = await associatedAddress(owner, mint);
  expect(built.outputs).toEqual({ associated_token_account: { B3: address } });
  expect(signerKeys(built)).toEqual([feePayer.address]);
  await send(chain, [feePayer], built);
  expect(tokenAt(chain, address)).toMatchObject({ mint, owner, amount: 0n });
  expect(chain.balance(address)).toBe(chain.ledger.minimumBalance(165n));
});

it('associated_token_account does not change an existing account', async () => {
  const inputs = { owner: walletOf(await generateKeyPairSigner()) };
  await send(chain, [feePayer], await create(inputs));
  chain.ledger.clock.advance(1n);
  const before = chain.balance(feePayer.address);
  expect(await send(chain, [feePayer], await create(inputs))).toMatchObject({ error: null });
  expect(before - chain.balance(feePayer.address)).toBe(5_000n);
});

it('associated_token_account reads nothing from the chain; its transaction fails if the mint is missing', async () => {
  const { address } = await generateKeyPairSigner();
  const built = await create({ mint_account: { B3: address } });
  await expect(send(chain, [feePayer], built)).rejects.toThrow(/Error processing Instruction 0/);
});

it.each<[string, ValueMap]>([
  ...missing('owner', 'fee_payer', 'mint_account'),
  ['owner: invalid type: unit value, expected a public key', { owner: { N: 0 } }],
  ['fee_payer: data did not match any variant of untagged enum Wallet', { fee_payer: { B3: '1'.repeat(32) } }],
])('associated_token_account refuses wrong inputs with "%s"', async (message, inputs) => {
  await expect(create(inputs)).rejects.toThrow(message);
});
