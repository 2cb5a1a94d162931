import type { NodeDefinition } from '../../../types/node_definition.ts';
import type { LosslessJson, Value, ValueMap } from '../../../types/value.ts';

/** An input or output of a node, as the engine needs it. */
export interface InputPort {
  name: string;
  /** With an edge, the node waits for a value; without one this has no meaning. */
  required: boolean;
  /** The input is copied to an output of the same name when the node succeeds. */
  passthrough: boolean;
}

export interface OutputPort {
  name: string;
  /** When the node gives no value for it, followers are told so instead of waiting for ever. */
  optional: boolean;
}

export interface NodePorts {
  inputs: InputPort[];
  outputs: OutputPort[];
}

export type LogLevel = 'Trace' | 'Debug' | 'Info' | 'Warn' | 'Error';

/** What a node sees of its surroundings when it runs. */
export interface NodeCall {
  /** Values by input name: from edges, else from form data. A missing optional input is not in it. */
  inputs: ValueMap;
  /** The node's settings, as the editor saved them. */
  formData: LosslessJson;
  /** Aborted when the run shall stop. */
  signal: AbortSignal;
  log: (level: LogLevel, content: string) => void;
}

/** What a native node is: its definition, and what it does. */
export interface NodeModule {
  definition: NodeDefinition;
  /** Its one port on this side is named by the label in its form data, whatever the flow's JSON calls it. */
  labelledSide?: 'input' | 'output';
  /** The node sees all inputs of the flow instead of its own. */
  takesFlowInputs?: true;
  /** What it puts out is an output of the flow. */
  isFlowOutput?: true;
  /** Computes the outputs by name. What it throws becomes the node's error. */
  run: (call: NodeCall) => ValueMap | Promise<ValueMap>;
}

/** Finds the module of a native node. */
export type NodeRegistry = (nodeId: string) => NodeModule | undefined;

/** A failure that a node reports to the flow's author. */
export class NodeError extends Error {
  override name = 'NodeError';
}

/** The ports of one use of a node: those that its definition declares, a labelled one under its label. */
export function nodePorts(
  module: NodeModule,
  formData: LosslessJson,
): NodePorts {
  const { targets, sources } = module.definition;
  const label = formText(formData, 'label') ?? '';
  return {
    inputs: targets.map((target) => ({
      name: module.labelledSide === 'input' ? label : target.name,
      required: target.required ?? false,
      passthrough: target.passthrough ?? false,
    })),
    outputs: sources.map((source) => ({
      name: module.labelledSide === 'output' ? label : source.name,
      optional: source.optional ?? false,
    })),
  };
}

/** The input's value; throws as the reference server words it when there is none. */
export function requireInput(inputs: ValueMap, name: string): Value {
  const value = inputs[name];
  if (value === undefined) throw new NodeError(`missing field \`${name}\``);
  return value;
}

/** A text member of a node's form data, or undefined when it has none. */
export function formText(
  formData: LosslessJson,
  member: string,
): string | undefined {
  const value = formMember(formData, member);
  return typeof value === 'string' ? value : undefined;
}

/** A member of a node's form data, or undefined when it has none. */
export function formMember(
  formData: LosslessJson,
  member: string,
): LosslessJson | undefined {
  if (
    typeof formData !== 'object' || formData === null || Array.isArray(formData)
  ) return undefined;
  return Object.hasOwn(formData, member) ? (formData as { [name: string]: LosslessJson })[member] : undefined;
}
