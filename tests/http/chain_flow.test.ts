import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, finishedRun, signUp, start, storeFlow } from '../support/people.ts';
import { SOL, startTestChain, type TestChain } from '../support/solana.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

it("a deployment's runs use the chain of its chain_network, and another one after a change of that setting", async () => {
  const flow = new FlowBuilder();
  const airdrop = flow.use('request_airdrop', { pubkey: flow.input('pubkey') }, { form: { amount: Number(2n * SOL) } });
  flow.output('signature', airdrop.output('signature'));
  flow.output('balance', flow.use('get_balance', { pubkey: airdrop.passthrough('pubkey') }).output('balance'));

  const owner = await signUp();
  const chain_network = { url: chain.url, cluster: 'devnet' };
  const deploymentId = await deploy(owner, await storeFlow(owner, flow, { chain_network }));
  const runFor = async (address: string) => {
    const { flow_run_id } = await start(owner, `id=${deploymentId}`, { inputs: { pubkey: { S: address } } });
    return await finishedRun(owner, flow_run_id);
  };
  const { address } = await generateKeyPairSigner();
  const run = await runFor(address);
  expect([run.errors, run.output]).toEqual([null, {
    M: { signature: { B6: chain.ledger.landed.at(-1)!.signature }, balance: { U: String(2n * SOL) } },
  }]);

  const other = await startTestChain();
  try {
    const change = { chain_network: { url: other.url, cluster: 'testnet' } };
    const { error } = await owner.client.from('flow_deployments').update(change).eq('id', deploymentId);
    expect(error).toBeNull();
    expect((await runFor(address)).errors).toBeNull();
    expect([chain.balance(address), other.balance(address)]).toEqual([2n * SOL, 2n * SOL]);
  } finally {
    await other.stop();
  }
  expect((await runFor(address)).errors).toEqual([
    expect.stringMatching(/^request_airdrop \S+: can't connect to 127\.0\.0\.1:\d+: ECONNREFUSED$/),
  ]);
});
