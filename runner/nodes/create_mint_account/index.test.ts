import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { build, missing, send, signerKeys, walletOf } from '../../../tests/support/instruction_node.ts';
import { mintAt } from '../../../tests/support/mints.ts';
import { startTestChain, type TestChain } from '../../../tests/support/solana.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { createMintAccountNode } from './index.ts';

let chain: TestChain;
let feePayer: KeyPairSigner;
let authority: KeyPairSigner;
let mint: KeyPairSigner;
beforeAll(async () => {
  chain = await startTestChain();
  [feePayer, authority] = await Promise.all([chain.fundedSigner(), generateKeyPairSigner()]);
});
beforeEach(async () => {
  mint = await generateKeyPairSigner();
});
afterAll(() => chain.stop());

const create = (inputs: ValueMap = {}) =>
  build(createMintAccountNode, chain, {
    fee_payer: walletOf(feePayer),
    decimals: { U: '6' },
    mint_authority: { B3: authority.address },
    mint_account: walletOf(mint),
    ...inputs,
  });

it('create_mint_account creates a mint with the given decimals and authority, and with the rent of the chain', async () => {
  const built = await create({ freeze_authority: { N: 0 } });
  expect([signerKeys(built).toSorted(), built.outputs]).toEqual([[feePayer.address, mint.address].toSorted(), {}]);
  expect(built.instructions.instructions).toHaveLength(3);
  const { memo, logs } = await send(chain, [feePayer, mint], built);
  expect(mintAt(chain, mint.address)).toMatchObject({
    decimals: 6,
    isInitialized: true,
    supply: 0n,
    mintAuthority: { __option: 'Some', value: authority.address },
    freezeAuthority: { __option: 'None' },
  });
  expect(chain.balance(mint.address)).toBe(chain.ledger.minimumBalance(82n));
  expect(memo).toBe('[0] ');
  expect(logs).toContain(`Program log: ${feePayer.address}`);
});

it('create_mint_account accepts a freeze authority, a memo, and up to 255 decimals', async () => {
  const freezer = await generateKeyPairSigner();
  const memo = { S: 'my token' };
  const built = await create({ decimals: { D: '255' }, freeze_authority: walletOf(freezer), memo });
  const landed = await send(chain, [feePayer, mint], built);
  expect(landed.memo).toBe('[8] my token');
  expect(mintAt(chain, mint.address)).toMatchObject({
    decimals: 255,
    freezeAuthority: { __option: 'Some', value: freezer.address },
  });
});

it('create_mint_account needs the signatures of payer and mint, but not those of the authorities', async () => {
  const built = await create({ mint_authority: walletOf(authority), freeze_authority: walletOf(authority) });
  expect(signerKeys(built)).not.toContain(authority.address);
  await send(chain, [feePayer, mint], built);
});

it('create_mint_account fails if the account already exists', async () => {
  await send(chain, [feePayer, mint], await create());
  await expect(create()).rejects.toThrow(`mint_account: the account ${mint.address} exists already`);
});

it.each<[string, ValueMap]>([
  ...missing('fee_payer', 'decimals', 'mint_authority', 'mint_account'),
  ['decimals: invalid value: integer `256`, expected u8', { decimals: { U: '256' } }],
  ['decimals: invalid type: floating point `6`, expected u8', { decimals: { F: '6' } }],
  ['mint_authority: invalid type: unit value, expected a public key', { mint_authority: { N: 0 } }],
  ['mint_account: data did not match any variant of untagged enum Wallet', { mint_account: { B3: '1'.repeat(32) } }],
  ['memo: invalid type: boolean `true`, expected a string', { memo: { B: true } }],
])('create_mint_account refuses wrong inputs with "%s"', async (message, inputs) => {
  await expect(create(inputs)).rejects.toThrow(message);
});

it('create_mint_account fails with the error of the RPC server', async () => {
  const method = 'getMinimumBalanceForRentExemption';
  chain.faults.inject({ type: 'error', code: -32602, message: 'Invalid params', method });
  await expect(create()).rejects.toThrow('Invalid params (code -32602)');
});
