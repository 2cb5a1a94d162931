import { base58 } from '@scure/base';
import { createKeyPairSignerFromBytes, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, land, missing, send, signerKeys, walletOf } from '../../../tests/support/instruction_node.ts';
import { makeKeypair } from '../../../tests/support/keypairs.ts';
import { SOL, startTestChain, type TestChain, transfer } from '../../../tests/support/solana.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { transferSolNode } from './index.ts';

/** The fee of a transaction with one signature. Each further signature costs this much more. */
const FEE = 5_000n;

let chain: TestChain;
let sender: KeyPairSigner;
/** The recipient in tests that do not check the recipient. */
const nobody = makeKeypair().publicKey;
beforeAll(async () => {
  chain = await startTestChain();
  sender = await chain.fundedSigner(1_000_000n * SOL);
});
afterAll(() => chain.stop());

const transferOf = (inputs: ValueMap) =>
  build(transferSolNode, chain, { sender: walletOf(sender), recipient: { B3: nobody }, amount: { U: '1' }, ...inputs });

it.each<[string, Value, bigint]>([
  ['a whole number', { U: '3' }, 3n * SOL],
  ['a decimal of 28 places', { D: '0.9999999999999999999999999999' }, 999_999_999n],
  ['a decimal with more digits than a float has', { D: '90071.992547409' }, 90_071_992_547_409n],
  ['a float', { F: '0.1' }, SOL / 10n],
  ['a float just below', { F: '1.1' }, 1_100_000_000n],
  ['a text', { S: ' 2.5e0 ' }, 2_500_000_000n],
  ['less than a lamport', { D: '0.0000000009' }, 0n],
])('transfer_sol moves exactly the lamports of %s', async (_name, amount, lamports) => {
  const { address } = await generateKeyPairSigner();
  const before = chain.balance(sender.address);
  const built = await transferOf({ recipient: { B3: address }, amount });
  expect(built.outputs).toEqual({});
  expect(await send(chain, [sender], built)).toMatchObject({ error: null });
  expect([chain.balance(address), chain.balance(sender.address)]).toEqual([lamports, before - lamports - FEE]);
});

it('transfer_sol charges the fee payer, and needs only the signature of the sender for the instruction', async () => {
  const feePayer = await chain.fundedSigner(SOL);
  const { address } = await generateKeyPairSigner();
  const before = chain.balance(sender.address);
  const built = await transferOf({ fee_payer: walletOf(feePayer), recipient: { S: address }, amount: { D: '0.25' } });
  expect([built.instructions.feePayer.publicKey, signerKeys(built)]).toEqual([feePayer.address, [sender.address]]);
  await send(chain, [sender, feePayer], built);
  expect([address, sender.address, feePayer.address].map(chain.balance)).toEqual([
    SOL / 4n,
    before - SOL / 4n,
    SOL - 2n * FEE,
  ]);
});

it('transfer_sol uses the sender as fee payer if that is null, and accepts a key pair for either', async () => {
  const pair = makeKeypair();
  const owner = await createKeyPairSignerFromBytes(base58.decode(pair.keypair));
  await land(chain, await chain.sign(sender, [transfer(sender, owner.address, SOL)]));
  const { address } = await generateKeyPairSigner();
  const built = await transferOf({
    fee_payer: { N: 0 },
    sender: { B6: pair.keypair },
    recipient: { B3: address },
    amount: { D: '0.5' },
  });
  expect(built.instructions.signers).toEqual([
    { type: 'keypair', publicKey: pair.publicKey, keypair: base58.decode(pair.keypair), isNamedByFlow: false },
  ]);
  await send(chain, [owner], built);
  expect([chain.balance(address), chain.balance(owner.address)]).toEqual([SOL / 2n, SOL / 2n - FEE]);
});

it.each<[string, ValueMap]>([
  ...missing('sender', 'recipient', 'amount'),
  ['sender: data did not match any variant of untagged enum Wallet', { sender: { B3: '1'.repeat(32) } }],
  ['fee_payer: data did not match any variant of untagged enum Wallet', { fee_payer: { S: '' } }],
  ['recipient: invalid type: unit value, expected a public key', { recipient: { N: 0 } }],
  ['recipient: invalid value: string, expected a public key', { recipient: { S: 'somebody' } }],
  ['amount: invalid type: boolean `true`, expected a decimal', { amount: { B: true } }],
  ['amount: invalid type: integer `5` as u128, expected a decimal', { amount: { U1: '5' } }],
  ['amount: invalid value: floating point `NaN`, expected a decimal', { amount: { F: 'NaN' } }],
  ['amount is negative', { amount: { D: '-0.0000000001' } }],
  [
    'amount is too large: in its smallest units it is more than 18446744073709551615',
    { amount: { D: '18446744073.709551616' } },
  ],
])('transfer_sol refuses wrong inputs with "%s"', async (message, inputs) => {
  await expect(transferOf(inputs)).rejects.toThrow(message);
});

it('transfer_sol accepts 2^64-1 lamports, and the chain refuses the transaction', async () => {
  const built = await transferOf({ amount: { D: '18446744073.7095516159' } });
  await expect(send(chain, [sender], built)).rejects.toThrow(/insufficient lamports \d+, need 18446744073709551615/);
});
