import { ZodError } from 'zod';
import { readEditorFlow as read } from '../types/editor_flow.ts';
import type { FlowToStore } from './flow_client.ts';
import { valueInvalid } from './value_invalid.ts';

export { editorDefinitionToRow } from './node_definition.ts';

/**
 * Converts a flow that an editor has exported into a flow to store. Throws value_invalid, whose `details` list all
 * faults.
 */
export const editorFlowToRow = (json: unknown): FlowToStore => readEditorFlow(json).row;

/**
 * Converts an exported flow as `editorFlowToRow` does. `isConverted` is true if the flow has the editor's newer form.
 * `leftOut` lists the parts of the newer form that were left out, each with its path.
 */
export function readEditorFlow(json: unknown): { row: FlowToStore; isConverted: boolean; leftOut: string[] } {
  try {
    return read(json);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    throw valueInvalid('a flow as an editor exports it', error);
  }
}
