import { Button, Group, Paper } from '@mantine/core';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { groupSelected } from '../actions.ts';
import { align, type Alignment } from './align.ts';

const ALIGNMENTS: [how: Alignment, label: string][] = [
  ['left', 'Align left'],
  ['top', 'Align top'],
  ['across', 'Distribute across'],
  ['down', 'Distribute down'],
];

/** The actions for several selected nodes, at the lower edge of the canvas. */
export function SelectionBar() {
  const { store } = useEditor();
  const { selected } = useEditorState();
  return (
    <Paper
      withBorder
      shadow='sm'
      role='toolbar'
      aria-label={`${selected.size} selected nodes`}
      className='editor-selection-bar'
    >
      <Group gap={2}>
        {ALIGNMENTS.map(([how, label]) => (
          <Button
            key={how}
            size='compact-xs'
            variant='subtle'
            color='gray'
            onClick={() => store.change((document) => align(document, store.state().selected, how))}
          >
            {label}
          </Button>
        ))}
        <Button size='compact-xs' variant='subtle' color='gray' onClick={() => groupSelected(store)}>Group</Button>
      </Group>
    </Paper>
  );
}
