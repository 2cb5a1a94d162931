import { readField, toText } from '../../../types/values/conversion.ts';
import { bytesToValue } from '../../../types/values/value.ts';
import type { NodeModule } from '../../engine/node.ts';
import { decodeText, textOfBytes } from '../../values/encodings.ts';
import definition from './definition.json' with { type: 'json' };

/** Reads bytes from a text. */
export const decodeNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const bytes = decodeText(inputs, readField(inputs, 'text', toText));
    const string = textOfBytes(bytes);
    return { bytes: bytesToValue(bytes), ...(string !== undefined && { string: { S: string } }) };
  },
};
