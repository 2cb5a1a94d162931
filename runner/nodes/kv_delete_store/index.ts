import { readField, toText } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Deletes a key-value store of the flow's owner. */
export const kvDeleteStoreNode: NodeModule = {
  definition,
  // The node is idempotent: if an execution is repeated, the database does not make its change again.
  run: async ({ inputs, kv }) => {
    await kv.delete(readField(inputs, 'store', toText));
    return {};
  },
};
