import { valueToText } from '../../../../types/values/value.ts';
import { type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Gives its input as text, which the run's log shows too. */
export const printNode: NodeModule = {
  definition,
  run: ({ inputs, log }) => {
    const text = valueToText(requireInput(inputs, 'print'));
    log('Info', text);
    return { __print_output: { S: text } };
  },
};
