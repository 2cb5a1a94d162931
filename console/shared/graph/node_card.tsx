import { type CSSProperties, memo, type ReactNode } from 'react';
import { categoryOf } from './categories.ts';
import { CategoryIcon } from './category_icon.tsx';
import { textOn } from './colours.ts';
import type { DrawnInput, DrawnNode, DrawnPort } from './drawn_node.ts';
import { type PortColour, portColour } from './port_types.ts';
import type { InputMark, ShownPorts } from './shown_ports.ts';
import './graph.css';

/** The state of a node in a run. */
export type NodeState =
  | 'not begun'
  | 'waiting'
  | 'running'
  | 'succeeded'
  | 'handled'
  | 'failed'
  | 'not run'
  | 'stopped';

/** The marks of a port's dot. */
export interface PortDot {
  side: 'input' | 'output' | 'passed on';
  colour: PortColour;
  /** For an input, the source of its value. For an output, `connected` or `empty`. */
  mark: InputMark;
}

const MARK_TEXTS: Record<InputMark, string> = {
  connected: 'has an edge',
  set: 'has a value',
  missing: 'required, and has neither an edge nor a value',
  empty: 'optional',
};

export interface NodeCardProps {
  node: DrawnNode;
  isSelected?: boolean;
  /** The state decides the colour, and is also shown as text. */
  state?: NodeState | undefined;
  /** Why the node did not run, such as `because “Get” failed`; undefined if no failure is the reason. */
  reason?: string | undefined;
  /** While an edge is dragged, true if it may end at this node. */
  isFitting?: boolean | undefined;
  /** The ports to show, and their states; all ports if undefined. */
  shown?: ShownPorts | undefined;
  /** The faults of the node. */
  faults?: readonly string[];
  /** Renders the dot at which edges end. */
  renderHandle?: (port: DrawnPort, dot: PortDot) => ReactNode;
  /** Called to show the hidden ports, or to hide them again. */
  onToggle?: (() => void) | undefined;
}

/** The explanation of a port: its types, its value and its description. */
const hintOf = (port: DrawnPort, mark?: InputMark): string =>
  [
    `${port.name}: ${port.types.join(' | ')}`,
    ...(mark === undefined ? [] : [MARK_TEXTS[mark]]),
    ...(port.value === undefined ? [] : [port.value]),
    ...(port.description === '' ? [] : [port.description]),
  ].join('\n');

/** A dot at which no edge can end, as in the gallery. */
const StaticDot = ({ side, colour, mark }: PortDot) => (
  <span className='graph-dot' data-side={side} data-colour={colour} data-mark={mark} />
);

function InputRow({ port, mark, renderHandle }: {
  port: DrawnInput;
  mark: InputMark | undefined;
  renderHandle: NodeCardProps['renderHandle'];
}) {
  const dot: PortDot = { side: 'input', colour: portColour(port.types), mark: mark ?? 'empty' };
  return (
    <li className='graph-port' title={hintOf(port, mark)}>
      {renderHandle === undefined ? <StaticDot {...dot} /> : renderHandle(port, dot)}
      <span className='graph-port-name'>{port.name === '' ? 'input' : port.name}</span>
      {port.isRequired && <abbr className='graph-required' title='required'>*</abbr>}
      {mark === 'set' && <span className='graph-value'>{port.value}</span>}
      {port.isPassedOn && renderHandle?.(port, { ...dot, side: 'passed on', mark: 'empty' })}
    </li>
  );
}

function OutputRow({ port, isConnected, renderHandle }: {
  port: DrawnPort;
  isConnected: boolean;
  renderHandle: NodeCardProps['renderHandle'];
}) {
  const dot: PortDot = {
    side: 'output',
    colour: portColour(port.types),
    mark: isConnected ? 'connected' : 'empty',
  };
  return (
    <li className='graph-port graph-output' title={hintOf(port)}>
      {port.value !== undefined && <span className='graph-value'>{port.value}</span>}
      <span className='graph-port-name'>{port.name === '' ? 'output' : port.name}</span>
      {renderHandle === undefined ? <StaticDot {...dot} /> : renderHandle(port, dot)}
    </li>
  );
}

/**
 * The colours that the definition gives the head of the node, as CSS properties. `graph.css` chooses one by the colour
 * scheme.
 */
function ownColours({ colour }: DrawnNode): CSSProperties | undefined {
  const isPlain = (hex: string) => ['#fff', '#ffffff', '#000', '#000000'].includes(hex.toLowerCase());
  const properties = (['light', 'dark'] as const).flatMap((scheme): [string, string][] => {
    const ground = colour[scheme];
    if (ground === undefined || isPlain(ground)) return [];
    return [[`--graph-${scheme}-ground`, ground], [`--graph-${scheme}-text`, textOn(ground)]];
  });
  // SAFETY: React accepts custom CSS properties, although its type does not name them.
  return properties.length === 0 ? undefined : Object.fromEntries(properties) as CSSProperties;
}

const NodeHead = ({ node }: { node: DrawnNode }) => (
  <div className='graph-head' style={ownColours(node)}>
    {node.icon === undefined
      ? <CategoryIcon category={categoryOf(node)} />
      : <img className='graph-icon' src={node.icon} alt='' draggable={false} />}
    <span className='graph-title' title={node.title}>{node.title}</span>
    {node.isDisabled
      ? <span className='graph-kind'>disabled</span>
      : node.kind !== 'native' && <span className='graph-kind'>{node.kind}</span>}
  </div>
);

/** The summary of a node, for a canvas on which ports would be too small to read. It keeps the height of the node. */
export const NodeSummary = memo(function NodeSummary(props: {
  node: DrawnNode;
  height: number | undefined;
  isSelected: boolean;
  state: NodeState | undefined;
  isFaulty: boolean;
  /** True if the summary shows neither the name nor the state. */
  isBlock: boolean;
  children: ReactNode;
}) {
  const { node, height, isSelected, state, isFaulty, isBlock, children } = props;
  return (
    <div
      className={isBlock ? 'graph-node graph-block' : 'graph-node graph-summary'}
      style={{ height }}
      data-selected={isSelected || undefined}
      data-state={state}
      data-disabled={node.isDisabled || undefined}
      data-faulty={isFaulty || undefined}
      data-category={categoryOf(node)}
    >
      {!isBlock && (
        <>
          <CategoryIcon category={categoryOf(node)} />
          <span className='graph-summary-title'>{node.title}</span>
          {state !== undefined && <span className='graph-summary-state'>{state}</span>}
        </>
      )}
      {children}
    </div>
  );
});

/** A node as drawn on the canvas: its name and category, its inputs with their values, and its outputs. */
export const NodeCard = memo(function NodeCard(props: NodeCardProps) {
  const { node, isSelected = false, state, reason, isFitting, shown, faults = [], renderHandle, onToggle } = props;
  const { inputs, outputs } = shown ?? node;
  return (
    <div
      className='graph-node'
      data-selected={isSelected || undefined}
      data-state={state}
      data-disabled={node.isDisabled || undefined}
      data-faulty={faults.length > 0 || undefined}
      data-category={categoryOf(node)}
      data-fits={isFitting}
    >
      <NodeHead node={node} />
      {state !== undefined && (
        <div className='graph-state' title={reason}>{reason === undefined ? state : `${state} ${reason}`}</div>
      )}
      {faults.length > 0 && (
        <div className='graph-faults' title={faults.join('\n')}>
          <p>{faults.join(' · ')}</p>
        </div>
      )}
      <ul className='graph-ports'>
        {inputs.map((port) => (
          <InputRow key={`in ${port.id}`} port={port} mark={shown?.marks.get(port.id)} renderHandle={renderHandle} />
        ))}
        {outputs.map((port) => (
          <OutputRow
            key={`out ${port.id}`}
            port={port}
            isConnected={shown?.connectedOutputs.has(port.id) === true}
            renderHandle={renderHandle}
          />
        ))}
      </ul>
      {shown !== undefined && (shown.hidden > 0 || shown.isExpanded) && (
        <button
          type='button'
          className='graph-more nodrag nokey'
          aria-expanded={shown.isExpanded}
          onClick={(event) => {
            event.stopPropagation();
            onToggle?.();
          }}
        >
          {shown.isExpanded ? 'Show fewer' : `${shown.hidden} more`}
        </button>
      )}
    </div>
  );
});
