import { codedError } from '../../../types/run_errors.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { toPubkey } from '../../../types/values/keys.ts';
import type { RunNode } from './graph.ts';
import type { OutputBudget } from '../limits/output_budget.ts';
import { toMessage } from '../limits/text_limits.ts';
import { heldBytes, measureValue } from '../limits/value_size.ts';

/** The failure of an execution. If the execution handed over outputs before it failed, these outputs stay valid. */
export interface Failure {
  error: string;
  handedOver?: ValueMap | undefined;
  /** The value of the output `error`. Undefined if the flow does not handle the failure. */
  errorOutput?: Value | undefined;
}

/** The outcome of one execution of a node. */
export type Outcome = { outputs: ValueMap } | Failure;

/**
 * Copies values into a map without a prototype. So a look-up of a name such as `constructor` can find nothing but a
 * value.
 */
export const copyMap = (values: ValueMap): ValueMap => Object.assign(Object.create(null), values);

/** If an input got no value from an edge, adds the value that the form data has for it. */
export const completeInputs = (node: RunNode, values: ValueMap, flowInputs: ValueMap): ValueMap => {
  if (node.module?.takesFlowInputs) return flowInputs;
  for (const { name } of node.ports.inputs) {
    const preset = node.presets[name];
    if (preset !== undefined) values[name] ??= preset;
  }
  return values;
};

/**
 * Converts a key in any form, such as a key pair, to the public key. So a passthrough never reveals a secret. Returns
 * all other values unchanged.
 */
function publicKeyOf(value: Value): Value {
  try {
    return { B3: toPubkey(value) };
  } catch {
    return value;
  }
}

/** Adds the inputs that are copied to outputs of the same name. */
const withPassthrough = (node: RunNode, given: ValueMap, outputs: ValueMap): ValueMap => {
  for (const { name, required, passthrough, wantsPublicKey } of node.ports.inputs) {
    const value = given[name];
    if (!passthrough || value === undefined || (!required && 'N' in value)) continue;
    outputs[name] ??= wantsPublicKey ? publicKeyOf(value) : value;
  }
  return outputs;
};

/** The error of outputs that are too large. */
export const tooLarge = (bytes: number, maxBytes: number): string =>
  codedError('output_too_large', `the outputs of a node may hold ${maxBytes} bytes, but these hold ${bytes}`);

/** Limits of outputs. */
export interface OutputLimits {
  /** Bytes of one execution's outputs. */
  maxBytes: number;
  take: OutputBudget['take'];
}

/** Returns the reason why outputs can't be stored; undefined if they can. */
function outputFault(outputs: ValueMap, { maxBytes, take }: OutputLimits): string | undefined {
  let bytes = 0;
  let held = 0;
  for (const [name, value] of Object.entries(outputs)) {
    const size = measureValue(value);
    if (size.fault !== undefined) return `output ${name}: ${size.fault}`;
    bytes += size.bytes;
    held += heldBytes(size);
  }
  return bytes > maxBytes ? tooLarge(bytes, maxBytes) : take(held);
}

/**
 * Makes the outcome of an execution that threw. The error's text ends with `hint`. The text is shortened and cleaned,
 * so that storing does not change it.
 */
export const toError = (error: unknown, hint = ''): { error: string } => ({
  error: toMessage(`${error instanceof Error ? error.message : String(error)}${hint}`),
});

/**
 * Makes the outcome of a node that gave outputs. If a mandatory output is missing or an output can't be stored, the
 * outcome is an error. The output named `later` may be missing, because the node gets it later.
 */
export const toOutcome = (
  node: RunNode,
  given: ValueMap,
  outputs: ValueMap,
  limits: OutputLimits,
  later?: string,
): { outputs: ValueMap } | { error: string } => {
  const complete = withPassthrough(node, given, copyMap(outputs));
  const missing = node.ports.outputs.filter((port) =>
    !port.optional && port.name !== later && complete[port.name] === undefined
  );
  if (missing.length > 0) return toError(`output not found: ${JSON.stringify(missing.map((port) => port.name))}`);
  const fault = outputFault(complete, limits);
  return fault === undefined ? { outputs: complete } : toError(fault);
};
