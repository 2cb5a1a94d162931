import { Button } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useCallback, useRef } from 'react';
import { NodeMarks } from '../../../shared/graph/graph_node.tsx';
import { Icon } from '../../../shared/icon.tsx';
import { Canvas } from '../canvas/canvas.tsx';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { useCommands } from '../keys/commands_context.tsx';
import { NodeMark } from '../last_run/canvas/node_mark.tsx';
import { usePointerMenu } from '../menu/use_pointer_menu.ts';
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
  const { isOwner } = useEditor();
  const { document, selected } = useEditorState();
  const canvas = useRef<HTMLDivElement>(null);
  const palette = usePalette();
  const { part, open, close, addNode } = useCommands();
  const { add, error } = useAdding(canvas);
  const choose = useCallback((id: string, isLast: boolean) => {
    const { at, join } = palette.request ?? {};
    add({ id, ...(at && { at }), ...(join && { join }) });
    if (isLast) palette.close();
    else palette.open();
  }, [add, palette]);
  const onContextMenu = usePointerMenu(open);
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
