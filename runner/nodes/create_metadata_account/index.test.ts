import { AccountRole } from '@solana/kit';
import { expect, it } from 'vitest';
import { missing, signerKeys } from '../../../tests/support/instruction_node.ts';
import { makeNodeCall } from '../../../tests/support/node_call.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { createMetadataAccountNode } from './index.ts';

const MINT = '2wmVCSfPxGPjrnMMn7rchp4uaeoTqN39mXFC2zhPdri9';
const AUTHORITY = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const PAYER = '7UX2i7SucgLMQcfZ75s3VXmZZY4YRUyJN9X1RgfMoDUi';
const METADATA = '4mx6Nd75M7D3x3Yt7QBTbuHTdpgA6oV6fR3jNfbkdVdK';

const wallet = (key: string) => ({ M: { public_key: { B3: key } } });

const build = (inputs: ValueMap = {}) =>
  createMetadataAccountNode.buildInstructions(makeNodeCall(createMetadataAccountNode, {
    inputs: {
      fee_payer: wallet(PAYER),
      mint_account: { B3: MINT },
      mint_authority: wallet(AUTHORITY),
      update_authority: wallet(AUTHORITY),
      metadata: { M: { name: { S: 'n' }, description: { S: 'ignored' } } },
      metadata_uri: { S: '' },
      is_mutable: { B: false },
      ...inputs,
    },
  }));

const creator = (key: string, share: string, verified?: boolean): Value => ({
  M: { address: { S: key }, share: { U: share }, ...(verified !== undefined && { verified: { B: verified } }) },
});

const hex = (data: Iterable<number> | undefined) => Buffer.from([...data ?? []]).toString('hex');

// The expected bytes and accounts are those that @metaplex-foundation/mpl-token-metadata 3.4.0 makes.
it('create_metadata_account makes the instruction of the published client', async () => {
  const built = await build({
    metadata: { M: { name: { S: 'Café #1' }, symbol: { S: 'CAFE' }, seller_fee_basis_points: { U: '550' } } },
    metadata_uri: { S: 'https://example.com/1.json' },
    is_mutable: { B: true },
    creators: { A: [creator(AUTHORITY, '60', true), creator(PAYER, '40')] },
    collection_mint_account: { B3: MINT },
    uses: { M: { use_method: { S: 'Multiple' }, remaining: { U: '3' }, total: { U: '5' } } },
  });
  const [instruction] = built.instructions.instructions;
  expect(instruction?.programAddress).toBe('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
  expect(instruction?.accounts).toEqual([
    { address: METADATA, role: AccountRole.WRITABLE },
    { address: MINT, role: AccountRole.READONLY },
    { address: AUTHORITY, role: AccountRole.READONLY_SIGNER },
    { address: PAYER, role: AccountRole.WRITABLE_SIGNER },
    { address: AUTHORITY, role: AccountRole.READONLY_SIGNER },
    { address: '1'.repeat(32), role: AccountRole.READONLY },
  ]);
  expect(hex(instruction?.data)).toBe(
    '2108000000436166c3a920233104000000434146451a00000068747470733a2f2f6578616d706c652e636f6d2f312e6a736f6e260201020000007e8c088760bfde1dddcf32c17f209b8242ee52aaf131facd88d0ea2c6d0b06f2013c6032c200c7af5a275a6f4a4c2f940fb4c4e325294053c45cfce899ac869365e7002801001ce359ed5a012e04fa142b9c751a1c5e87cfd0a0161b9c85ffd31b78cdfcd8f60101030000000000000005000000000000000100',
  );
  expect(signerKeys(built).toSorted()).toEqual([PAYER, AUTHORITY].toSorted());
  expect(built.outputs).toEqual({ metadata_account: { B3: METADATA } });
});

it('create_metadata_account needs only a name, and ignores other members of the metadata', async () => {
  const [instruction] = (await build({ creators: { A: [] } })).instructions.instructions;
  expect(hex(instruction?.data)).toBe(`21010000006e${'00'.repeat(15)}`);
});

it.each<[string, ValueMap]>([
  ...missing(
    'fee_payer',
    'mint_account',
    'mint_authority',
    'update_authority',
    'metadata',
    'metadata_uri',
    'is_mutable',
  ),
  ['name: must have at most 32 bytes, not 34', { metadata: { M: { name: { S: 'é'.repeat(17) } } } }],
  ['metadata_uri: must have at most 200 bytes, not 201', { metadata_uri: { S: 'x'.repeat(201) } }],
  ['seller_fee_basis_points: must be at most 10000', {
    metadata: { M: { name: { S: 'n' }, seller_fee_basis_points: { U: '10001' } } },
  }],
  ['creators: the shares must add up to 100, not 90', { creators: { A: [creator(AUTHORITY, '90')] } }],
  ['creators: must have at most 5 creators', {
    creators: { A: Array.from({ length: 6 }, () => creator(AUTHORITY, '10')) },
  }],
  ['uses: must be one of Burn, Multiple, Single', { uses: { M: { use_method: { S: 'All' } } } }],
])('create_metadata_account refuses wrong inputs with "%s"', async (message, inputs) => {
  await expect(build(inputs)).rejects.toThrow(message);
});
