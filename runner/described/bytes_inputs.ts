import { base64 } from '@scure/base';
import type { FrozenDefinition } from '../../types/flow.ts';
import { bytesOfValue, type Value, type ValueMap } from '../../types/values/value.ts';

function asBytes(value: Value): Value {
  const bytes = 'B3' in value || 'B6' in value ? bytesOfValue(value) : undefined;
  return bytes === undefined ? value : { BY: base64.encode(bytes) };
}

/**
 * Returns inputs in the forms that a definition declares. 32 and 64 bytes count as a key and a signature, which services
 * get in base58. On an input of bytes they are bytes like any others, which services get in base64.
 */
export function withBytesInputs(inputs: ValueMap, { targets }: FrozenDefinition): ValueMap {
  const isBytes = new Set(targets.filter(({ type_bounds }) => type_bounds[0] === 'bytes').map(({ name }) => name));
  if (isBytes.size === 0) return inputs;
  const made: ValueMap = Object.create(null);
  for (const [name, value] of Object.entries(inputs)) made[name] = isBytes.has(name) ? asBytes(value) : value;
  return made;
}
