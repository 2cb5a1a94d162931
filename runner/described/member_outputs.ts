import { base64 } from '@scure/base';
import type { FrozenDefinition } from '../../types/flow.ts';
import { bytesToValue, type Value } from '../../types/values/value.ts';

function bytesOutput(value: Value): Value {
  try {
    return 'S' in value ? bytesToValue(base64.decode(value.S)) : value;
  } catch {
    return value;
  }
}

/** Returns the members of a result that have outputs of their own. An output of bytes gets them from base64. */
export function memberOutputs(
  result: Value,
  outputs: readonly { port: string; name: string }[],
  { sources }: FrozenDefinition,
): [port: string, value: Value][] {
  if (!('M' in result)) return [];
  const bytesPorts = new Set(sources.filter(({ type }) => type === 'bytes').map(({ name }) => name));
  return outputs.flatMap(({ port, name }): [string, Value][] => {
    const member = Object.hasOwn(result.M, name) ? result.M[name] : undefined;
    return member === undefined ? [] : [[port, bytesPorts.has(port) ? bytesOutput(member) : member]];
  });
}
