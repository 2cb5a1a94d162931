import { Button, Divider, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useReactFlow } from '@xyflow/react';
import type { GraphNode } from '../../shared/graph/graph_node.tsx';
import { showAll } from '../../shared/graph/show_all.ts';
import { fileName, saveFile } from '../../shared/save_file.ts';
import { toEditorFile } from '../flow_rows.ts';
import { duplicateSelected, removeSelected } from './actions.ts';
import { useEditor, useEditorState } from './editor_context.tsx';
import { layOutDocument, moveNodes } from './flow_document.ts';
import { FlowSettings } from './settings/flow_settings.tsx';
import { RunButton } from './last_run/run_button.tsx';
import { HistoryButton } from './history/history_button.tsx';
import { ProblemsButton } from './problems/problems_button.tsx';
import { Tool } from './tool.tsx';
import type { Deploying } from './deploying/use_deploying.ts';
import type { Saving } from './use_saving.ts';

/** The tools that change the drawing. */
function DrawingTools() {
  const { store, flow: { id } } = useEditor();
  const { canUndo, canRedo, selected, selectedEdges, document, settings } = useEditorState();
  const canvas = useReactFlow<GraphNode>();
  // The user may delete nodes while the layout is computed, so only nodes that still exist are moved.
  const layingOut = useMutation({
    mutationFn: () => layOutDocument(store.state().document),
    onSuccess: (places) => {
      store.change((current) => moveNodes(current, places));
      requestAnimationFrame(() => showAll(canvas));
    },
  });
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

/** The buttons of the editor. */
export function Toolbar({ saving, deploying, onFind, onHelp }: {
  saving: Saving;
  deploying: Deploying;
  onFind: () => void;
  onHelp: () => void;
}) {
  const { isOwner } = useEditor();
  const [isSetting, settings] = useDisclosure();
  return (
    <div className='editor-toolbar'>
      <div className='editor-tools'>
        <DrawingTools />
        <Group gap={2} wrap='nowrap'>
          <Tool icon='search' label='Find in the flow' onClick={onFind} />
          <Tool icon='help' label='Shortcuts' onClick={onHelp} />
        </Group>
        {isOwner && (
          <>
            <Divider orientation='vertical' />
            <ProblemsButton />
            <HistoryButton saving={saving} />
            <Tool icon='gear' label='Flow settings' onClick={settings.open} />
          </>
        )}
      </div>
      <Group gap='xs' wrap='nowrap'>
        {isOwner
          ? (
            <>
              <Button size='xs' variant='default' loading={saving.isPending} onClick={() => void saving.save()}>
                Save
              </Button>
              <Button size='xs' variant='default' loading={deploying.isPending} onClick={deploying.deploy}>
                Deploy
              </Button>
              <RunButton />
            </>
          )
          : <Button size='xs' loading={saving.isPending} onClick={() => void saving.saveCopy()}>Save a copy</Button>}
      </Group>
      {isSetting && <FlowSettings onClose={settings.close} />}
    </div>
  );
}
