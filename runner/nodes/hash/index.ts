import { hex } from '@scure/base';
import { readField } from '../../../types/values/conversion.ts';
import { toBytes } from '../../../types/values/keys.ts';
import { bytesToValue } from '../../../types/values/value.ts';
import type { NodeModule } from '../../engine/node.ts';
import { readHash } from '../../values/hashes.ts';
import definition from './definition.json' with { type: 'json' };

/** Computes the hash of bytes. */
export const hashNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const hash = readHash(inputs)(readField(inputs, 'data', toBytes));
    return { hash: bytesToValue(hash), hex: { S: hex.encode(hash) } };
  },
};
