import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import type { GraphNode } from '../../../shared/graph/graph_node.tsx';
import { LazyMarkdown } from '../../../shared/markdown/lazy_markdown.tsx';

const textOf = (text: unknown): string => typeof text === 'string' ? text : '';

/** A note on the canvas. Its Markdown is shown without HTML. */
export const NoteNode = memo(function NoteNode({ data, selected }: NodeProps<GraphNode>) {
  const text = textOf(data.text);
  return (
    <div className='editor-note nowheel' data-selected={selected || undefined} tabIndex={-1}>
      {text === '' ? <p className='editor-note-empty'>An empty note</p> : <LazyMarkdown text={text} />}
    </div>
  );
});

/** The frame of a group, with its title. Only the title reacts to the pointer. */
export const FrameNode = memo(function FrameNode({ data, selected }: NodeProps<GraphNode>) {
  return (
    <div className='editor-frame' data-selected={selected || undefined}>
      <div className='editor-frame-title'>{data.node.title}</div>
    </div>
  );
});
