import type { ValueMap } from '../../types/values/value.ts';
import { ConversionError } from '../../types/values/conversion.ts';
import type { RunNode } from './graph.ts';
import { publishedEffects } from './node.ts';
import type { TreeRun } from './tree_run.ts';

/** Names that the error lists at most. */
const MAX_NAMES = 5;
/** Characters of each name that the error shows: a label may be of any length. */
const MAX_NAME_LENGTH = 100;

/**
 * Finds the flow input from which this input of a node has its null, because the start gave no value for that flow
 * input.
 */
function emptyFlowInput({ inputs }: TreeRun, node: RunNode, name: string, values: ValueMap): string | undefined {
  const value = values[name];
  if (value === undefined || !('N' in value)) return undefined;
  const edge = node.incoming.find(({ input }) => input.name === name);
  if (!edge?.source.module?.takesFlowInputs || inputs[edge.sourcePort] !== undefined) return undefined;
  return edge.sourcePort;
}

/**
 * Makes a note for a node's error: the inputs of the flow without a value, if they may be the cause; otherwise an empty
 * text. In a node that only computes, any null may be the cause. Inputs do not cause failures outside, unless the error
 * names an input.
 */
export function emptyInputsHint(run: TreeRun, node: RunNode, values: ValueMap, error: unknown): string {
  const { module } = node;
  const isComputed = module !== undefined && 'run' in module && publishedEffects(module) === 'none';
  const wrong = error instanceof ConversionError ? error.input : undefined;
  if (wrong === undefined && !isComputed) return '';
  const names = (wrong === undefined ? node.inputNames : [wrong])
    .flatMap((name) => emptyFlowInput(run, node, name, values) ?? []);
  const told = [...new Set(names)].slice(0, MAX_NAMES).map((name) => `\`${name.slice(0, MAX_NAME_LENGTH)}\``);
  if (told.length === 0) return '';
  return ` (flow input${told.length === 1 ? '' : 's'} ${told.join(', ')} had no value)`;
}
