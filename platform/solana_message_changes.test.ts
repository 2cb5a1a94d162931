import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransactionMessage,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  generateKeyPairSigner,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import {
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import { getTransferSolInstruction } from '@solana-program/system';
import { base58 } from '@scure/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { readMessage } from './solana_message.ts';
import { findMessageChanges } from './solana_message_changes.ts';

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;
const BLOCKHASH = base58.encode(new Uint8Array(32).fill(7)) as Blockhash;
const LATER_BLOCKHASH = base58.encode(new Uint8Array(32).fill(8)) as Blockhash;

let payer: KeyPairSigner;
let sender: KeyPairSigner;
let thief: KeyPairSigner;
let recipient: Address;
let bystander: Address;
beforeAll(async () => {
  [payer, sender, thief] = await Promise.all([
    generateKeyPairSigner(),
    generateKeyPairSigner(),
    generateKeyPairSigner(),
  ]);
  recipient = (await generateKeyPairSigner()).address;
  bystander = (await generateKeyPairSigner()).address;
});

interface Shape {
  feePayer?: Address;
  blockhash?: Blockhash;
  table?: Address;
}

/** Serializes a message of these instructions. */
function compile(instructions: Instruction[], { feePayer, blockhash = BLOCKHASH, table }: Shape = {}): Uint8Array {
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayer(feePayer ?? payer.address, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 1n }, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
    (draft) => table ? compressTransactionMessageUsingAddressLookupTables(draft, { [table]: [recipient] }) : draft,
  );
  return new Uint8Array(getCompiledTransactionMessageEncoder().encode(compileTransactionMessage(message)));
}

const compileLegacy = (instructions: Instruction[]): Uint8Array => {
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (draft) => setTransactionMessageFeePayer(payer.address, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: BLOCKHASH, lastValidBlockHeight: 1n }, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
  );
  return new Uint8Array(getCompiledTransactionMessageEncoder().encode(compileTransactionMessage(message)));
};

const transfer = (amount = 5n, destination = recipient, source = sender): Instruction =>
  getTransferSolInstruction({ source, destination, amount });
const price = (microLamports = 100n): Instruction => getSetComputeUnitPriceInstruction({ microLamports });
const limit = (units = 200_000): Instruction => getSetComputeUnitLimitInstruction({ units });
const memo = (text: string, ...accounts: Instruction['accounts'] & object): Instruction => ({
  programAddress: MEMO,
  accounts,
  data: new TextEncoder().encode(text),
});

const changes = (before: Uint8Array, after: Uint8Array, signer = payer.address) =>
  findMessageChanges(before, after, signer);
const paths = (before: Uint8Array, after: Uint8Array, signer = payer.address) =>
  changes(before, after, signer).map(({ path }) => path);

describe('a wallet may', () => {
  const original = () => compile([price(), limit(), transfer(), memo('x')]);

  it('leave a message as it is', () => {
    expect(changes(original(), original())).toEqual([]);
  });

  it.each<[string, () => Instruction[]]>([
    ['change the price', () => [price(5_000n), limit(), transfer(), memo('x')]],
    ['change the limit', () => [price(), limit(50_000), transfer(), memo('x')]],
    ['put them in another order', () => [limit(), price(), transfer(), memo('x')]],
    ['put them elsewhere', () => [transfer(), price(), memo('x'), limit()]],
    ['add one', () => [price(), limit(), transfer(), memo('x'), {
      programAddress: COMPUTE_BUDGET_PROGRAM_ADDRESS,
      data: new Uint8Array([4, 0, 0, 1, 0]),
    }]],
  ])('%s of the compute budget', (_says, instructions) => {
    expect(changes(original(), compile(instructions()))).toEqual([]);
  });

  it('add instructions of the compute budget where there were none', () => {
    const after = compile([price(), limit(), transfer(), memo('x')]);
    expect(changes(compile([transfer(), memo('x')]), after)).toEqual([]);
  });

  it('list the accounts in another order', () => {
    // Swaps two writable accounts that do not sign. kit always puts such accounts into the order of their keys.
    const before = compile([transfer(), transfer(5n, bystander)]);
    const decoded = getCompiledTransactionMessageDecoder().decode(before) as {
      staticAccounts: Address[];
      instructions: { accountIndices: number[] }[];
    };
    const [a, b] = [decoded.staticAccounts.indexOf(recipient), decoded.staticAccounts.indexOf(bystander)];
    const swap = (index: number) => index === a ? b : index === b ? a : index;
    const after = new Uint8Array(
      getCompiledTransactionMessageEncoder().encode({
        ...decoded,
        staticAccounts: decoded.staticAccounts.map((_, index) => decoded.staticAccounts[swap(index)]!),
        instructions: decoded.instructions.map((item) => ({ ...item, accountIndices: item.accountIndices.map(swap) })),
      } as never),
    );
    expect(after).not.toEqual(before);
    expect(changes(before, after)).toEqual([]);
  });
});

describe('a wallet may not', () => {
  const parts = () => [price(), limit(), transfer(), memo('x')];
  const original = () => compile(parts());

  it('change the amount', () => {
    expect(changes(original(), compile([price(), limit(), transfer(6n), memo('x')]))).toEqual([
      { path: 'instructions[2].data', message: 'was changed' },
    ]);
  });

  it('change the recipient', () => {
    const after = compile([price(), limit(), transfer(5n, thief.address), memo('x')]);
    expect(changes(original(), after)).toEqual([
      { path: expect.stringMatching(/^account_keys\[\d\]$/), message: `${recipient} is missing` },
      { path: expect.stringMatching(/^account_keys\[\d\]$/), message: `${thief.address} was added` },
      { path: 'instructions[2].accounts[1]', message: `was ${recipient}, is ${thief.address}` },
    ]);
  });

  it('replace an account of an instruction by another account of the same message', () => {
    const before = compile([transfer(5n), transfer(7n, bystander)]);
    const after = compile([transfer(5n, bystander), transfer(7n)]);
    expect(paths(before, after)).toEqual(['instructions[0].accounts[1]', 'instructions[1].accounts[1]']);
  });

  it('add an instruction', () => {
    const after = compile([...parts(), memo('y')]);
    expect(changes(original(), after)).toEqual([{
      path: 'instructions[4]',
      message: `an instruction of ${MEMO} was added`,
    }]);
  });

  it('add an instruction of another program', () => {
    const after = compile([price(), limit(), transfer(), { programAddress: thief.address }, memo('x')]);
    expect(paths(original(), after)).toEqual([expect.stringMatching(/^account_keys\[\d\]$/), 'instructions[3]']);
  });

  it('remove an instruction', () => {
    expect(paths(original(), compile([price(), limit(), memo('x')]))).toContain('instructions[2]');
    expect(changes(compile([memo('a'), memo('b'), memo('c')]), compile([memo('a'), memo('c')]))).toEqual([
      { path: 'instructions[1]', message: `the instruction of ${MEMO} is missing` },
    ]);
  });

  it('put instructions in another order', () => {
    expect(paths(compile([memo('a'), memo('b')]), compile([memo('b'), memo('a')]))).toEqual([
      'instructions[0].data',
      'instructions[1].data',
    ]);
    expect(paths(original(), compile([price(), limit(), memo('x'), transfer()]))).toEqual([
      'instructions[2].program',
      'instructions[3].program',
    ]);
  });

  it('remove an instruction of the compute budget', () => {
    expect(changes(original(), compile([price(), transfer(), memo('x')]))).toEqual([
      { path: 'instructions', message: 'an instruction of the compute budget is missing' },
    ]);
    const after = compile([transfer(), memo('x')]);
    expect(paths(original(), after)).toEqual([expect.stringMatching(/^account_keys/), 'instructions']);
  });

  it('change the fee payer', () => {
    const before = compile([transfer()]);
    const after = compile([transfer()], { feePayer: thief.address });
    expect(changes(before, after)).toEqual([
      { path: 'account_keys[0]', message: `was ${payer.address}, is ${thief.address}` },
    ]);
  });

  it('add a signer or remove one', () => {
    const withSigner = memo('x', { address: thief.address, role: AccountRole.READONLY_SIGNER });
    const without = memo('x', { address: thief.address, role: AccountRole.READONLY });
    // kit puts accounts of equal rights into the order of their keys, and the keys of this test are random.
    const anyPlace = expect.stringMatching(/^account_keys\[[12]\]$/);
    const [more, less] = [compile([withSigner]), compile([without])];
    expect(changes(less, more)).toEqual(expect.arrayContaining([
      { path: 'account_keys[1]', message: `${thief.address} was added` },
      { path: anyPlace, message: `${thief.address} was read-only, is read-only signer` },
    ]));
    expect(changes(more, less)).toEqual(expect.arrayContaining([
      { path: 'account_keys[1]', message: `was ${thief.address}, is missing` },
      { path: anyPlace, message: `${thief.address} was read-only signer, is read-only` },
    ]));
  });

  it.each([
    [AccountRole.READONLY, AccountRole.WRITABLE, 'was read-only, is writable'],
    [AccountRole.WRITABLE, AccountRole.READONLY, 'was writable, is read-only'],
    [AccountRole.READONLY_SIGNER, AccountRole.WRITABLE_SIGNER, 'was read-only signer, is writable signer'],
    [AccountRole.WRITABLE_SIGNER, AccountRole.READONLY_SIGNER, 'was writable signer, is read-only signer'],
  ])('change the rights of an account (%s to %s)', (from, to, message) => {
    const withRole = (role: AccountRole) => compile([memo('x', { address: bystander, role })]);
    expect(changes(withRole(from), withRole(to))).toEqual([
      // The program is another read-only account. kit puts the two accounts into the order of their keys, which are
      // random.
      { path: expect.stringMatching(/^account_keys\[[12]\]$/), message: `${bystander} ${message}` },
    ]);
  });

  it('add an account to an instruction or remove one', () => {
    const account = { address: bystander, role: AccountRole.READONLY } as const;
    const [one, two] = [compile([memo('x', account)]), compile([memo('x', account, account)])];
    expect(changes(one, two)).toEqual([{ path: 'instructions[0].accounts[1]', message: `${bystander} was added` }]);
    expect(changes(two, one)).toEqual([
      { path: 'instructions[0].accounts[1]', message: `was ${bystander}, is missing` },
    ]);
  });

  it('change the blockhash', () => {
    const after = compile(parts(), { blockhash: LATER_BLOCKHASH });
    expect(changes(original(), after)).toEqual([{ path: 'recent_blockhash', message: 'was changed' }]);
  });

  it('remove an account that only an instruction of the compute budget names', () => {
    // Such an account may be an action identity, by which the runner finds the transaction.
    const marked = { ...price(), accounts: [{ address: bystander, role: AccountRole.READONLY }] };
    const after = compile([price(5_000n), transfer()]);
    expect(changes(compile([marked, transfer()]), after)).toEqual([
      { path: expect.stringMatching(/^account_keys/), message: `${bystander} is missing` },
    ]);
    const kept = { ...price(5_000n), accounts: [{ address: bystander, role: AccountRole.READONLY }] };
    expect(changes(compile([marked, transfer()]), compile([kept, transfer()]))).toEqual([]);
  });

  it('add an account with an instruction of the compute budget', () => {
    const after = compile([
      { ...price(), accounts: [{ address: thief.address, role: AccountRole.WRITABLE }] },
      transfer(),
    ]);
    expect(changes(compile([price(), transfer()]), after)).toEqual([
      { path: expect.stringMatching(/^account_keys/), message: `${thief.address} was added` },
    ]);
  });

  it('add lookup tables or change them', () => {
    const after = compile(parts(), { table: bystander });
    expect(changes(original(), after)).toContainEqual({
      path: 'address_table_lookups[0]',
      message: `${bystander}[0] writable was added`,
    });
    expect(paths(after, original())).toContain('address_table_lookups[0]');
    // Existing lookup tables may stay.
    const cheaper = compile([price(1n), limit(), transfer(), memo('x')], { table: bystander });
    expect(changes(after, cheaper)).toEqual([]);
    const elsewhere = compile(parts(), { table: thief.address });
    expect(paths(after, elsewhere)).toEqual(['address_table_lookups[0]', 'instructions[2].accounts[1]']);
  });

  it('change anything as a signer who is not the fee payer', () => {
    const after = compile([price(5_000n), limit(), transfer(), memo('x')]);
    expect(changes(original(), after, sender.address)).toEqual([
      { path: 'new_msg', message: 'only the fee payer may change the message' },
    ]);
  });

  it('change a message that is not v0, or turn a v0 message into another version', () => {
    const [bytes, legacy] = [new Uint8Array(32).fill(1), compileLegacy(parts())];
    for (const before of [bytes, legacy]) {
      expect(changes(before, original())).toEqual([
        { path: 'message', message: 'must be a v0 message to be changed' },
      ]);
    }
    for (const after of [bytes, legacy, new Uint8Array()]) {
      expect(changes(original(), after)).toEqual([{ path: 'new_msg', message: 'must be a v0 message' }]);
    }
  });
});

describe('readMessage returns undefined for a message', () => {
  const decoded = () =>
    getCompiledTransactionMessageDecoder().decode(compile([transfer(), memo('x')])) as unknown as {
      header: { numSignerAccounts: number; numReadonlySignerAccounts: number; numReadonlyNonSignerAccounts: number };
      staticAccounts: Address[];
      instructions: { programAddressIndex: number; accountIndices: number[] }[];
    };
  const encode = (message: object) => new Uint8Array(getCompiledTransactionMessageEncoder().encode(message as never));

  it.each<[string, (message: ReturnType<typeof decoded>) => object]>([
    ['without signers', ({ header }) => ({ header: { ...header, numSignerAccounts: 0 } })],
    ['without a writable signer', ({ header }) => ({ header: { ...header, numReadonlySignerAccounts: 2 } })],
    ['with more roles than accounts', ({ header }) => ({ header: { ...header, numReadonlyNonSignerAccounts: 9 } })],
    ['with an account twice', ({ staticAccounts: [first, second, , ...rest] }) => ({
      staticAccounts: [first, second, second, ...rest],
    })],
    ['with an instruction of a missing program', ({ instructions: [first, second] }) => ({
      instructions: [{ ...first, programAddressIndex: 9 }, second],
    })],
    ['with the fee payer as a program', ({ instructions: [first, second] }) => ({
      instructions: [{ ...first, programAddressIndex: 0 }, second],
    })],
    ['with a missing account', ({ instructions: [first, second] }) => ({
      instructions: [{ ...first, accountIndices: [1, 9] }, second],
    })],
  ])('%s', (_says, change) => {
    const message = decoded();
    expect(readMessage(encode(message))).toBeDefined();
    expect(readMessage(encode({ ...message, ...change(message) }))).toBeUndefined();
  });

  it('that is cut off or followed by more bytes', () => {
    const bytes = compile([transfer()]);
    expect(readMessage(bytes)).toBeDefined();
    for (let length = 0; length < bytes.length; length++) expect(readMessage(bytes.slice(0, length))).toBeUndefined();
    expect(readMessage(new Uint8Array([...bytes, 0]))).toBeUndefined();
  });

  it('with a length encoded in too many bytes', () => {
    // Byte 4 is the count of accounts. Before it are the version and the three bytes of the header.
    const bytes = compile([transfer()]);
    const long = new Uint8Array([...bytes.slice(0, 4), bytes[4]! | 0x80, 0, ...bytes.slice(5)]);
    expect(readMessage(long)).toBeUndefined();
  });
});
