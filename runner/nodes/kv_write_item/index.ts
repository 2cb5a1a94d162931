import type { ValueMap } from '../../../types/values/value.ts';
import { readField, toText } from '../../../types/values/conversion.ts';
import { type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Stores an item in a key-value store of the flow's owner. If this replaces a value, outputs the replaced value. */
export const kvWriteItemNode: NodeModule = {
  definition,
  // The node is idempotent: if an execution is repeated, the database does not make its change again.
  run: async ({ inputs, kv }): Promise<ValueMap> => {
    const [store, key] = [readField(inputs, 'store', toText), readField(inputs, 'key', toText)];
    const old = await kv.write(store, key, requireInput(inputs, 'value'));
    return old === undefined ? {} : { old_value: old };
  },
};
