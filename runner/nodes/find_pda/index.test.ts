import { base58 } from '@scure/base';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { findPdaNode } from './index.ts';

const SYSTEM_PROGRAM = '1'.repeat(32);
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const ATA_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

const P = 2n ** 255n - 19n;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base % P; exponent > 0n; exponent >>= 1n, square = square * square % P) {
    if (exponent & 1n) result = result * square % P;
  }
  return result;
}

/** Tests, by Euler's criterion, whether x² = (y² - 1) / (d·y² + 1) has a solution. */
function isOnCurve(bytes: Buffer): boolean {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) % 2n ** 255n;
  const d = (P - 121665n) * power(121666n, P - 2n) % P;
  const xx = (y * y - 1n + P) * power(d * y * y + 1n, P - 2n) % P;
  return xx === 0n || power(xx, (P - 1n) / 2n) === 1n;
}

/** Derives a program address by its definition. */
function derive(programId: string, seeds: Uint8Array[]): string {
  for (let bump = 255;; bump--) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    const address = hash.update(new Uint8Array([bump])).update(base58.decode(programId)).update('ProgramDerivedAddress')
      .digest();
    if (!isOnCurve(address)) return base58.encode(address);
  }
}

const find = async (inputs: ValueMap) => (await runNode(findPdaNode, inputs)).pda;

it('find_pda finds the address of the example in the Solana documentation', async () => {
  expect(await find({ program_id: { B3: SYSTEM_PROGRAM }, seed_1: { S: 'helloWorld' } })).toEqual({
    B3: '46GZzzetjCURsdFPb7rcnspbEMnCBXe9kpjrsZAkKb6X',
  });
});

it('find_pda agrees with the definition for any program and seeds', async () => {
  const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const seed = fc.oneof(
    fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme-composite' }).filter((text) =>
      Buffer.byteLength(text) <= 32
    )
      .map((text): [Value, Uint8Array] => [{ S: text }, Buffer.from(text)]),
    bytes32.map((bytes): [Value, Uint8Array] => [{ B3: base58.encode(bytes) }, bytes]),
  );
  await fc.assert(
    fc.asyncProperty(bytes32.map(base58.encode), fc.array(seed, { maxLength: 5 }), async (programId, seeds) => {
      const inputs = Object.fromEntries(seeds.map(([value], index) => [`seed_${index + 1}`, value]));
      expect(await find({ program_id: { B3: programId }, ...inputs })).toEqual({
        B3: derive(programId, seeds.map(([, bytes]) => bytes)),
      });
    }),
  );
});

it('find_pda ignores empty seeds, and seeds that are neither text nor key', async () => {
  const seeds = { seed_2: { B3: TOKEN_PROGRAM }, seed_4: { B3: USDC_MINT } };
  const others = { seed_1: { S: '' }, seed_3: { U: '7' }, seed_5: { BY: 'AQI=' } };
  const program_id = { S: ATA_PROGRAM };
  expect(await find({ program_id, ...seeds, ...others })).toEqual(await find({ program_id, ...seeds }));
  expect(await find({ program_id, ...seeds })).toEqual({
    B3: derive(ATA_PROGRAM, [base58.decode(TOKEN_PROGRAM), base58.decode(USDC_MINT)]),
  });
});

it('find_pda names a seed that is too long, and a program that is no public key', async () => {
  await expect(find({ program_id: { B3: SYSTEM_PROGRAM }, seed_3: { S: 'ü'.repeat(17) } })).rejects.toThrow(
    'seed_3: must have at most 32 bytes, not 34',
  );
  await expect(find({})).rejects.toThrow('missing field `program_id`');
  await expect(find({ program_id: { S: 'x' } })).rejects.toThrow(
    'program_id: invalid value: string, expected a public key',
  );
});
