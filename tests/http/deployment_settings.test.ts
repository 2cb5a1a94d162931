import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { textFlow } from '../support/flow_builder.ts';
import { adapter, makeKeypair, storeKeypair, upsertWallet } from '../support/keypairs.ts';
import { deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';

const KEY = 'So11111111111111111111111111111111111111112';
const URL = 'https://rpc.example.com/?key=secret';

let owner: Person;
let other: Person;
let deploymentId: string;
/** The public keys of the owner's HARDCODED and ADAPTER wallets, and of another user's wallet. */
let hardcoded: string;
let browser: string;
let foreign: string;

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
  browser = makeKeypair().publicKey;
  [deploymentId, hardcoded, foreign] = await Promise.all([
    storeFlow(owner, textFlow()).then((flowId) => deploy(owner, flowId)),
    storeKeypair(owner),
    storeKeypair(other),
    upsertWallet(owner, adapter(browser)),
  ]);
});

const defaults = {
  start_permission: 'Owner',
  output_instructions: false,
  action_identity: null,
  fees: [],
  chain_network: { url: 'https://api.devnet.solana.com', cluster: 'devnet' },
};

// Sends a payload that the generated types would refuse, as any client could.
const patch = (settings: object, person = owner) =>
  person.client.from('flow_deployments').update(settings as never).eq('id', deploymentId)
    .select('start_permission, output_instructions, action_identity, fees, chain_network');

beforeEach(async () => {
  const { data } = await patch(defaults);
  expect(data).toEqual([defaults]);
});

/** Sends JSON text unchanged, with numbers that JavaScript can't hold, and reads the text of the answer. */
async function patchText(body: string): Promise<{ status: number; text: string }> {
  const { API_URL, PUBLISHABLE_KEY } = inject('stack');
  const response = await fetch(`${API_URL}/rest/v1/flow_deployments?id=eq.${deploymentId}&select=fees`, {
    method: 'PATCH',
    headers: {
      apikey: PUBLISHABLE_KEY,
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    body,
  });
  return { status: response.status, text: await response.text() };
}

describe('the settings of a deployment', () => {
  it('are changed by the owner with supabase-js, one or all at once', async () => {
    const changed = {
      start_permission: 'Anonymous',
      output_instructions: true,
      action_identity: hardcoded,
      fees: [[KEY, 5000]],
      chain_network: { url: URL, cluster: 'mainnet-beta' },
    };
    for (const [name, value] of Object.entries(changed)) {
      expect((await patch({ [name]: value })).data?.[0]).toMatchObject({ [name]: value });
    }
    await patch(defaults);
    expect((await patch(changed)).data).toEqual([changed]);
  });

  it("can't be changed by others", async () => {
    expect((await patch({ start_permission: 'Anonymous' }, other)).data).toEqual([]);
  });

  it('all stay unchanged if one of them is refused', async () => {
    const { error } = await patch({ start_permission: 'Anonymous', fees: [[KEY, -1]] });
    expect(error?.code).toBe('fees_invalid');
    const { data } = await patch({ output_instructions: false });
    expect(data).toEqual([defaults]);
  });

  it('can be written back as a whole row, with its read-only columns', async () => {
    const row = await owner.client.from('flow_deployments').select('*').eq('id', deploymentId).single();
    const { error } = await owner.client.from('flow_deployments').update(row.data!).eq('id', deploymentId);
    expect(error).toBeNull();
  });

  it.each([
    ['id', () => '01890000-0000-7000-8000-000000000000'],
    ['created_at', () => '2020-01-01T00:00:00Z'],
    ['user_id', () => other.id],
    ['entrypoint', () => 2_147_483_647],
    ['snapshot_hash', () => `\\x${'00'.repeat(32)}`],
  ])('do not include %s, which is read-only', async (column, value) => {
    const { error, status } = await patch({ [column]: value() });
    expect([status, error?.code]).toEqual([400, 'column_read_only']);
  });

  it('are copied to runs at their start', async () => {
    await patch({ fees: [[KEY, '7']], action_identity: hardcoded });
    const { flow_run_id } = await start(owner, `id=${deploymentId}`);
    const run = await finishedRun(owner, flow_run_id);
    expect(run).toMatchObject({ fees: [[KEY, 7]], action_identity: hardcoded });
  });
});

const refusals: [setting: string, value: unknown, code: string, paths: string[]][] = [
  ...[null, '', 'owner', 'Everybody', 5, ['Owner']].map((value) =>
    ['start_permission', value, 'start_permission_invalid', ['start_permission']] as [string, unknown, string, string[]]
  ),
  ['fees', null, 'fees_invalid', ['fees']],
  ['fees', {}, 'fees_invalid', ['fees']],
  ['fees', 5, 'fees_invalid', ['fees']],
  ['fees', '[]', 'fees_invalid', ['fees']],
  ['fees', [[]], 'fees_invalid', ['fees[0]']],
  ['fees', [KEY, 5], 'fees_invalid', ['fees[0]', 'fees[1]']],
  ['fees', [[KEY]], 'fees_invalid', ['fees[0]']],
  ['fees', [[KEY, 1, 1]], 'fees_invalid', ['fees[0]']],
  ['fees', [{ address: KEY, amount: 1 }], 'fees_invalid', ['fees[0]']],
  ['fees', [null], 'fees_invalid', ['fees[0]']],
  ['fees', [[1, KEY]], 'fees_invalid', ['fees[0][0]', 'fees[0][1]']],
  ['fees', [[null, 1]], 'fees_invalid', ['fees[0][0]']],
  ['fees', [['', 1]], 'fees_invalid', ['fees[0][0]']],
  ['fees', [['1'.repeat(31), 1]], 'fees_invalid', ['fees[0][0]']],
  ['fees', [['1'.repeat(33), 1]], 'fees_invalid', ['fees[0][0]']],
  ['fees', [[`${KEY} `, 1]], 'fees_invalid', ['fees[0][0]']],
  ['fees', [[KEY, 1], ['0OIl', 2], [KEY, 3]], 'fees_invalid', ['fees[1][0]']],
  ...[-1, 1.5, 2 ** 64, null, true, [], {}, '', '-1', '+1', '1.5', '1.0', '1e3', '0x10', ' 1', '18446744073709551616']
    .map(
      (amount) => ['fees', [[KEY, amount]], 'fees_invalid', ['fees[0][1]']] as [string, unknown, string, string[]],
    ),
  ['action_identity', '', 'action_identity_invalid', ['action_identity']],
  ['action_identity', 'no key', 'action_identity_invalid', ['action_identity']],
  ['action_identity', '1'.repeat(31), 'action_identity_invalid', ['action_identity']],
  ['action_identity', '1'.repeat(5000), 'action_identity_invalid', ['action_identity']],
  ['action_identity', KEY, 'action_identity_without_wallet', ['action_identity']],
  ['chain_network', null, 'chain_network_invalid', ['chain_network']],
  ['chain_network', 'devnet', 'chain_network_invalid', ['chain_network']],
  ['chain_network', [URL, 'devnet'], 'chain_network_invalid', ['chain_network']],
  ['chain_network', {}, 'chain_network_invalid', ['chain_network.url', 'chain_network.cluster']],
  ['chain_network', { url: URL }, 'chain_network_invalid', ['chain_network.cluster']],
  ['chain_network', { cluster: 'devnet' }, 'chain_network_invalid', ['chain_network.url']],
  ['chain_network', { url: URL, cluster: 'mainnet' }, 'chain_network_invalid', ['chain_network.cluster']],
  ['chain_network', { url: URL, cluster: ['devnet'] }, 'chain_network_invalid', ['chain_network.cluster']],
  ['chain_network', { url: 5, cluster: 'devnet' }, 'chain_network_invalid', ['chain_network.url']],
  ['chain_network', { url: 'rpc.example.com', cluster: 'devnet' }, 'chain_network_invalid', ['chain_network.url']],
  ['chain_network', { url: 'ftp://rpc.example.com', cluster: 'devnet' }, 'chain_network_invalid', [
    'chain_network.url',
  ]],
  ['chain_network', { url: 'https://', cluster: 'devnet' }, 'chain_network_invalid', ['chain_network.url']],
  ['chain_network', { url: 'https://rpc example', cluster: 'devnet' }, 'chain_network_invalid', ['chain_network.url']],
  [
    'chain_network',
    { url: URL, cluster: 'devnet', label: 'mine', id: 1 },
    'chain_network_invalid',
    ['chain_network.id', 'chain_network.label'],
  ],
];

describe('a setting that is invalid', () => {
  it.each(refusals)('%s %j is refused with %s, which names %j', async (setting, value, code, paths) => {
    const { error, status } = await patch({ [setting]: value });
    expect([status, error?.code]).toEqual([400, code]);
    // On /rest/v1, `details` is a text of JSON.
    const details = JSON.parse(error!.details) as { path: string; message: string }[];
    expect(details.map(({ path }) => path)).toEqual(paths);
    expect(error?.message).toContain(paths[0]);
    expect(error?.message).not.toContain('secret');
  });

  it.each([['of an ADAPTER wallet', () => browser], ["of another user's wallet", () => foreign]])(
    'action_identity %s is refused like one without a wallet',
    async (_what, key) => {
      const { error, status } = await patch({ action_identity: key() });
      expect([status, error?.code]).toEqual([400, 'action_identity_without_wallet']);
      expect(error?.hint).toContain('/wallets/upsert');
    },
  );
});

describe('an amount of a fee', () => {
  it.each([
    ['0', '0'],
    ['5000', '5000'],
    ['"5000"', '5000'],
    ['"0"', '0'],
    ['"007"', '7'],
    ['1.0', '1'],
    ['1e3', '1000'],
    ['9007199254740993', '9007199254740993'],
    ['18446744073709551615', '18446744073709551615'],
    ['"18446744073709551615"', '18446744073709551615'],
  ])('given as %s is stored as the integer %s', async (amount, stored) => {
    const { status, text } = await patchText(`{"fees": [["${KEY}", ${amount}]]}`);
    expect([status, text.replaceAll(' ', '')]).toEqual([200, `[{"fees":[["${KEY}",${stored}]]}]`]);
  });

  it.each(['18446744073709551616', '1e20', '1e-1', '-1', '0.5', '1e300'])('given as %s is refused', async (amount) => {
    const { status, text } = await patchText(`{"fees": [["${KEY}", ${amount}]]}`);
    expect([status, JSON.parse(text).code]).toEqual([400, 'fees_invalid']);
  });
});
