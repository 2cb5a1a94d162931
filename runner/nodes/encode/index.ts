import { readField } from '../../../types/values/conversion.ts';
import { toBytes } from '../../../types/values/keys.ts';
import type { NodeModule } from '../../engine/node.ts';
import { encodeBytes } from '../../values/encodings.ts';
import definition from './definition.json' with { type: 'json' };

/** Writes bytes as a text. */
export const encodeNode: NodeModule = {
  definition,
  run: ({ inputs }) => ({ text: { S: encodeBytes(inputs, readField(inputs, 'data', toBytes)) } }),
};
