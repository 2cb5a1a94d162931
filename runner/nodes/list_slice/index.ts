import { readField, readOptionalField, toArray, toInteger } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

const toI64 = toInteger('i64');

/** Takes a part of an array, by the rules of JavaScript's `slice`. */
export const listSliceNode: NodeModule = {
  definition,
  handsOnKeysOf: 'array',
  run: ({ inputs }) => {
    const array = readField(inputs, 'array', toArray);
    const start = Number(readOptionalField(inputs, 'start', toI64) ?? 0n);
    const end = readOptionalField(inputs, 'end', toI64);
    return { slice: { A: array.slice(start, end === undefined ? undefined : Number(end)) } };
  },
};
