import { type FinalConnectionState, type OnConnectStartParams, useReactFlow } from '@xyflow/react';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import type { DrawnEdge, Point } from '../../../shared/graph/drawn_node.ts';
import type { FittingPorts } from '../../../shared/graph/graph_node.tsx';
import { usePlaceInside } from '../../../shared/menu/use_place_inside.ts';
import { connect, whyRefused } from '../actions.ts';
import { useEditor } from '../editor_context.tsx';
import type { EditorStore } from '../editor_store.ts';
import { usePalette } from '../palette/palette_context.tsx';
import { nodesById } from '../view.ts';
import { type DragFrom, edgesTo, edgeToNewInput, fittingPorts, type PossibleEdge, whyNoPort } from './drag.ts';
import { paletteRequest } from './palette_request.ts';
import './connecting.css';

const PortMenu = lazy(() => import('./port_menu.tsx'));

/** Milliseconds after which the reason for a refused drop disappears. A click or a key removes the reason at once. */
const REASON_MS = 8_000;

/** The answer to a drop, shown at the pointer: why nothing happened, or the ports to choose from. */
interface DropAnswer {
  /** The place in the window, in pixels. */
  at: Point;
  reason?: string;
  menu?: { title: string; choices: PossibleEdge[] };
}

/** Returns the edge of a drag that ended at a handle. The drag may have begun at either end of the edge. */
function edgeOf({ fromHandle, toHandle }: FinalConnectionState): DrawnEdge | undefined {
  if (!fromHandle || !toHandle) return undefined;
  const [source, target] = fromHandle.type === 'source' ? [fromHandle, toHandle] : [toHandle, fromHandle];
  return {
    source: source.nodeId,
    sourceHandle: source.id ?? '',
    target: target.nodeId,
    targetHandle: target.id ?? '',
  };
}

const pointOf = (event: MouseEvent | TouchEvent): Point => {
  const { clientX, clientY } = 'changedTouches' in event ? event.changedTouches[0]! : event;
  return { x: clientX, y: clientY };
};

/**
 * Answers a drop on a node. If one edge fits, draws the edge. If several fit, offers them. Otherwise returns the reason
 * why no edge fits.
 */
function dropOnNode(store: EditorStore, from: DragFrom, nodeId: string): Omit<DropAnswer, 'at'> | undefined {
  const { document } = store.state();
  const node = nodesById(document).get(nodeId);
  if (node === undefined || nodeId === from.nodeId) return undefined;
  const edges = edgesTo(document, from, node);
  const fitting: PossibleEdge[] = edges.filter(({ reason }) => reason === undefined)
    .toSorted((a, b) => a.rank - b.rank);
  const toNew = fitting.length === 1 ? undefined : edgeToNewInput(document, from, node);
  const choices = toNew === undefined ? fitting : [...fitting, toNew];
  const [only, ...others] = choices;
  if (only === undefined) return { reason: whyNoPort(from, node, edges) };
  if (others.length > 0 || only.isNew) return { menu: { title: `Ports of “${node.title}”`, choices } };
  connect(store, only.edge);
  return undefined;
}

/**
 * Closes the answer to a drop when the user clicks outside of it. An answer that is a reason also closes after some
 * seconds or when the user presses a key.
 */
function useEnding(answer: DropAnswer | undefined, end: () => void): void {
  useEffect(() => {
    if (answer === undefined) return;
    const stop = new AbortController();
    const { signal } = stop;
    const onPointer = (event: Event) => {
      if (!(event.target instanceof Element && event.target.closest('[role=menu]'))) end();
    };
    document.addEventListener('pointerdown', onPointer, { signal, capture: true });
    if (answer.reason !== undefined) document.addEventListener('keydown', end, { signal, capture: true });
    const timer = answer.reason === undefined ? undefined : setTimeout(end, REASON_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [answer, end]);
}

interface AnswerProps {
  answer: DropAnswer | undefined;
  onChoose: (choice: PossibleEdge) => void;
  onClose: () => void;
}

function Answer({ answer, onChoose, onClose }: AnswerProps): ReactNode {
  const reason = usePlaceInside<HTMLDivElement>(answer?.at);
  return (
    <>
      <div role='status' ref={reason} className='connecting-answer'>
        {answer?.reason !== undefined && <div className='connecting-reason'>{answer.reason}</div>}
      </div>
      {answer?.menu && (
        <Suspense>
          <PortMenu {...answer.menu} at={answer.at} onChoose={onChoose} onClose={onClose} />
        </Suspense>
      )}
    </>
  );
}

/**
 * Returns the canvas's properties for drawing edges with the pointer, the ports at which the present drag may end, and
 * the answer to the last drop.
 */
export function useConnecting() {
  const { store } = useEditor();
  const palette = usePalette();
  const { screenToFlowPosition } = useReactFlow();
  const [fits, setFits] = useState<FittingPorts>();
  const [answer, setAnswer] = useState<DropAnswer>();
  const [close] = useState(() => () => setAnswer(undefined));
  useEnding(answer, close);
  const onConnectStart = (_: unknown, { nodeId, handleId, handleType }: OnConnectStartParams) => {
    if (nodeId === null) return;
    const from: DragFrom = { nodeId, handle: handleId ?? '', side: handleType === 'target' ? 'input' : 'output' };
    setFits(fittingPorts(store.state().document, from));
    close();
  };
  const onConnectEnd = (event: MouseEvent | TouchEvent, connection: FinalConnectionState) => {
    setFits(undefined);
    const { fromHandle } = connection;
    if (fromHandle === null || connection.isValid === true) return;
    const from: DragFrom = {
      nodeId: fromHandle.nodeId,
      handle: fromHandle.id ?? '',
      side: fromHandle.type === 'target' ? 'input' : 'output',
    };
    const point = pointOf(event);
    const under = document.elementFromPoint(point.x, point.y);
    if (!under?.closest('.graph-canvas')) return;
    const at = { x: point.x + 12, y: point.y + 12 };
    const edge = edgeOf(connection);
    const nodeId = under.closest<HTMLElement>('.react-flow__node')?.dataset.id;
    const found = edge !== undefined
      ? { reason: whyRefused(store, edge) ?? '' }
      : nodeId === undefined
      ? undefined
      : dropOnNode(store, from, nodeId);
    if (found !== undefined) setAnswer({ at, ...found });
    else if (nodeId === undefined) palette.open(paletteRequest(store, from, screenToFlowPosition(point)));
  };
  const element = (
    <Answer
      answer={answer}
      onClose={close}
      onChoose={({ edge, isNew }) => {
        if (isNew) void import('../ports/connect_new_input.ts').then((module) => module.connectNewInput(store, edge));
        else connect(store, edge);
        close();
      }}
    />
  );
  return { onConnectStart, onConnectEnd, fits, element };
}
