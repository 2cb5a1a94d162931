import type { SandboxCode } from '../engine/node.ts';

/** The name of the input that an expression reads, and of the output with its result. */
export const EXPRESSION_PORTS = { inputNames: ['value'], outputNames: ['result'] } as const;

/**
 * The code that evaluates the expression of an edge. The edge leads to an input of these types. It has no clock and no
 * randomness. If the first type is a list, the result is a list also for one match or none, for which JSONata itself
 * gives the match or nothing.
 */
export const expressionCode = (expression: string, types: readonly string[]): SandboxCode => ({
  library: 'jsonata',
  // The expression is a part of the code and not an input. Code that computes for long is remembered by its text, so
  // each expression must have a text of its own.
  source: `return { result: await library.${types[0] === 'array' ? 'evaluateList' : 'evaluateFixed'}(${
    JSON.stringify(expression)
  }, value) };`,
  hasClock: false,
  hasRandom: false,
  fixedTime: 0,
  outputTypes: types.length === 0 ? ['free'] : types,
});
