import { valueToText } from '../../../types/values/value.ts';
import { type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Outputs its input as text and writes it to the run's log. */
export const printNode: NodeModule = {
  definition,
  run: ({ inputs, log }) => {
    const text = valueToText(requireInput(inputs, 'print'));
    log('Info', text);
    return { __print_output: { S: text } };
  },
};
