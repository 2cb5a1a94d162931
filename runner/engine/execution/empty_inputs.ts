import type { ValueMap } from '../../../types/values/value.ts';
import { ConversionError } from '../../../types/values/conversion.ts';
import type { RunNode } from '../graph/graph.ts';
import { publishedEffects } from '../node.ts';
import type { TreeRun } from '../tree/tree_run.ts';

/** The most names that the error lists. */
const MAX_NAMES = 5;
/** The most characters of each name in the error, because a label may have any length. */
const MAX_NAME_LENGTH = 100;

/**
 * Tests whether this input of a node is null, because the start gave no value for a flow input. Then returns the name
 * of the flow input.
 */
function emptyFlowInput({ inputs }: TreeRun, node: RunNode, name: string, values: ValueMap): string | undefined {
  const value = values[name];
  if (value === undefined || !('N' in value)) return undefined;
  const edge = node.incoming.find(({ input }) => input.name === name);
  if (!edge?.source.module?.takesFlowInputs || inputs[edge.sourcePort] !== undefined) return undefined;
  return edge.sourcePort;
}

/**
 * Makes a note for a node's error. The note names the flow inputs that got no value and may therefore be the cause. If
 * no flow input may be the cause, the note is empty. If the error names an input, only that input may be the cause. If the
 * error names no input, any null may be the cause, but only in a node that just computes.
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
