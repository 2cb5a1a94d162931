import { ActionIcon, CloseButton, Paper, Text, TextInput } from '@mantine/core';
import { useReactFlow, useStoreApi } from '@xyflow/react';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { type Point, readPosition } from '../../../shared/graph/drawn_node.ts';
import { NODE_WIDTH, nodeHeight } from '../../../shared/graph/node_size.ts';
import { Icon } from '../../../shared/icon.tsx';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { nodeIdOf } from '../flow_document.ts';
import { drawnNode } from '../view.ts';
import { findNodes, type FoundNode } from './find_nodes.ts';

/** The least zoom at which a found node is shown, so that its text can be read. */
const MIN_ZOOM = 0.75;

/** Returns a function that selects a node and moves it into the middle of the view. */
function useShowNode() {
  const { store } = useEditor();
  const { setViewport, getZoom } = useReactFlow();
  const canvas = useStoreApi();
  return ({ id }: FoundNode) => {
    const json = store.state().document.nodes.find((node) => nodeIdOf(node) === id);
    const { x, y }: Point = readPosition(json) ?? { x: 0, y: 0 };
    store.select(new Set([id]));
    if (json === undefined) return;
    const middle = { x: x + NODE_WIDTH / 2, y: y + nodeHeight(drawnNode(json)) / 2 };
    requestAnimationFrame(() => {
      // The panel of the node is open now. The size is read from the element, because the canvas learns its new size a
      // frame later.
      const { width, height } = canvas.getState().domNode!.getBoundingClientRect();
      const zoom = Math.max(MIN_ZOOM, getZoom());
      void setViewport({ x: width / 2 - middle.x * zoom, y: height / 2 - middle.y * zoom, zoom });
    });
  };
}

/** The search for nodes of the flow. Enter shows the next match, Shift+Enter the previous one. */
export default function FindBar({ onClose }: { onClose: () => void }) {
  const { document } = useEditorState();
  const [text, setText] = useState('');
  /** The index of the shown match; undefined until a match is shown. */
  const [index, setIndex] = useState<number>();
  const found = useMemo(() => findNodes(document, text), [document, text]);
  const show = useShowNode();
  const go = (step: 1 | -1) => {
    if (found.length === 0) return;
    const next = index === undefined ? (step === 1 ? 0 : found.length - 1) : index + step + found.length;
    setIndex(next % found.length);
    show(found[next % found.length]!);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
  };
  const shown = index === undefined ? undefined : found[index];
  return (
    <Paper component='search' withBorder shadow='sm' className='editor-find'>
      <TextInput
        type='search'
        size='xs'
        autoFocus
        aria-label='Find in the flow'
        placeholder='Name, type, port or value'
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setIndex(undefined);
        }}
        onKeyDown={onKeyDown}
      />
      <Text role='status' size='xs' className='editor-find-count'>
        {text.trim() === ''
          ? ''
          : found.length === 0
          ? 'No node'
          : shown === undefined
          ? `${found.length} found`
          : `${index! + 1} of ${found.length}: ${shown.where}`}
      </Text>
      <ActionIcon
        variant='subtle'
        color='gray'
        aria-label='Next node'
        title='Next node (Enter)'
        disabled={found.length === 0}
        onClick={() => go(1)}
      >
        <Icon name='down' size={16} />
      </ActionIcon>
      <CloseButton size='sm' aria-label='Close the search' onClick={onClose} />
    </Paper>
  );
}
