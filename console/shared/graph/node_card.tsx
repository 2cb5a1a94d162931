import { useComputedColorScheme } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { textOn } from './colours.ts';
import type { DrawnInput, DrawnNode, DrawnPort } from './drawn_node.ts';
import './graph.css';

/** The state of a node in a run. */
export type NodeState = 'waiting' | 'running' | 'succeeded' | 'handled' | 'failed' | 'not run' | 'stopped';

/** The source of an input's value. */
export type InputMark = 'connected' | 'set' | 'missing' | 'empty';

const INPUT_TEXTS: Record<InputMark, string> = {
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
  /** The state of each input, by the input's id. */
  inputStates?: ReadonlyMap<string, InputMark>;
  /** The faults of the node. */
  faults?: readonly string[];
  /** Renders the handle at which edges end. */
  renderHandle?: (port: DrawnPort, side: 'input' | 'output' | 'passed on') => ReactNode;
}

const PortName = ({ port, fallback }: { port: DrawnPort; fallback: string }) => (
  <span className='graph-port-name'>{port.name === '' ? fallback : port.name}</span>
);

function InputRow({ port, state, renderHandle }: {
  port: DrawnInput;
  state: InputMark | undefined;
  renderHandle: NodeCardProps['renderHandle'];
}) {
  const shown = state ?? (port.isRequired ? 'missing' : 'empty');
  return (
    <li className='graph-port' title={port.description || undefined}>
      {renderHandle?.(port, 'input')}
      <span className='graph-dot' data-state={state ?? 'empty'} title={state && INPUT_TEXTS[shown]} />
      <PortName port={port} fallback='input' />
      {port.isRequired && <abbr className='graph-required' title='required'>*</abbr>}
      <span className='graph-type'>{port.types.join(' | ')}</span>
      {port.isPassedOn && renderHandle?.(port, 'passed on')}
    </li>
  );
}

/** A node as drawn on the canvas: its name in its colours, its inputs, and its outputs with their types. */
export const NodeCard = memo(function NodeCard(props: NodeCardProps) {
  const { node, isSelected = false, state, inputStates, faults = [], renderHandle } = props;
  const scheme = useComputedColorScheme('light');
  const ground = node.colour[scheme];
  const isPlain = ground === undefined || ['#fff', '#ffffff', '#000', '#000000'].includes(ground.toLowerCase());
  return (
    <div
      className='graph-node'
      data-selected={isSelected || undefined}
      data-state={state}
      data-faulty={faults.length > 0 || undefined}
    >
      <div className='graph-head' style={isPlain ? undefined : { background: ground, color: textOn(ground) }}>
        {node.icon === undefined
          ? <span className='graph-initial' aria-hidden='true'>{[...node.title][0]?.toUpperCase()}</span>
          : <img className='graph-icon' src={node.icon} alt='' draggable={false} />}
        <span className='graph-title' title={node.title}>{node.title}</span>
        {node.kind !== 'native' && <span className='graph-kind'>{node.kind}</span>}
      </div>
      {state !== undefined && <div className='graph-state'>{state}</div>}
      {faults.length > 0 && (
        <ul className='graph-faults'>{faults.map((fault, index) => <li key={index}>{fault}</li>)}</ul>
      )}
      <ul className='graph-ports'>
        {node.inputs.map((port) => (
          <InputRow key={`in ${port.id}`} port={port} state={inputStates?.get(port.id)} renderHandle={renderHandle} />
        ))}
        {node.outputs.map((port) => (
          <li key={`out ${port.id}`} className='graph-port graph-output' title={port.description || undefined}>
            <span className='graph-type'>{port.types.join(' | ')}</span>
            <PortName port={port} fallback='output' />
            {renderHandle?.(port, 'output')}
          </li>
        ))}
      </ul>
    </div>
  );
});
