import {
  Handle,
  type Node,
  type NodeHandle,
  type NodeProps,
  Position,
  useStore,
  useUpdateNodeInternals,
} from '@xyflow/react';
import { type ComponentType, createContext, memo, use, useCallback, useEffect, useRef } from 'react';
import { type DrawnNode, type DrawnPort, passedOnHandle } from './drawn_node.ts';
import { NodeCard, type NodeCardProps, type NodeState, NodeSummary, type PortDot } from './node_card.tsx';
import type { ShownPorts } from './shown_ports.ts';

/** The zoom below which nodes are drawn as summaries, because the names of their ports would be smaller than 6 px. */
const SUMMARY_ZOOM = 0.5;

/**
 * The zoom below which a summary shows no name, because the name would be smaller than 6 px. The browser paints 1,000
 * summaries three times as fast without names.
 */
const BLOCK_ZOOM = 0.2;

/** The data of a node on the canvas. */
interface GraphNodeData extends Record<string, unknown> {
  node: DrawnNode;
  shown: ShownPorts;
  /** The ends of edges, as `nodeGeometry` computes them. */
  handles: readonly NodeHandle[];
  state?: NodeState | undefined;
  /** Why the node did not run; undefined if no failure is the reason. */
  reason?: string | undefined;
  faults?: readonly string[];
  /**
   * The problems that a check of the drawn flow found. A node with problems shows a mark, which does not change the
   * size of the node.
   */
  problems?: readonly string[];
}

/** A node on the canvas. In the editor it may also be a note or the frame of a group. */
export type GraphNode = Node<GraphNodeData, 'drawn' | 'note' | 'frame'>;

/** Provides a function that shows all ports of a node, or hides its optional unused ports again. */
export const TogglePorts = createContext<(nodeId: string) => void>(() => {});

/** The ports at which a drag may end, and their nodes. */
export interface FittingPorts {
  /** Each port as a text: `in` or `out`, the id of the node, and the id of the handle. */
  ports: ReadonlySet<string>;
  nodes: ReadonlySet<string>;
}

/** The ports that are marked while an edge is dragged; undefined otherwise. */
export const MarkedPorts = createContext<FittingPorts | undefined>(undefined);

/** The node around which a mark is drawn. */
export interface NodeMarkProps {
  node: DrawnNode;
  handles: readonly NodeHandle[];
}

/** Draws something around each node, such as its result in the last run. The editor provides the component. */
export const NodeMarks = createContext<ComponentType<NodeMarkProps> | undefined>(undefined);

const KINDS: Record<PortDot['side'], string> = {
  input: 'Input',
  output: 'Output',
  'passed on': 'Passed on input',
};

const describe = (port: DrawnPort, side: PortDot['side']) => `${KINDS[side]} ${port.name}, ${port.types.join(' or ')}`;

/** The mark of a node with problems, at its corner. */
const ProblemMark = memo(function ProblemMark({ problems }: { problems: readonly string[] }) {
  const label = `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
  return <span className='graph-problems' role='img' aria-label={label} title={problems.join('\n')}>!</span>;
});

interface View {
  transform: [x: number, y: number, zoom: number];
}

const showsSummaries = ({ transform }: View): boolean => transform[2] < SUMMARY_ZOOM;
const showsBlocks = ({ transform }: View): boolean => transform[2] < BLOCK_ZOOM;

/** A port's dot, at which edges begin and end. */
function PortHandle({ nodeId, port, dot, isConnectable }: {
  nodeId: string;
  port: DrawnPort;
  dot: PortDot;
  isConnectable: boolean;
}) {
  const marked = use(MarkedPorts);
  const isInput = dot.side === 'input';
  const handle = dot.side === 'passed on' ? passedOnHandle(port.id) : port.id;
  return (
    <Handle
      type={isInput ? 'target' : 'source'}
      position={isInput ? Position.Left : Position.Right}
      id={handle}
      isConnectable={isConnectable}
      role='img'
      aria-label={describe(port, dot.side)}
      data-colour={dot.colour}
      data-mark={dot.mark}
      data-fits={marked?.ports.has(`${isInput ? 'in' : 'out'} ${nodeId} ${handle}`)}
    />
  );
}

/** The handles of a summary. When the summary is drawn, the canvas measures the handles to draw the edges. */
const SummaryHandles = memo(function SummaryHandles({ id, handles }: { id: string; handles: readonly NodeHandle[] }) {
  return handles.map(({ id: handle, type, position, x, y }) => (
    <div
      key={`${type} ${handle}`}
      className={`react-flow__handle ${type}`}
      data-nodeid={id}
      data-handleid={handle}
      data-handlepos={position}
      style={{ left: x, top: y }}
    />
  ));
});

/** True if `EdgeLayer` draws the edges, so that summaries need no handles. */
export const DrawsOwnEdges = createContext(false);

/** Tells the canvas to measure the handles of a node that was drawn as a summary without handles. */
function useFoundHandles(id: string, hasHandles: boolean): void {
  const update = useUpdateNodeInternals();
  const had = useRef(hasHandles);
  useEffect(() => {
    if (hasHandles && !had.current) update(id);
    had.current = hasHandles;
  }, [id, hasHandles, update]);
}

/** A node with handles for edges. At a small zoom it is drawn as a summary. */
const GraphNodeView = memo(function GraphNodeView(props: NodeProps<GraphNode>) {
  const { id, data, selected, isConnectable, height } = props;
  const toggle = use(TogglePorts);
  const Mark = use(NodeMarks);
  const isSummary = useStore(showsSummaries);
  const isBlock = useStore(showsBlocks);
  const marked = use(MarkedPorts);
  const isBare = use(DrawsOwnEdges) && isSummary;
  useFoundHandles(id, !isBare);
  const onToggle = useCallback(() => toggle(id), [toggle, id]);
  const renderHandle: NonNullable<NodeCardProps['renderHandle']> = useCallback(
    (port, dot) => <PortHandle nodeId={id} port={port} dot={dot} isConnectable={isConnectable} />,
    [id, isConnectable],
  );
  const { node, shown, handles, state, reason, faults = NO_FAULTS, problems } = data;
  const problemMark = problems && <ProblemMark problems={problems} />;
  if (isSummary) {
    return (
      <NodeSummary {...{ node, height, state, isBlock }} isSelected={selected} isFaulty={faults.length > 0}>
        {!isBare && <SummaryHandles id={id} handles={handles} />}
        {Mark && <Mark node={node} handles={handles} />}
        {problemMark}
      </NodeSummary>
    );
  }
  return (
    <>
      <NodeCard
        node={node}
        isSelected={selected}
        state={state}
        reason={reason}
        shown={shown}
        isFitting={marked?.nodes.has(id)}
        faults={faults}
        renderHandle={renderHandle}
        onToggle={onToggle}
      />
      {Mark && <Mark node={node} handles={handles} />}
      {problemMark}
    </>
  );
});

const NO_FAULTS: readonly string[] = [];

/** The component that draws each type of node, for the property `nodeTypes` of React Flow. */
export const nodeTypes = { drawn: GraphNodeView };
