import { readOptionalField, toF64 } from '../../../types/values/conversion.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };
import { runLimits } from '../../../types/limits/runs.ts';
import { readAnswering } from '../../values/answering.ts';
import { readQuestion } from './question.ts';
import { readWebhook } from './webhook.ts';

/** The seconds for which the input can be answered: seven days by default, and 30 days at most. */
const DEFAULT_TIMEOUT_SECONDS = runLimits.default_input_wait_seconds.value;
const MAX_TIMEOUT_SECONDS = runLimits.input_wait_seconds.value;

function readTimeoutMs(inputs: ValueMap): number {
  const seconds = readOptionalField(inputs, 'timeout', toF64) ?? DEFAULT_TIMEOUT_SECONDS;
  if (!(seconds >= 1 && seconds <= MAX_TIMEOUT_SECONDS)) {
    throw new NodeError(`timeout: must be a number of seconds from 1 to ${MAX_TIMEOUT_SECONDS}`);
  }
  return Math.round(seconds * 1_000);
}

/**
 * Waits until somebody sends a value to a URL. Each execution has a URL of its own, which the node can post to a
 * server.
 */
export const apiInputNode: NodeModule = {
  definition,
  asksForInput: true,
  run: async ({ inputs, formData, askForInput }) => ({
    value: await askForInput({
      timeoutMs: readTimeoutMs(inputs),
      webhook: readWebhook(inputs),
      question: readQuestion(inputs),
      ...readAnswering(formData),
    }),
  }),
};
