import { followedBy } from '../../platform/followed_by.ts';
import type { EvaluateExpression } from '../engine/node.ts';
import { EXPRESSION_PORTS, expressionCode } from '../script/expression_code.ts';
import { runSandboxed } from './run_script.ts';

/** Evaluates the expression of an edge in the sandbox. */
export const evaluateExpression: EvaluateExpression = ({ expression, value, types }, call) => {
  const outputs = runSandboxed({
    ...call,
    ...EXPRESSION_PORTS,
    inputs: { value },
    log: () => {},
    run: { ownerId: call.ownerId, environment: {} },
  }, expressionCode(expression, types));
  return followedBy(outputs, ({ result }) => result);
};
