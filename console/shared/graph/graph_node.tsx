import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { memo, useCallback } from 'react';
import { type DrawnNode, type DrawnPort, passedOnHandle } from './drawn_node.ts';
import { type InputMark, NodeCard, type NodeState } from './node_card.tsx';

/** The data of a node on the canvas. */
export interface GraphNodeData extends Record<string, unknown> {
  node: DrawnNode;
  state?: NodeState | undefined;
  inputStates?: ReadonlyMap<string, InputMark>;
  faults?: readonly string[];
}

export type GraphNode = Node<GraphNodeData, 'drawn'>;

const describe = (port: DrawnPort, kind: string) => `${kind} ${port.name}, ${port.types.join(' or ')}`;

/** A node card with handles for edges. */
export const GraphNodeView = memo(function GraphNodeView({ data, selected, isConnectable }: NodeProps<GraphNode>) {
  const renderHandle = useCallback(
    (port: DrawnPort, side: 'input' | 'output' | 'passed on') =>
      side === 'input'
        ? (
          <Handle
            type='target'
            position={Position.Left}
            id={port.id}
            isConnectable={isConnectable}
            role='img'
            aria-label={describe(port, 'Input')}
          />
        )
        : (
          <Handle
            type='source'
            position={Position.Right}
            id={side === 'output' ? port.id : passedOnHandle(port.id)}
            isConnectable={isConnectable}
            role='img'
            aria-label={describe(port, side === 'output' ? 'Output' : 'Passed on input')}
          />
        ),
    [isConnectable],
  );
  return (
    <NodeCard
      node={data.node}
      isSelected={selected}
      state={data.state}
      inputStates={data.inputStates ?? NO_STATES}
      faults={data.faults ?? NO_FAULTS}
      renderHandle={renderHandle}
    />
  );
});

const NO_STATES: ReadonlyMap<string, InputMark> = new Map();
const NO_FAULTS: readonly string[] = [];

/** The kinds of nodes, in the canvas's form. */
export const nodeTypes = { drawn: GraphNodeView };
