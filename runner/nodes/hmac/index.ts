import { hex } from '@scure/base';
import { readField } from '../../../types/values/conversion.ts';
import { toBytes } from '../../../types/values/keys.ts';
import { bytesToValue } from '../../../types/values/value.ts';
import type { NodeModule } from '../../engine/node.ts';
import { readHmac } from '../../values/hashes.ts';
import definition from './definition.json' with { type: 'json' };

/** Computes the keyed hash of bytes. */
export const hmacNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const hmac = readHmac(inputs)(readField(inputs, 'key', toBytes), readField(inputs, 'data', toBytes));
    return { hmac: bytesToValue(hmac), hex: { S: hex.encode(hmac) } };
  },
};
