import { bytesToValue } from '../../../types/values/value.ts';
import { readField, toText } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Outputs the bytes of a text in UTF-8. */
export const toBytesNode: NodeModule = {
  definition,
  run: ({ inputs }) => ({ bytes: bytesToValue(new TextEncoder().encode(readField(inputs, 'string', toText))) }),
};
