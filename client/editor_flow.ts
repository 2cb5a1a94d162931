import { ZodError } from 'zod';
import { editorFlowToRow as toRow } from '../types/editor_flow.ts';
import type { FlowToStore } from './flow_client.ts';
import { FlowError } from './flow_error.ts';

/**
 * Converts a flow that an editor has exported into a flow to store. Throws value_invalid, whose `details` list all
 * faults.
 */
export function editorFlowToRow(json: unknown): FlowToStore {
  try {
    return toRow(json);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const details = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    const [first] = details;
    throw new FlowError({
      code: 'value_invalid',
      message: `This is not a flow as an editor exports it: ${
        [first?.path, first?.message].filter(Boolean).join(': ')
      }.`,
      details,
      cause: error,
    });
  }
}
