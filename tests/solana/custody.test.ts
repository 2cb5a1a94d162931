import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { deployAction, nextRequest, outputOf, paymentFlow, signNext, startAs } from '../support/actions.ts';
import { findSecrets, type Keypair, storeKeypair } from '../support/keypairs.ts';
import { call, deploy, type Person, signUp, storeFlow } from '../support/people.ts';
import { SOL, startTestChain, type TestChain } from '../support/solana.ts';
import { PAID, payOutFlow } from '../support/pay_out_flow.ts';
import { asSuperuser } from '../support/tokens.ts';
import { fundedKeypair } from '../support/transactions.ts';

let chain: TestChain;
let owner: Person;
let shop: Keypair;
beforeAll(async () => {
  chain = await startTestChain({ slotMs: 20 });
  owner = await signUp();
  shop = await fundedKeypair(chain);
  await storeKeypair(owner, shop);
});
afterAll(() => chain.stop());

/** Returns every row of every table as text. */
const wholeDatabase = () =>
  asSuperuser(async (sql) => {
    const tables = await sql<{ name: string }[]>`
      select format('%I.%I', relnamespace::regnamespace, relname) as name from pg_class
      where relkind in ('r', 'p') and relnamespace::regnamespace::text in ('public', 'private', 'auth')`;
    const texts = await Promise.all(tables.map(async ({ name }) => {
      const rows = await sql.unsafe(`select t::text as row from ${name} as t`);
      return rows.map(({ row }) => row).join('\n');
    }));
    return texts.join('\n');
  });

it("a stored key signs for its owner's flow, and appears in no row, answer, error or log", async () => {
  const { publicKey: to } = await fundedKeypair(chain, 5n * SOL);
  const deploymentId = await deployAction(owner, chain, payOutFlow(shop.publicKey));
  const run = await startAs(to, deploymentId, { inputs: { to: { B3: to } } });
  const ended = await outputOf(run);
  expect(ended.status, JSON.stringify(ended)).toBe(200);
  expect(chain.balance(to)).toBe(5n * SOL + PAID);

  // A payment that fails on the chain, so that errors are checked, too.
  const poor = await fundedKeypair(chain, 1_000n);
  await storeKeypair(owner, poor);
  const failing = await startAs(to, await deployAction(owner, chain, payOutFlow(poor.publicKey)), {
    inputs: { to: { B3: to } },
  });
  const failed = await outputOf(failing);
  expect(failed.status).toBe(409);

  const token = owner.token;
  const answers = await Promise.all(
    ['flow_run', 'node_run', 'flow_run_logs', 'signature_requests', 'wallets'].map(async (table) => {
      const response = await fetch(`${inject('stack').API_URL}/rest/v1/${table}?select=*`, {
        headers: { apikey: inject('stack').PUBLISHABLE_KEY, authorization: `Bearer ${token}` },
      });
      expect(response.status).toBe(200);
      return await response.text();
    }),
  );
  const seen = [
    await wholeDatabase(),
    ...answers,
    JSON.stringify([ended, failed]),
    readFileSync(inject('stackLog'), 'utf8'),
  ];
  for (const text of seen) {
    expect(text.length).toBeGreaterThan(0);
    expect(findSecrets(text, [shop.secretKey, poor.secretKey])).toEqual([]);
  }
});

describe('a stored key does not sign because a starter names it', () => {
  it("an attacker's flow, started by the attacker with a victim's public key, gets no signature", async () => {
    const attacker = await signUp();
    const deploymentId = await deployAction(attacker, chain, paymentFlow((await fundedKeypair(chain)).publicKey));
    const before = chain.balance(shop.publicKey);
    for (const credential of [shop.publicKey, attacker.token]) {
      const run = await startAs(credential, deploymentId, { inputs: { buyer: { B3: shop.publicKey } } });
      // The run requests the signature of the shop's key, and nobody answers.
      expect((await nextRequest(run)).pubkey).toBe(shop.publicKey);
      await call(`flow/stop/${run.flow_run_id}`, { token: run.token });
    }
    expect(chain.balance(shop.publicKey)).toBe(before);
  });

  it("an attacker's flow that names the victim's wallet in a wallet node, started by the victim, gets none either", async () => {
    const attacker = await signUp();
    const deploymentId = await deployAction(attacker, chain, payOutFlow(shop.publicKey));
    const run = await startAs(owner.token, deploymentId, {
      inputs: { to: { B3: (await fundedKeypair(chain)).publicKey } },
    });
    expect((await nextRequest(run)).pubkey).toBe(shop.publicKey);
    await call(`flow/stop/${run.flow_run_id}`, { token: run.token });
  });

  it("a starter who passes the shop's own public key where the buyer's is wanted is asked for its signature", async () => {
    const before = chain.balance(shop.publicKey);
    const deploymentId = await deployAction(owner, chain, paymentFlow(shop.publicKey));
    const run = await startAs(shop.publicKey, deploymentId, { inputs: { buyer: { B3: shop.publicKey } } });
    expect((await nextRequest(run)).pubkey).toBe(shop.publicKey);
    await signNext(run, shop);
    expect((await outputOf(run)).status).toBe(200);
    expect(before - chain.balance(shop.publicKey)).toBe(5_001n);
  });

  it("the stored keys of a signed-in victim do not sign for an attacker's flow", async () => {
    const attacker = await signUp();
    const flowId = await storeFlow(attacker, paymentFlow((await fundedKeypair(chain)).publicKey), {
      chain_network: { url: chain.url, cluster: 'devnet' },
      is_public: true,
      start_shared: true,
    });
    const deploymentId = await deploy(attacker, flowId);
    const run = await startAs(owner.token, deploymentId, { inputs: { buyer: { B3: shop.publicKey } } });
    expect((await nextRequest(run)).pubkey).toBe(shop.publicKey);
    await call(`flow/stop/${run.flow_run_id}`, { token: run.token });
  });
});
