import type { SnapshotNode } from '../../../types/flow.ts';
import { type AnyModule, type NodePorts, nodePorts, whenAbsentOf } from '../node.ts';

/** The output that has the error of a failure, if the flow handles the failure. */
export const ERROR_OUTPUT = 'error';

/**
 * Tests whether a failure of the node becomes a value of its output `error`. Then `on_error` must be set, and `sources`
 * must declare the output.
 */
export const hasErrorOutput = ({ on_error, sources }: SnapshotNode['data']): boolean =>
  on_error === 'output' && sources.some(({ name }) => name === ERROR_OUTPUT);

/** The ports that the flow's own JSON declares. */
const flowPorts = ({ targets, sources }: SnapshotNode['data']): NodePorts => ({
  inputs: targets.map((target) => ({
    name: target.name,
    required: target.required,
    whenAbsent: whenAbsentOf(target),
    passthrough: target.passthrough,
    wantsPublicKey: target.type_bounds[0] === 'pubkey',
    types: target.type_bounds.filter((type) => typeof type === 'string'),
  })),
  outputs: sources.map(({ name, optional }) => ({ name, optional: optional ?? false })),
});

/** The ports of a node, without its error output. */
export function portsOf(module: AnyModule | undefined, data: SnapshotNode['data']): NodePorts {
  const { inputs, outputs } = flowPorts(data);
  const own = hasErrorOutput(data) ? outputs.filter(({ name }) => name !== ERROR_OUTPUT) : outputs;
  const drawn = {
    inputs,
    outputs: module?.leavesOutputsUnset ? own.map((port) => ({ ...port, optional: true })) : own,
  };
  if (module === undefined || module.takesPortsFromFlow === true) return drawn;
  const defined = nodePorts(module, data);
  const side = module.takesPortsFromFlow;
  return side === undefined ? defined : { ...defined, [side]: drawn[side] };
}
