import { ZodError } from 'zod';
import { readEditorFlow as read, resolveCalls as resolve } from '../types/editor/editor_flow.ts';
import type { FlowToStore } from './flow_client.ts';
import { valueInvalid } from './value_invalid.ts';

export { editorDefinitionToRow } from './node_definition.ts';

/**
 * Converts a flow that an editor has exported into a flow to store. Throws value_invalid, whose `details` list all
 * faults.
 */
export const editorFlowToRow = (json: unknown): FlowToStore => readEditorFlow(json).row;

/** A converted flow. */
export interface ConvertedFlow {
  row: FlowToStore;
  /** The id of the flow in its file; undefined without one. */
  id: string | undefined;
  /** True if the flow has the editor's newer form. */
  isConverted: boolean;
  /** The parts of the newer form that were left out, each with its path. */
  leftOut: string[];
}

/**
 * Converts an exported flow as `editorFlowToRow` does. `flowIds` has the ids of flows that are already stored, by the
 * ids that their files have; calls of these flows get the stored ids.
 */
export function readEditorFlow(json: unknown, flowIds?: ReadonlyMap<string, number>): ConvertedFlow {
  try {
    return read(json, flowIds);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    throw valueInvalid('a flow as an editor exports it', error);
  }
}

/** Sets the ids of called flows in stored nodes, by the ids that the called flows have in their files. */
export const resolveCalls: typeof resolve = resolve;
