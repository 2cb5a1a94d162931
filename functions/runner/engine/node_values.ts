import { jsonToValue, type ValueMap } from '../../../types/value.ts';
import type { RunEdge, RunNode } from './graph.ts';
import { formMember } from './node.ts';

/** How one execution of a node ended. */
export type Outcome = { outputs: ValueMap } | { error: string };

/** Edge values, then form data for the inputs that got none. */
export const completeInputs = (
  node: RunNode,
  values: ValueMap,
  flowInputs: ValueMap,
): ValueMap => {
  if (node.module?.takesFlowInputs) return flowInputs;
  for (const { name } of node.ports.inputs) {
    if (values[name] !== undefined) continue;
    const preset = formMember(node.formData, name);
    if (preset !== undefined) values[name] = jsonToValue(preset);
  }
  return values;
};

/** Adds the inputs that the node hands on under their own names. */
const withPassthrough = (
  node: RunNode,
  given: ValueMap,
  outputs: ValueMap,
): ValueMap => {
  for (const { name, required, passthrough } of node.ports.inputs) {
    const value = given[name];
    if (!passthrough || value === undefined || (!required && 'N' in value)) {
      continue;
    }
    outputs[name] ??= value;
  }
  return outputs;
};

/** What a node that succeeded gives: an error after all when a mandatory output is missing. */
export const settle = (
  node: RunNode,
  given: ValueMap,
  outputs: ValueMap,
): Outcome => {
  const complete = withPassthrough(node, given, outputs);
  const missing = node.ports.outputs.filter((port) => !port.optional && complete[port.name] === undefined);
  if (missing.length === 0) return { outputs: complete };
  return {
    error: `output not found: ${JSON.stringify(missing.map((port) => port.name))}`,
  };
};

export const toError = (error: unknown): Outcome => ({
  error: error instanceof Error ? error.message : String(error),
});

/** When the source gives nothing, those behind this edge are told so. */
export const isOptionalOutput = (edge: RunEdge): boolean => {
  const port = edge.source.ports.outputs.find((output) => output.name === edge.sourcePort);
  if (port !== undefined) return port.optional;
  return !edge.source.ports.inputs.find((input) => input.name === edge.sourcePort)?.required;
};
