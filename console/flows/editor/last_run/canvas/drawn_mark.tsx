import { useStore } from '@xyflow/react';
import type { ValueMap } from 'flow-deployments-client';
import type { NodeMarkProps } from '../../../../shared/graph/graph_node.tsx';
import { STATE_ICONS } from '../../../../shared/graph/node_state_icons.ts';
import { plainText, shortText } from '../../../../shared/plain_json.ts';
import type { NodeResult } from '../store/node_results.ts';
import './node_mark.css';

/** The most characters of a value in the hint under the pointer. */
const HINT = 1_000;
/** The zoom below which values would be too small to read. */
const READABLE = 0.5;

const isReadable = ({ transform }: { transform: [x: number, y: number, zoom: number] }): boolean =>
  transform[2] >= READABLE;

/** The values of the outputs. Each value is at the handle of its output. */
function OutputValues({ node, handles, outputs, isPinned }: NodeMarkProps & { outputs: ValueMap; isPinned: boolean }) {
  return handles.map(({ id, type, y, height }) => {
    const name = type === 'source' ? node.outputs.find((output) => output.id === id)?.name : undefined;
    const value = name === undefined ? undefined : outputs[name];
    if (value === undefined) return null;
    return (
      <span
        key={id}
        className='run-value'
        data-pinned={isPinned || undefined}
        style={{ top: y + (height ?? 0) / 2 }}
        title={plainText(value).slice(0, HINT)}
      >
        {shortText(value)}
      </span>
    );
  });
}

const StateLine = ({ result, isPinned }: { result: NodeResult | undefined; isPinned: boolean }) => (
  <div className='run-line' data-old={result?.isNewest === false || undefined}>
    {result !== undefined && result.state !== 'not begun' && (
      <span className='run-state' data-state={result.state} title={result.reason}>
        <span aria-hidden='true'>{STATE_ICONS[result.state]}</span> {result.state}
        {result.reason !== undefined && ` ${result.reason}`}
        {result.executions.length > 1 && ` ×${result.executions.length}`}
      </span>
    )}
    {isPinned && <span className='run-pinned'>pinned</span>}
  </div>
);

interface DrawnMarkProps extends NodeMarkProps {
  result: NodeResult | undefined;
  pinned: ValueMap | undefined;
}

/** Draws the state of a node above it, its values at its outputs, and its errors below it. */
export function DrawnMark(props: DrawnMarkProps) {
  const { result, pinned } = props;
  const hasValues = useStore(isReadable);
  const outputs = pinned ?? result?.outputs;
  const faults = result?.faults ?? [];
  return (
    <>
      {result !== undefined && <div className='run-ring' data-state={result.state} />}
      <StateLine result={result} isPinned={pinned !== undefined} />
      {hasValues && outputs !== undefined && (
        <OutputValues {...props} outputs={outputs} isPinned={pinned !== undefined} />
      )}
      {faults.length > 0 && (
        <div className='run-faults' title={faults.join('\n')}>
          <p>{faults.join(' · ')}</p>
        </div>
      )}
    </>
  );
}
