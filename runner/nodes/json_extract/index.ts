import { readField, toText } from '../../../types/values/conversion.ts';
import { parsePath, removeAt } from '../../../types/values/path.ts';
import { type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Outputs the value at a path in its input. Outputs null if there is no value at the path. */
export const jsonExtractNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const whole = requireInput(inputs, 'json_input');
    const found = removeAt(whole, parsePath(readField(inputs, 'field_path', toText)));
    return { value: found?.removed ?? { N: 0 }, trimmed_json: found?.rest ?? whole };
  },
};
