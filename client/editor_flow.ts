import { prettifyError, ZodError } from 'zod';
import { editorFlowToRow as toRow } from '../types/editor_flow.ts';
import type { FlowToStore } from './flow_client.ts';
import { FlowError } from './flow_error.ts';

/** The flow to store for what an editor exports. Throws value_invalid, which names all that is missing. */
export function editorFlowToRow(json: unknown): FlowToStore {
  try {
    return toRow(json);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    throw new FlowError({
      code: 'value_invalid',
      message: `This is no flow as an editor exports it:\n${prettifyError(error)}`,
      details: error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
      cause: error,
    });
  }
}
