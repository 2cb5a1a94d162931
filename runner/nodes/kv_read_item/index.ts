import { readField, toText } from '../../../types/values/conversion.ts';
import { NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Outputs an item of a key-value store of the flow's owner. If the item does not exist, outputs the default. Without a
 * default, the node fails.
 */
export const kvReadItemNode: NodeModule = {
  definition,
  run: async ({ inputs, kv }) => {
    const item = await kv.read(readField(inputs, 'store', toText), readField(inputs, 'key', toText));
    const value = item ?? inputs.default;
    if (value === undefined) throw new NodeError('not found');
    return { value, found: { B: item !== undefined } };
  },
};
