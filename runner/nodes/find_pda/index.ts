import { base58 } from '@scure/base';
import type { Value } from '../../../types/values/value.ts';
import { ConversionError, readField, readOptionalField } from '../../../types/values/conversion.ts';
import { toBytes, toPubkey } from '../../../types/values/keys.ts';
import { findProgramAddress, MAX_SEED_LENGTH } from './program_address.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

const seedNames = ['seed_1', 'seed_2', 'seed_3', 'seed_4', 'seed_5'];

/**
 * Returns the bytes of a seed that is a text or a public key. For an empty text or any other value, returns undefined.
 * The node ignores such a seed.
 */
function readSeed(value: Value): Uint8Array | undefined {
  if (!('S' in value) && !('B3' in value)) return undefined;
  const bytes = toBytes(value);
  if (bytes.length > MAX_SEED_LENGTH) {
    throw new ConversionError(`must have at most ${MAX_SEED_LENGTH} bytes, not ${bytes.length}`);
  }
  return bytes.length === 0 ? undefined : bytes;
}

/** Finds the program-derived address of a program and its seeds. */
export const findPdaNode: NodeModule = {
  definition,
  run: async ({ inputs }) => {
    const programId = readField(inputs, 'program_id', toPubkey);
    const seeds = seedNames.flatMap((name) => readOptionalField(inputs, name, readSeed) ?? []);
    const { address } = await findProgramAddress(base58.decode(programId), seeds);
    return { pda: { B3: base58.encode(address) } };
  },
};
