import { valueToText } from '../../../types/values/value.ts';
import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Outputs its input as text. If it has no input, outputs the empty text. */
export const toStringNode: NodeModule = {
  definition,
  run: ({ inputs }) => ({
    result: {
      S: inputs.stringify === undefined ? '' : valueToText(inputs.stringify),
    },
  }),
};
