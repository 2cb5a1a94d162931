import { readField, toText } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import { runSandboxed } from '../../threads/run_script.ts';
import definition from './definition.json' with { type: 'json' };

/** Evaluates an expression of JSONata in the sandbox. */
export const jsonataNode: NodeModule = {
  definition,
  run: (call) => {
    readField(call.inputs, 'expression', toText);
    return runSandboxed(call, {
      library: 'jsonata',
      source: 'return { result: await library(expression, input) };',
      hasClock: true,
      hasRandom: true,
    });
  },
};
