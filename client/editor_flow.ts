import { ZodError } from 'zod';
import { editorFlowToRow as toRow } from '../types/editor_flow.ts';
import type { FlowToStore } from './flow_client.ts';
import { FlowError } from './flow_error.ts';

/** The flow to store for what an editor exports. Throws value_invalid, whose `details` name all that is wrong. */
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
