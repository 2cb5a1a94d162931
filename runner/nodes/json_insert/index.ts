import { readField, toText } from '../../../types/values/conversion.ts';
import { insertAt, parsePath } from '../../../types/values/path.ts';
import { NodeError, type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Inserts a value into its input at a path. The map or array that is to hold the value must exist. */
export const jsonInsertNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const whole = requireInput(inputs, 'json_input');
    const path = readField(inputs, 'path', toText);
    const updated = insertAt(whole, parsePath(path), requireInput(inputs, 'value'));
    if (updated === undefined) {
      throw new NodeError(
        `failed to insert at ${JSON.stringify(path)}: there must be a map or an array that the value can go into`,
      );
    }
    return { updated_json: updated };
  },
};
