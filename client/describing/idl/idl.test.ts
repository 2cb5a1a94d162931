import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { idlText } from '../../../tests/support/idls/read_idl.ts';
import type { DefinitionToStore } from '../../flow_client.ts';
import { describeIdl } from './index.ts';

const byId = async (name: string): Promise<Map<string, DefinitionToStore>> => {
  const { definitions } = await describeIdl(idlText(name));
  return new Map(definitions.map((definition) => [definition.data.node_id, definition]));
};

const portsOf = ({ targets, sources }: DefinitionToStore) => [
  targets.map(({ name, type_bounds, required }) => `${name}${required === true ? '' : '?'}: ${type_bounds.join('|')}`),
  sources.map(({ name, type, optional }) => `${name}${optional === true ? '?' : ''}: ${type}`),
];

it('an IDL of Anchor since 0.30 gives instructions and accounts, and says what it refuses', async () => {
  const { definitions, refused } = await describeIdl(idlText('vault_anchor'));
  expect(definitions.map(({ data }) => [data.node_id, data.version, data.effects, data.tags])).toEqual([
    ['vault_open_vault', '0.2.0', 'once', ['vault', 'solana']],
    ['vault_set_rules', '0.2.0', 'once', ['vault', 'solana']],
    ['vault_vault_account', '0.2.0', 'none', ['vault', 'solana']],
  ]);
  expect(refused).toEqual([
    { place: 'instruction grow', reason: 'the type tree contains itself' },
    { place: 'instruction mystery', reason: 'it has an unknown part: "u256"' },
  ]);
});

it('an instruction has typed inputs, and outputs for the signature and the accounts', async () => {
  const made = await byId('vault_anchor');
  expect(portsOf(made.get('vault_open_vault')!)).toEqual([
    [
      'fee_payer: keypair',
      'owner: keypair',
      'vault?: pubkey',
      'referrer?: pubkey',
      'system_program?: pubkey',
      'label: string',
      'number: u64',
      'rules: object',
      'note?: string',
      'remaining_accounts?: array',
      'submit?: bool',
    ],
    ['signature: signature', 'owner: pubkey', 'vault: pubkey', 'referrer?: pubkey', 'system_program: pubkey'],
  ]);
  // The fields of the only argument are inputs, and a name that each instruction has gets its place.
  expect(portsOf(made.get('vault_set_rules')!)[0]).toEqual([
    'fee_payer: keypair',
    'owner: keypair',
    'fee_payer_account: pubkey',
    'mode: string',
    'limit: free',
    'shares: array',
    'is_open: bool',
    'rate: f64',
    'remaining_accounts?: array',
    'submit?: bool',
  ]);
  expect(portsOf(made.get('vault_vault_account')!)).toEqual([['address: pubkey'], [
    'data: object',
    'lamports: u64',
    'owner: pubkey',
    'amount: u64',
    'total: u128',
    'rules: object',
    'history: array',
    'hash: bytes',
    'label: string',
    'delegate: pubkey',
  ]]);
});

it('an implementation has the types that it needs, the discriminator, known addresses and the names of errors', async () => {
  const { data } = (await byId('vault_anchor')).get('vault_open_vault')!;
  expect(data.implementation).toMatchObject({
    kind: 'instruction',
    program: { name: 'vault', address: '7ETEzMGTJ51jLc83g1GoHqUtF6oVm7aeNosJbNmg2ZPt' },
    accounts: [
      { port: 'owner', signer: true, writable: true },
      {
        port: 'vault',
        default: {
          seeds: [
            { bytes: 'dmF1bHQ=' },
            { account: 'owner' },
            // Anchor takes the characters of a text as a seed, without their number.
            { argument: 'label', type: { kind: 'stringTypeNode', encoding: 'utf8' } },
            { argument: 'number', type: { kind: 'numberTypeNode', format: 'u64' } },
          ],
        },
      },
      { port: 'referrer', absent: 'program' },
      { port: 'system_program', default: { address: '11111111111111111111111111111111' } },
    ],
    arguments: [{ bytes: 'AQIDBAUGBwg=' }, { port: 'label' }, { port: 'number' }, { port: 'rules' }, { port: 'note' }],
    types: [{ name: 'limit' }, { name: 'mode' }, { name: 'rules' }, { name: 'share' }],
    errors: [{ code: 6000, name: 'VaultFull', message: 'The vault is full' }],
  });
});

it('an IDL of Anchor before 0.30 gives the same kinds of nodes', async () => {
  const made = await byId('shop_older_anchor');
  expect([...made.keys()]).toEqual(['shop_buy_item', 'shop_shelf_account']);
  expect(portsOf(made.get('shop_buy_item')!)).toEqual([
    [
      'fee_payer: keypair',
      'buyer: keypair',
      'shelf: pubkey',
      'coupon?: pubkey',
      'system_program?: pubkey',
      'amount: u16',
      'sizes: array',
      'color: string',
      'remaining_accounts?: array',
      'submit?: bool',
    ],
    ['signature: signature', 'buyer: pubkey', 'shelf: pubkey', 'coupon?: pubkey', 'system_program: pubkey'],
  ]);
  expect(made.get('shop_shelf_account')!.data.implementation).toMatchObject({
    marks: [{
      offset: 0,
      bytes: createHash('sha256').update('account:Shelf').digest().subarray(0, 8).toString('base64'),
    }],
    outputs: [{ port: 'item_count', name: 'item_count' }, { port: 'owner', name: 'owner' }],
  });
});

it('an IDL of Codama gives nodes, with derived addresses of other programs', async () => {
  const { definitions, refused } = await describeIdl(idlText('token_codama'), { prefix: 'spl_', only: undefined });
  expect(refused).toEqual([{
    place: 'instruction createAssociatedToken',
    reason: 'types of the kind preOffsetTypeNode are not supported',
  }]);
  expect(definitions.map(({ data }) => data.node_id)).toEqual([
    'spl_token_initialize_mint2',
    'spl_token_mint_to',
    'spl_token_mint_account',
  ]);
  expect(portsOf(definitions[1]!)[0]).toEqual([
    'fee_payer: keypair',
    'mint: pubkey',
    'token?: pubkey',
    'mint_authority: keypair|pubkey',
    'amount: u64',
    'remaining_accounts?: array',
    'submit?: bool',
  ]);
  expect(definitions[1]!.data.implementation).toMatchObject({
    accounts: [{}, {
      default: {
        of: { address: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' },
        seeds: [{ account: 'mint_authority' }, { program: true }, { account: 'mint' }],
      },
    }, { signer: 'either' }],
  });
});

it('only the named parts are described, by the name or the place', async () => {
  const only = ['set_rules', 'account Vault', 'set_rule'];
  const { definitions, refused } = await describeIdl(idlText('vault_anchor'), { only });
  expect(definitions.map(({ data }) => data.node_id)).toEqual(['vault_set_rules', 'vault_vault_account']);
  expect(refused).toEqual([{ place: 'set_rule', reason: 'the description has no such operation' }]);
});

describe('a hostile IDL', () => {
  const anchor = (more: object) => ({
    address: '7ETEzMGTJ51jLc83g1GoHqUtF6oVm7aeNosJbNmg2ZPt',
    metadata: { name: 'evil', version: '1', spec: '0.1.0' },
    instructions: [{
      name: 'go',
      discriminator: [1],
      accounts: [],
      args: [{ name: 'a', type: { defined: { name: 'T0' } } }],
    }],
    ...more,
  });
  const nested = (levels: number) => {
    let type: unknown = 'u8';
    for (let level = 0; level < levels; level++) type = { option: type };
    return type;
  };
  const chain = (length: number, make: (next: unknown) => unknown[]) =>
    Array.from({ length }, (_, index) => ({
      name: `T${index}`,
      type: {
        kind: 'struct',
        fields: make(index + 1 < length ? { defined: { name: `T${index + 1}` } } : 'u8').map((type, field) => ({
          name: `f${field}`,
          type,
        })),
      },
    }));
  const doublingGenerics = Array.from({ length: 40 }, (_, index) => ({
    name: `T${index}`,
    generics: [{ kind: 'type', name: 'X' }],
    type: {
      kind: 'struct',
      fields: ['a', 'b'].map((name) => ({
        name,
        type: index === 39 ? { generic: 'X' } : {
          defined: { name: `T${index + 1}`, generics: [{ kind: 'type', type: { generic: 'X' } }] },
        },
      })),
    },
  }));
  const genericStart = {
    instructions: [{
      name: 'go',
      discriminator: [1],
      accounts: [],
      args: [{ name: 'a', type: { defined: { name: 'T0', generics: [{ kind: 'type', type: 'u8' }] } } }],
    }],
  };
  const fields = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `f${index}`, type: 'u8' }));

  it.each<[string, unknown, RegExp]>([
    [
      'types that contain each other',
      anchor({
        types: [...chain(3, (next) => [next]).slice(0, 2), {
          name: 'T2',
          type: { kind: 'struct', fields: [{ name: 'x', type: { vec: { defined: { name: 'T0' } } } }] },
        }],
      }),
      /contains itself/,
    ],
    ['types that double', anchor({ types: chain(40, (next) => [next, next]) }), /too many parts|too deeply/],
    ['a chain of 20,000 types', anchor({ types: chain(20_000, (next) => [next]) }), /too deeply/],
    ['generic types that double', anchor({ ...genericStart, types: doublingGenerics }), /generic types are too large/],
    [
      'a type of 60 levels',
      anchor({ types: [{ name: 'T0', type: { kind: 'alias', value: nested(60) } }] }),
      /too deeply/,
    ],
    ['a document of 100,000 levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, /nested too deeply/],
    [
      'a million fields',
      anchor({ types: [{ name: 'T0', type: { kind: 'struct', fields: fields(1_000_000) } }] }),
      /more than 400000 values/,
    ],
    [
      '100,000 fields',
      anchor({ types: [{ name: 'T0', type: { kind: 'struct', fields: fields(100_000) } }] }),
      /too many parts/,
    ],
    ['20 MB', ' '.repeat(20_000_000), /larger than 16 MiB/],
    [
      'a list of items without bytes',
      anchor({ types: [{ name: 'T0', type: { kind: 'alias', value: { vec: { array: ['u8', 0] } } } }] }),
      /may have no bytes/,
    ],
    [
      'an array of 4 GB',
      anchor({ types: [{ name: 'T0', type: { kind: 'alias', value: { array: ['u8', 4_000_000_000] } } }] }),
      /more bytes than an account/,
    ],
    [
      'a name of control characters',
      anchor({ types: [{ name: 'T0', type: { kind: 'struct', fields: [{ name: '\u0000\u0007', type: 'u8' }] } }] }),
      /no name of letters/,
    ],
    ['no instructions', {}, /no IDL/],
    ['a text', 'hello', /no IDL/],
    ['parts of wrong types', { ...anchor({}), instructions: [{ name: 'go' }, 7, null] }, /malformed|no name/],
    [
      'an older IDL with parts of wrong types',
      { name: 'x', instructions: [{ name: 'go', args: 7, accounts: {} }] },
      /malformed/,
    ],
  ])('is refused: %s', async (_name, idl, reason) => {
    const begin = performance.now();
    const { definitions, refused } = await describeIdl(idl);
    expect(definitions).toEqual([]);
    expect(refused.map((one) => one.reason).join()).toMatch(reason);
    expect(performance.now() - begin).toBeLessThan(20_000);
  });

  it('can not name a member of the prototype, and a seed can not take quadratic time', async () => {
    const text = JSON.stringify(anchor({
      types: [{ name: 'T0', type: { kind: 'struct', fields: [{ name: '__proto__', type: 'u8' }] } }],
    }));
    const { definitions } = await describeIdl(text);
    expect(definitions.map((definition) => definition.targets.map(({ name }) => name))).toEqual([
      ['fee_payer', 'proto', 'remaining_accounts', 'submit'],
    ]);
    const named = await describeIdl(anchor({
      instructions: [{ name: 'go', discriminator: [1], args: [], accounts: [{ name: 'constructor' }] }],
    }));
    expect(named.refused).toEqual([]);
    expect(named.definitions[0]!.targets[1]).toMatchObject({ name: 'constructor', required: true });
    const seed = { kind: 'const', value: Array.from({ length: 100_000 }, () => 1) };
    const { refused } = await describeIdl(anchor({
      instructions: [{ name: 'go', discriminator: [1], args: [], accounts: [{ name: 'x', pda: { seeds: [seed] } }] }],
    }));
    expect(refused).toEqual([{ place: 'instruction go', reason: 'a seed has more than 32 bytes' }]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
