import { followedBy } from '../engine/followed_by.ts';
import type { EvaluateExpression } from '../engine/node.ts';
import { runSandboxed } from './run_script.ts';

/** Evaluates the expression of an edge in the sandbox, where it has neither a clock nor random numbers. */
export const evaluateExpression: EvaluateExpression = ({ expression, value, types }, call) => {
  const outputs = runSandboxed({
    ...call,
    inputs: { value },
    inputNames: ['value'],
    outputNames: ['result'],
    log: () => {},
    run: { environment: {} },
  }, {
    library: 'jsonata',
    // The expression is a part of the code, because long code is remembered by its text.
    source: `return { result: await library.evaluateFixed(${JSON.stringify(expression)}, value) };`,
    hasClock: false,
    hasRandom: false,
    fixedTime: 0,
    outputTypes: types.length === 0 ? ['free'] : types,
  });
  return followedBy(outputs, ({ result }) => result);
};
