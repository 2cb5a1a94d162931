import { readOptionalField, toText } from '../../types/values/conversion.ts';
import type { ValueMap } from '../../types/values/value.ts';

/** Reads the inputs by which a node names a file. */
export const readFileName = (inputs: ValueMap) => ({
  key: readOptionalField(inputs, 'key', toText),
  bucket: readOptionalField(inputs, 'bucket', toText),
  path: readOptionalField(inputs, 'path', toText),
});
