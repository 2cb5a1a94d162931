import { uuidv7 } from 'uuidv7';
import {
  ConversionError,
  readFieldOr,
  readOptionalField,
  toInteger,
  toText,
} from '../../../types/values/conversion.ts';
import { bytesToValue, type Value } from '../../../types/values/value.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

const MAX_BYTES = 1_024;
const DEFAULT_BYTES = 32n;

const toSize = toInteger('u32');

const KINDS: { [kind: string]: (size: number) => Value } = {
  uuid_v4: () => ({ S: crypto.randomUUID() }),
  uuid_v7: () => ({ S: uuidv7() }),
  bytes: (size) => bytesToValue(crypto.getRandomValues(new Uint8Array(size))),
};

/** Makes a random id or random bytes. */
export const randomNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const kind = readOptionalField(inputs, 'kind', toText) ?? 'uuid_v4';
    const make = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    if (make === undefined) throw new ConversionError(`must be one of ${Object.keys(KINDS).join(', ')}`, 'kind');
    const size = Number(readFieldOr(inputs, 'size', DEFAULT_BYTES, toSize));
    if (size < 1 || size > MAX_BYTES) throw new ConversionError(`must be from 1 to ${MAX_BYTES}`, 'size');
    return { value: make(size) };
  },
};
