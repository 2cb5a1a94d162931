import {
  AccountRole,
  address,
  generateKeyPairSigner,
  getProgramDerivedAddress,
  type Instruction,
  lamports,
} from '@solana/kit';
import { LosslessNumber } from 'lossless-json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frozenNode } from '../../../tests/support/idls/read_idl.ts';
import { build, walletOf } from '../../../tests/support/instruction_node.ts';
import { makeNodeCall, runNode } from '../../../tests/support/node_call.ts';
import { startTestChain, type TestChain } from '../../../tests/support/solana.ts';
import type { FrozenDefinition } from '../../../types/flow.ts';
import type { LosslessJson, Value, ValueMap } from '../../../types/values/value.ts';
import type { NodeCall, NodeModule } from '../../engine/node.ts';
import type { InstructionModule } from '../../solana/building/instruction_module.ts';
import { makeModule } from './index.ts';

const PROGRAM = '7ETEzMGTJ51jLc83g1GoHqUtF6oVm7aeNosJbNmg2ZPt';
const OTHER = '78oNCNqC5C3kACQyh2xYJZNR5eD3BFq1UzwU5AcBGR6w';
const SYSTEM = '1'.repeat(32);
const OWNER = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const instructionOf = async (idl: string, nodeId: string): Promise<InstructionModule> =>
  makeModule(await frozenNode(idl, nodeId)) as InstructionModule;

/** Builds the instruction of a node, and returns it with the outputs. */
async function built(idl: string, nodeId: string, inputs: ValueMap, given: Partial<NodeCall> = {}) {
  const { instructions, outputs } = await build(await instructionOf(idl, nodeId), chain, inputs, given);
  const [{ programAddress, accounts = [], data = new Uint8Array() }] = instructions.instructions as [Instruction];
  return {
    outputs,
    programAddress,
    data: [...data],
    accounts: accounts.map(({ address, role }) => [address, AccountRole[role]]),
    signers: instructions.signers.map(({ publicKey }) => publicKey),
  };
}

const RULES: Value = {
  M: {
    mode: { S: 'very_fast' },
    limit: { M: { window: { A: [{ I: '-1' }, { U: '2' }] } } },
    shares: { A: [{ M: { holder: { B3: SYSTEM }, percent: { U: '7' } } }] },
    is_open: { B: true },
    rate: { D: '0.5' },
  },
};
const OPEN = {
  fee_payer: walletOf({ address: OWNER }),
  owner: walletOf({ address: OWNER }),
  label: { S: 'abc' },
  number: { U: '258' },
  rules: RULES,
};
const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
/** The bytes of RULES by the rules of Borsh. */
const RULE_BYTES = [
  [1],
  [2, ...Array.from({ length: 8 }, () => 255), 2, ...zeros(7)],
  [1, 0, 0, 0, ...zeros(32), 7],
  [1],
  [0, 0, 0, 0, 0, 0, 0xe0, 0x3f],
].flat();

describe('an instruction', () => {
  it('has the discriminator, the arguments in order, the roles of accounts, and known and derived addresses', async () => {
    const [vault] = await getProgramDerivedAddress({
      programAddress: address(PROGRAM),
      seeds: ['vault', new Uint8Array(walletBytes(OWNER)), 'abc', new Uint8Array([2, 1, 0, 0, 0, 0, 0, 0])],
    });
    expect(await built('vault_anchor', 'vault_open_vault', OPEN)).toEqual({
      programAddress: PROGRAM,
      data: [1, 2, 3, 4, 5, 6, 7, 8, 3, 0, 0, 0, 97, 98, 99, 2, 1, ...zeros(6), ...RULE_BYTES, 0],
      accounts: [
        [OWNER, 'WRITABLE_SIGNER'],
        [vault, 'WRITABLE'],
        // An account that is left out.
        [PROGRAM, 'READONLY'],
        [SYSTEM, 'READONLY'],
      ],
      signers: [OWNER],
      outputs: { owner: { B3: OWNER }, vault: { B3: vault }, system_program: { B3: SYSTEM } },
    });
  });

  it('takes given accounts instead of known ones, and another program from the form data only', async () => {
    const inputs = { ...OPEN, vault: { B3: OTHER }, referrer: { S: OTHER }, note: { S: 'é' }, program: { B3: OTHER } };
    const made = await built('vault_anchor', 'vault_open_vault', inputs);
    expect([made.programAddress, made.accounts[1], made.accounts[2], made.data.slice(-7)]).toEqual([
      PROGRAM,
      [OTHER, 'WRITABLE'],
      [OTHER, 'READONLY'],
      [1, 2, 0, 0, 0, 0xc3, 0xa9],
    ]);
    const moved = await built('vault_anchor', 'vault_open_vault', OPEN, { formData: { program: OTHER } });
    expect([moved.programAddress, moved.accounts[2]]).toEqual([OTHER, [OTHER, 'READONLY']]);
  });

  it('takes more accounts as public keys, wallets, or objects with their roles', async () => {
    const remaining_accounts: Value = {
      A: [
        { B3: OTHER },
        walletOf({ address: OTHER }),
        { M: { account: { B3: OWNER }, writable: { B: true } } },
        { M: { account: walletOf({ address: PROGRAM }), writable: { B: true } } },
      ],
    };
    const made = await built('vault_anchor', 'vault_open_vault', { ...OPEN, remaining_accounts });
    expect(made.accounts.slice(4)).toEqual([
      [OTHER, 'READONLY'],
      [OTHER, 'READONLY_SIGNER'],
      [OWNER, 'WRITABLE'],
      [PROGRAM, 'WRITABLE_SIGNER'],
    ]);
    expect(made.signers).toEqual([OWNER, OTHER, PROGRAM]);
  });

  it('of an older IDL has the discriminator of its name', async () => {
    const made = await built('shop_older_anchor', 'shop_buy_item', {
      fee_payer: walletOf({ address: OWNER }),
      buyer: walletOf({ address: OWNER }),
      shelf: { B3: OTHER },
      amount: { U: '513' },
      sizes: { A: [{ U: '1' }, { U: '2' }] },
      color: { S: 'blue' },
    });
    const name = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('global:buy_item'));
    expect(made.data).toEqual([...new Uint8Array(name, 0, 8), 1, 2, 1, 0, 0, 0, 2, 0, 0, 0, 1]);
  });

  it('signs with an account that may sign if it gets a wallet', async () => {
    const inputs = {
      fee_payer: walletOf({ address: OWNER }),
      mint: { B3: OTHER },
      token: { B3: OTHER },
      amount: { U: '1' },
    };
    const asKey = await built('token_codama', 'token_mint_to', { ...inputs, mint_authority: { B3: PROGRAM } });
    const asWallet = await built('token_codama', 'token_mint_to', {
      ...inputs,
      mint_authority: walletOf({ address: PROGRAM }),
    });
    expect([asKey.accounts[2], asKey.signers]).toEqual([[PROGRAM, 'READONLY'], []]);
    expect([asWallet.accounts[2], asWallet.signers]).toEqual([[PROGRAM, 'READONLY_SIGNER'], [PROGRAM]]);
  });

  it.each<[string, ValueMap]>([
    ['missing field `label`', { label: undefined! }],
    ['number: invalid value: integer `-1`, expected u64', { number: { I: '-1' } }],
    ['owner: data did not match any variant of untagged enum Wallet', { owner: { B3: OWNER } }],
    ['rules: mode: must be one of slow, very_fast', { rules: { M: { ...RULES.M, mode: { S: 'secret' } } } }],
    ['rules: limit: must be an object with the member daily', { rules: { M: { ...RULES.M, limit: { S: 'daily' } } } }],
    ['rules: limit: window: must have 2 elements, not 1', {
      rules: { M: { ...RULES.M, limit: { M: { window: { A: [{ U: '1' }] } } } } },
    }],
    ['rules: shares: [0]: percent: invalid value: integer `256`, expected u8', {
      rules: { M: { ...RULES.M, shares: { A: [{ M: { holder: { B3: SYSTEM }, percent: { U: '256' } } }] } } },
    }],
    ['rules: has a member that is none of mode, limit, shares, is_open, rate', {
      rules: { M: { ...RULES.M, modus: { S: 'x' } } },
    }],
    ['remaining_accounts: invalid type: unit value', { remaining_accounts: { A: [{ M: { account: { N: 0 } } }] } }],
  ])('refuses inputs with "%s"', async (message, inputs) => {
    await expect(built('vault_anchor', 'vault_open_vault', { ...OPEN, ...inputs })).rejects.toThrow(message);
  });

  it('fails if no one says its program, and if defaults need each other', async () => {
    const definition = await frozenNode('vault_anchor', 'vault_open_vault');
    const changed = (change: (implementation: { program: object; accounts: { default?: object }[] }) => void) => {
      const copy = structuredClone(definition);
      change(copy.data.implementation as unknown as Parameters<typeof change>[0]);
      return makeModule(copy) as InstructionModule;
    };
    const nowhere = changed((implementation) => implementation.program = { name: 'vault' });
    await expect(build(nowhere, chain, OPEN)).rejects.toThrow('the form data must name the program');
    const circle = changed(({ accounts }) => {
      accounts[1]!.default = { of: { account: 'system_program' }, seeds: [{ account: 'system_program' }] };
      accounts[3]!.default = { of: { program: true }, seeds: [{ account: 'vault' }] };
    });
    await expect(build(circle, chain, OPEN)).rejects.toThrow('vault: its default needs itself; give the account');
  });

  it('adds the names of its program’s errors to the message of a failed transaction', async () => {
    const { nameError } = await instructionOf('vault_anchor', 'vault_open_vault');
    const name = (message: string) => nameError!(message, {});
    expect(name('failed: {"InstructionError":[1,{"Custom":6000}]}')).toBe(
      'VaultFull: The vault is full\nfailed: {"InstructionError":[1,{"Custom":6000}]}',
    );
    expect(name(`simulation failed\n4: Program ${PROGRAM} failed: custom program error: 0x1770`)).toMatch(
      /^VaultFull: /,
    );
    for (
      const other of [
        `4: Program ${OTHER} failed: custom program error: 0x1770\n5: Program ${PROGRAM} failed: custom program error: 0x1770`,
        'failed: {"InstructionError":[1,{"Custom":6001}]}',
        'transaction simulation failed',
      ]
    ) expect(name(other)).toBe(other);
  });
});

describe('a type of accounts', () => {
  const write = (address: string, data: number[], owner = PROGRAM) =>
    chain.ledger.write({
      address: address as never,
      data: new Uint8Array(data),
      executable: false,
      lamports: lamports(7n),
      programAddress: owner as never,
      space: BigInt(data.length),
    });
  const BYTES = [
    [211, 8, 232, 43, 2, 152, 117, 119],
    zeros(32),
    [255, 255, 255, 255, 255, 255, 255, 255],
    [...zeros(8), 1, ...zeros(7)],
    RULE_BYTES,
    [1, 0, 0, 0, 254, 255, 255, 255, 255, 255, 255, 255],
    [1, 2, 3, 4],
    [2, 0, 0, 0, 104, 105],
    [0],
  ].flat();
  let at: string;
  const read = async (given: Partial<NodeCall> = {}) =>
    await runNode(makeModule(await frozenNode('vault_anchor', 'vault_vault_account')) as NodeModule, {
      address: { B3: at },
    }, { ...chain.nodeCall(), ...given });
  beforeAll(async () => {
    at = (await generateKeyPairSigner()).address;
  });

  it('is read and decoded, with all digits and the fields as outputs', async () => {
    // Accounts may have more bytes than their fields need.
    write(at, [...BYTES, ...zeros(10)]);
    const fields = {
      owner: { B3: SYSTEM },
      amount: { U: '18446744073709551615' },
      total: { U1: '18446744073709551616' },
      rules: { M: { ...RULES.M, limit: { M: { window: { A: [{ I: '-1' }, { U: '2' }] } } }, rate: { F: '0.5' } } },
      history: { A: [{ I: '-2' }] },
      hash: { BY: 'AQIDBA==' },
      label: { S: 'hi' },
      delegate: { N: 0 },
    };
    const { data, ...outputs } = await read();
    expect(outputs).toEqual({ lamports: { U: '7' }, ...fields });
    expect(data).toMatchObject({ M: fields });
  });

  it('is refused if it does not exist, is another one, belongs to another program or is cut off', async () => {
    const { address } = await generateKeyPairSigner();
    at = address;
    await expect(read()).rejects.toThrow(`there is no account ${address}`);
    write(at, BYTES, OTHER);
    await expect(read()).rejects.toThrow(`the account belongs to the program ${OTHER}, not to ${PROGRAM}`);
    await expect(read({ formData: { program: OTHER } })).resolves.toMatchObject({ label: { S: 'hi' } });
    write(at, [0, ...BYTES.slice(1)]);
    await expect(read()).rejects.toThrow('the account is no vault of the program');
    write(at, BYTES.slice(0, -5));
    await expect(read()).rejects.toThrow('the account does not have the form of vault');
    write(at, [...BYTES, ...zeros(5_000)]);
    await expect(read({ maxOutputBytes: 5_000 })).rejects.toThrow('the account does not fit into an output');
  });

  it('of many small items is refused before it is read', async () => {
    const definition: FrozenDefinition = structuredClone(await frozenNode('vault_anchor', 'vault_vault_account'));
    const size = { kind: 'numberTypeNode', format: 'u8', endian: 'le' };
    const item = { kind: 'optionTypeNode', item: size, prefix: size, fixed: false };
    const list = { kind: 'arrayTypeNode', item, count: { kind: 'remainderCountNode' } };
    const field = { kind: 'structFieldTypeNode', name: 'list', type: list };
    const data = { kind: 'structTypeNode', fields: [field] };
    Object.assign(definition.data.implementation as object, { data, marks: [], outputs: [], size: undefined });
    const readItems = async (count: number) => {
      write(at, zeros(count));
      return await runNode(makeModule(definition) as NodeModule, { address: { B3: at } }, chain.nodeCall());
    };
    expect((await readItems(3)).data).toEqual({ M: { list: { A: [{ N: 0 }, { N: 0 }, { N: 0 }] } } });
    await expect(readItems(131_073)).rejects.toThrow('the account does not fit into an output');
  });
});

describe('a stored definition', () => {
  const failure = async (change: (implementation: { [name: string]: LosslessJson }) => void): Promise<string> => {
    const definition: FrozenDefinition = structuredClone(await frozenNode('vault_anchor', 'vault_open_vault'));
    change(definition.data.implementation as { [name: string]: LosslessJson });
    const module = makeModule(definition);
    if (!('run' in module)) return 'valid';
    return await Promise.resolve().then(() => module.run(makeNodeCall(module))).then(() => 'ran', String);
  };
  const link = (name: string) => ({ kind: 'definedTypeLinkNode', name });
  const twice = (name: string) => ({ kind: 'tupleTypeNode', items: [link(name), link(name)] });

  it.each<[string, (implementation: { [name: string]: LosslessJson }) => void]>([
    ['kind', (implementation) => implementation.kind = 'program'],
    ['accounts', (implementation) => implementation.accounts = 7 as never],
    ['there is no type rules', (implementation) => implementation.types = []],
    ['contains itself', (implementation) =>
      implementation.types = [
        ...implementation.types as object[] as never[],
        { name: 'rules', type: { kind: 'tupleTypeNode', items: [link('rules')] } },
      ]],
    ['has too many parts', (implementation) =>
      implementation.types = Array.from({ length: 30 }, (_, index) => ({
        name: index === 0 ? 'rules' : `t${index}`,
        type: index === 29 ? { kind: 'publicKeyTypeNode' } : twice(`t${index + 1}`),
      })) as never],
    ['types of the definition have too many parts', (implementation) => {
      implementation.types = Array.from({ length: 12 }, (_, index) => ({
        name: index === 0 ? 'rules' : `t${index}`,
        type: index === 11 ? { kind: 'publicKeyTypeNode' } : twice(`t${index + 1}`),
      })) as never;
      implementation.arguments = Array.from({ length: 3 }, (_, index) => ({
        port: `p${index}`,
        type: link('t1'),
      })) as never;
    }],
    ['may have no bytes', (implementation) =>
      implementation.types = [{
        name: 'rules',
        type: {
          kind: 'arrayTypeNode',
          item: { kind: 'structTypeNode', fields: [] },
          count: { kind: 'fixedCountNode', value: new LosslessNumber('10000000') },
        },
      }]],
  ])('that is invalid fails with its fault: %s', async (fault, change) => {
    expect(await failure(change)).toMatch(new RegExp(`definition_invalid.*${fault}`, 's'));
  });
});

/** The 32 bytes of a public key. */
function walletBytes(key: string): Iterable<number> {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let number = 0n;
  for (const character of key) number = number * 58n + BigInt(alphabet.indexOf(character));
  return Array.from({ length: 32 }, (_, at) => Number(number >> BigInt((31 - at) * 8) & 255n));
}
