import { flowLimits } from '../../../../types/limits/flows.ts';
import type { DrawnNode } from '../../../shared/graph/drawn_node.ts';
import type { ScriptNodeId } from './port_names.ts';

/** Returns the command of a script node, whose ports the user names; undefined for any other node. */
export const scriptNodeId = ({ nodeId, kind }: DrawnNode): ScriptNodeId | undefined =>
  kind === 'native' && (nodeId === 'rhai_script' || nodeId === 'javascript') ? nodeId : undefined;

/** Tests whether the user adds and names the ports of a node. */
export const hasNamedPorts = (node: DrawnNode): boolean => scriptNodeId(node) !== undefined;

/** Tests whether the user may add an input to a node. */
export const hasRoomForInput = (node: DrawnNode): boolean =>
  hasNamedPorts(node) && node.inputs.length < flowLimits.script_ports.value;
