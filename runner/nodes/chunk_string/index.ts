import { ConversionError, readField, toInteger, toText } from '../../../types/values/conversion.ts';
import type { Value } from '../../../types/values/value.ts';
import { type NodeModule, outputTooLarge } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** The bytes that each part takes in an output in addition to its characters: `{"S":""},`. */
const PART_BYTES = 9;

const toSize = toInteger('u64');

/** Splits a text into parts. A character is a Unicode code point, so no part ends within a code point. */
export const chunkStringNode: NodeModule = {
  definition,
  run: ({ inputs, maxOutputBytes }) => {
    const characters = [...readField(inputs, 'string', toText)];
    const size = Number(readField(inputs, 'chunk_size', toSize));
    if (size === 0) throw new ConversionError('must be 1 or more', 'chunk_size');
    const count = Math.ceil(characters.length / size);
    // This check comes before the parts are made, so that too many parts never fill the memory.
    if (count * PART_BYTES > maxOutputBytes) {
      throw outputTooLarge(`${count} parts don't`, maxOutputBytes);
    }
    const chunks = Array.from(
      { length: count },
      (_, index): Value => ({ S: characters.slice(index * size, (index + 1) * size).join('') }),
    );
    return { chunks: { A: chunks } };
  },
};
