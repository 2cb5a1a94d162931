import { flowLimits } from '../../../../types/limits/flows.ts';
import type { DrawnNode } from '../../../shared/graph/drawn_node.ts';

/** Tests whether the user adds and names the ports of a node. */
export const hasNamedPorts = ({ nodeId, kind }: DrawnNode): boolean =>
  kind === 'native' && (nodeId === 'rhai_script' || nodeId === 'javascript');

/** Tests whether the user may add an input to a node. */
export const hasRoomForInput = (node: DrawnNode): boolean =>
  hasNamedPorts(node) && node.inputs.length < flowLimits.script_ports.value;
