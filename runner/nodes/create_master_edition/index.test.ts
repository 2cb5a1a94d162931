import { AccountRole } from '@solana/kit';
import { expect, it } from 'vitest';
import { missing, signerKeys } from '../../../tests/support/instruction_node.ts';
import { makeNodeCall } from '../../../tests/support/node_call.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { createMasterEditionNode } from './index.ts';

const MINT = '2wmVCSfPxGPjrnMMn7rchp4uaeoTqN39mXFC2zhPdri9';
const AUTHORITY = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const PAYER = '7UX2i7SucgLMQcfZ75s3VXmZZY4YRUyJN9X1RgfMoDUi';
const METADATA = '4mx6Nd75M7D3x3Yt7QBTbuHTdpgA6oV6fR3jNfbkdVdK';

const wallet = (key: string) => ({ M: { public_key: { B3: key } } });
const EDITION = '6Y4Hjg4CtVGXqSkaWjw8bK3RujXHhJgFrNZT7KxMjrsi';

const build = (inputs: ValueMap = {}) =>
  createMasterEditionNode.buildInstructions(makeNodeCall(createMasterEditionNode, {
    inputs: {
      fee_payer: wallet(PAYER),
      mint_account: { B3: MINT },
      mint_authority: wallet(AUTHORITY),
      update_authority: wallet(AUTHORITY),
      ...inputs,
    },
  }));

const hex = (data: Iterable<number> | undefined) => Buffer.from([...data ?? []]).toString('hex');

// The expected bytes and accounts are those that @metaplex-foundation/mpl-token-metadata 3.4.0 makes.
it('create_master_edition makes the instruction of the published client', async () => {
  const built = await build({ max_supply: { U: '7' } });
  const [instruction] = built.instructions.instructions;
  expect(instruction?.programAddress).toBe('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
  expect(instruction?.accounts).toEqual([
    { address: EDITION, role: AccountRole.WRITABLE },
    { address: MINT, role: AccountRole.WRITABLE },
    { address: AUTHORITY, role: AccountRole.READONLY_SIGNER },
    { address: AUTHORITY, role: AccountRole.READONLY_SIGNER },
    { address: PAYER, role: AccountRole.WRITABLE_SIGNER },
    { address: METADATA, role: AccountRole.WRITABLE },
    { address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', role: AccountRole.READONLY },
    { address: '1'.repeat(32), role: AccountRole.READONLY },
  ]);
  expect(hex(instruction?.data)).toBe('11010700000000000000');
  expect(signerKeys(built).toSorted()).toEqual([PAYER, AUTHORITY].toSorted());
  expect(built.outputs).toEqual({ metadata_account: { B3: METADATA }, master_edition_account: { B3: EDITION } });
});

it.each<ValueMap>([{}, { max_supply: { N: 0 } }])(
  'create_master_edition sets no limit of copies by %j',
  async (inputs) => {
    expect(hex((await build(inputs)).instructions.instructions[0]?.data)).toBe('1100');
  },
);

it.each<[string, ValueMap]>([
  ...missing('fee_payer', 'mint_account', 'mint_authority', 'update_authority'),
  ['max_supply: invalid value: integer `-1`, expected u64', { max_supply: { I: '-1' } }],
])('create_master_edition refuses wrong inputs with "%s"', async (message, inputs) => {
  await expect(build(inputs)).rejects.toThrow(message);
});
