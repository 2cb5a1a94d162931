import type { Native, NativeMethods, NativeTable } from '../run.ts';
import { arrayVisits } from './array_visits.ts';
import { arrayFunctions } from './arrays.ts';
import { bitFunctions } from './bits.ts';
import { blobNumberFunctions } from './blob_numbers.ts';
import { blobFunctions, blobMakers } from './blobs.ts';
import { anyFunctions, fnFunctions, plainFunctions } from './core.ts';
import { blobEncodings, textEncodings } from './encodings.ts';
import { jsonParsers, jsonWriters } from './json.ts';
import { mapFunctions } from './maps.ts';
import { decimalFunctions, floatFunctions, intFunctions } from './numbers.ts';
import { arrayRandomFunctions, randomMakers } from './random.ts';
import { rangeFunctions } from './ranges.ts';
import { charFunctions, textChanges } from './text_changes.ts';
import { textFunctions } from './texts.ts';

const merge = (...sets: { readonly methods: NativeMethods }[]): NativeMethods =>
  new Map<string, Native>(sets.flatMap(({ methods }) => [...methods]));

/** Every built-in function. */
export const standardLibrary: NativeTable = new Map([
  ['any', merge(anyFunctions, jsonWriters)],
  ['none', merge(plainFunctions, blobMakers, randomMakers)],
  ['int', merge(intFunctions, bitFunctions)],
  ['float', merge(floatFunctions)],
  ['decimal', merge(decimalFunctions)],
  ['string', merge(textFunctions, textChanges, jsonParsers, textEncodings)],
  ['char', merge(charFunctions)],
  ['array', merge(arrayFunctions, arrayVisits, arrayRandomFunctions)],
  ['map', merge(mapFunctions)],
  ['blob', merge(blobFunctions, blobNumberFunctions, blobEncodings)],
  ['range', merge(rangeFunctions)],
  ['fn', merge(fnFunctions)],
]);
