import { readField, toText } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Creates a key-value store of the flow's owner. */
export const kvCreateStoreNode: NodeModule = {
  definition,
  // The node is idempotent: if an execution is repeated, the database does not make its change again.
  run: async ({ inputs, kv }) => {
    await kv.create(readField(inputs, 'store', toText));
    return {};
  },
};
