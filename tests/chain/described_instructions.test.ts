import { base58 } from '@scure/base';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import { getMintSize, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NodeModule } from '../../runner/engine/node.ts';
import { makeModule } from '../../runner/described/solana/index.ts';
import type { InstructionModule } from '../../runner/solana/building/instruction_module.ts';
import { executeFlow } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { frozenNode } from '../support/idls/read_idl.ts';
import { build, land, send, walletOf } from '../support/instruction_node.ts';
import { associatedAddress, createTokenAccount, mintAt, tokenAt } from '../support/mints.ts';
import { runNode } from '../support/node_call.ts';
import { startTestChain, type TestChain } from '../support/solana.ts';
import { bytesOf, fundedKeypair, makeWorld } from '../support/transactions.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const instruction = async (nodeId: string): Promise<InstructionModule> =>
  makeModule(await frozenNode('token_codama', nodeId)) as InstructionModule;

/** Makes an account that the token program owns and that is no mint yet. */
async function emptyMint(payer: KeyPairSigner): Promise<KeyPairSigner> {
  const mint = await generateKeyPairSigner();
  const space = getMintSize();
  await land(
    chain,
    await chain.sign(payer, [getCreateAccountInstruction({
      payer,
      newAccount: mint,
      lamports: chain.ledger.minimumBalance(BigInt(space)),
      space,
      programAddress: TOKEN_PROGRAM_ADDRESS,
    })]),
  );
  return mint;
}

it('described instructions make a mint and mint tokens to a derived account, and a described account reads the mint', async () => {
  const owner = await chain.fundedSigner();
  const mint = await emptyMint(owner);
  const fee_payer = walletOf(owner);
  const made = await build(await instruction('token_initialize_mint2'), chain, {
    fee_payer,
    mint: { B3: mint.address },
    decimals: { U: '3' },
    mint_authority: { B3: owner.address },
  });
  expect((await send(chain, [owner], made)).error).toBeNull();
  expect(mintAt(chain, mint.address)).toMatchObject({ decimals: 3, freezeAuthority: { __option: 'None' } });

  await createTokenAccount(chain, owner, mint.address, owner.address);
  const minted = await build(await instruction('token_mint_to'), chain, {
    fee_payer,
    mint: { B3: mint.address },
    mint_authority: fee_payer,
    amount: { U: '1234' },
  });
  expect((await send(chain, [owner], minted)).error).toBeNull();
  const token = await associatedAddress(owner.address, mint.address);
  expect(minted.outputs.token).toEqual({ B3: token });
  expect(tokenAt(chain, token)?.amount).toBe(1_234n);

  const reader = makeModule(await frozenNode('token_codama', 'token_mint_account')) as NodeModule;
  expect(await runNode(reader, { address: { B3: mint.address } }, chain.nodeCall())).toMatchObject({
    mint_authority: { B3: owner.address },
    supply: { U: '1234' },
    decimals: { U: '3' },
    is_initialized: { B: true },
    freeze_authority: { N: 0 },
  });
  await expect(runNode(reader, { address: { B3: token } }, chain.nodeCall())).rejects.toThrow('is no mint');
});

it('a flow fails with the name that the IDL gives the error of its program', async () => {
  const pair = await fundedKeypair(chain);
  const stranger = await chain.fundedSigner();
  const mint = await emptyMint(stranger);
  const made = await build(await instruction('token_initialize_mint2'), chain, {
    fee_payer: walletOf(stranger),
    mint: { B3: mint.address },
    decimals: { U: '0' },
    mint_authority: { B3: stranger.address },
  });
  await send(chain, [stranger], made);
  await createTokenAccount(chain, stranger, mint.address, stranger.address);
  const token = await associatedAddress(stranger.address, mint.address);

  const flow = new FlowBuilder();
  const mintTo = flow.node('token_mint_to', {
    type: 'solana',
    inputs: ['fee_payer', 'mint', 'token', 'mint_authority', 'amount'],
    outputs: ['signature'],
    form: { mint: mint.address, token, amount: 1 },
  });
  flow.nodes.at(-1)!.data.definition = 'ab'.repeat(32);
  const wallet = flow.input('wallet');
  flow.connect(wallet, mintTo.input('fee_payer'));
  flow.connect(wallet, mintTo.input('mint_authority'));
  const world = makeWorld(chain);
  const run = await executeFlow(flow, { wallet: { B6: base58.encode(bytesOf(pair)) } }, {
    definitions: { ['ab'.repeat(32)]: await frozenNode('token_codama', 'token_mint_to') },
    services: { ...chain.nodeCall(), transactions: { execute: world.execute } },
  });
  expect(run).toMatchObject({ status: 'failed' });
  expect(JSON.stringify(run.errors)).toMatch(/ownerMismatch: Owner does not match.*custom program error: 0x4/s);
});
