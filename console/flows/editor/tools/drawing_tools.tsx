import { Group } from '@mantine/core';
import { fileName, saveFile } from '../../../shared/save_file.ts';
import { toEditorFile } from '../../flow_rows.ts';
import { duplicateSelected, removeSelected } from '../actions.ts';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { useLayingOut } from '../layout/use_laying_out.ts';
import { Tool } from './tool.tsx';

/** The tools that change the drawing. */
export function DrawingTools() {
  const { store, flow: { id } } = useEditor();
  const { canUndo, canRedo, selected, selectedEdges, document, settings } = useEditorState();
  const layingOut = useLayingOut();
  const exportFile = () =>
    saveFile(
      fileName(settings.name, 'json'),
      'application/json',
      JSON.stringify(toEditorFile({ id, ...settings, ...document }), undefined, 2),
    );
  return (
    <Group gap={2} wrap='nowrap'>
      <Tool icon='undo' label='Undo' disabled={!canUndo} onClick={store.undo} />
      <Tool icon='redo' label='Redo' disabled={!canRedo} onClick={store.redo} />
      <Tool icon='copy' label='Duplicate' disabled={selected.size === 0} onClick={() => duplicateSelected(store)} />
      <Tool
        icon='trash'
        label='Delete'
        disabled={selected.size === 0 && selectedEdges.size === 0}
        onClick={() => removeSelected(store)}
      />
      <Tool
        icon='layout'
        label='Lay out'
        disabled={document.nodes.length === 0}
        isPending={layingOut.isPending}
        onClick={() => layingOut.mutate()}
      />
      <Tool icon='download' label='Export' onClick={exportFile} />
    </Group>
  );
}
