import type { DrawnNode } from '../../../shared/graph/drawn_node.ts';

/** Tests whether the user adds and names the ports of a node. */
export const hasNamedPorts = ({ nodeId, kind }: DrawnNode): boolean =>
  kind === 'native' && (nodeId === 'rhai_script' || nodeId === 'javascript');
