import { uuidv7 } from 'uuidv7';
import { nodeLimits } from '../../../types/limits/nodes.ts';
import {
  ConversionError,
  readFieldOr,
  readOptionalField,
  toInteger,
  toMember,
} from '../../../types/values/conversion.ts';
import { bytesToValue, type Value } from '../../../types/values/value.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

const MAX_BYTES = nodeLimits.random_bytes.value;
const DEFAULT_BYTES = 32n;

const toSize = toInteger('u32');

const makeUuidV4 = (): Value => ({ S: crypto.randomUUID() });

const KINDS: { [kind: string]: (size: number) => Value } = {
  uuid_v4: makeUuidV4,
  uuid_v7: () => ({ S: uuidv7() }),
  bytes: (size) => bytesToValue(crypto.getRandomValues(new Uint8Array(size))),
};

const toKind = toMember(KINDS);

/** Makes a random id or random bytes. */
export const randomNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const make = readOptionalField(inputs, 'kind', toKind) ?? makeUuidV4;
    const size = Number(readFieldOr(inputs, 'size', DEFAULT_BYTES, toSize));
    if (size < 1 || size > MAX_BYTES) throw new ConversionError(`must be from 1 to ${MAX_BYTES}`, 'size');
    return { value: make(size) };
  },
};
