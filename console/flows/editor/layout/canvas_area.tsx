import { Button } from '@mantine/core';
import { lazy, type MouseEvent, type ReactNode, Suspense, useCallback, useRef } from 'react';
import { NodeMarks } from '../../../shared/graph/graph_node.tsx';
import { Icon } from '../../../shared/icon.tsx';
import { Canvas } from '../canvas/canvas.tsx';
import { useEdgeNear } from '../canvas/canvas_events.ts';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { useCommands } from '../keys/commands_context.tsx';
import { NodeMark } from '../last_run/canvas/node_mark.tsx';
import { menuAtPointer } from '../menu/menu_request.ts';
import { useAdding } from '../adding/use_adding.ts';
import { Palette } from '../palette/palette.tsx';
import { usePalette } from '../palette/palette_context.tsx';
import { FirstNode } from './first_node.tsx';

const FindBar = lazy(() => import('../find/find_bar.tsx'));
// This bar is loaded when several nodes are selected, so that the editor's first load stays small.
const SelectionBar = lazy(async () => ({ default: (await import('../selection/selection_bar.tsx')).SelectionBar }));

interface CanvasAreaProps {
  /** Returns the messages over the canvas. The argument is the error of the last addition of a node. */
  messages: (addingError: unknown) => ReactNode;
}

/** The canvas, with the bars, the palette and the messages over it. */
export function CanvasArea({ messages }: CanvasAreaProps) {
  const { store, isOwner } = useEditor();
  const { document, selected } = useEditorState();
  const canvas = useRef<HTMLDivElement>(null);
  const palette = usePalette();
  const { part, open, close, addNode } = useCommands();
  const { add, error } = useAdding(canvas);
  const edgeNear = useEdgeNear();
  const choose = useCallback((id: string, isLast: boolean) => {
    const { at, join } = palette.request ?? {};
    add({ id, ...(at && { at }), ...(join && { join }) });
    if (isLast) palette.close();
    else palette.open();
  }, [add, palette]);
  const onContextMenu = (event: MouseEvent) => {
    const request = menuAtPointer(store, event.target, { x: event.clientX, y: event.clientY }, edgeNear);
    if (request === undefined) return;
    event.preventDefault();
    open(request);
  };
  return (
    <div ref={canvas} className='editor-canvas' onContextMenu={onContextMenu}>
      <NodeMarks value={NodeMark}>
        <Canvas
          onDropDefinition={(id, at) => {
            add({ id, at });
            palette.close();
          }}
        />
      </NodeMarks>
      {isOwner && document.nodes.length === 0 && <FirstNode />}
      {isOwner && (
        <Button
          className='editor-add-node'
          variant='default'
          size='xs'
          leftSection={<Icon name='plus' size={14} />}
          title='Add a node (/)'
          onClick={addNode}
        >
          Add node
        </Button>
      )}
      <Suspense>{isOwner && selected.size > 1 && <SelectionBar />}</Suspense>
      {palette.request && <Palette request={palette.request} onChoose={choose} onClose={palette.close} />}
      <Suspense>{part === 'find' && <FindBar onClose={close} />}</Suspense>
      {messages(error)}
    </div>
  );
}
