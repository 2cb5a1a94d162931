import { readField, toText } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Deletes a key-value store of the flow's owner. */
export const kvDeleteStoreNode: NodeModule = {
  definition,
  // The node is idempotent, because the database makes the change of a node execution only once, even if the execution
  // is repeated.
  run: async ({ inputs, kv }) => {
    await kv.delete(readField(inputs, 'store', toText));
    return {};
  },
};
