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
 * Converts an exported flow like `editorFlowToRow`. `leftOut` lists the parts of a flow of the editor's newer form that
 * could not be carried over, each with its path. `isConverted`: the flow was of that form.
 */
export function readEditorFlow(json: unknown): { row: FlowToStore; isConverted: boolean; leftOut: string[] } {
  try {
    return read(json);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    throw valueInvalid('a flow as an editor exports it', error);
  }
}
