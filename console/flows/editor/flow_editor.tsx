import { Alert, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useCallback, useRef } from 'react';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { NodeMarks } from '../../shared/graph/graph_node.tsx';
import { Icon } from '../../shared/icon.tsx';
import { Canvas } from './canvas.tsx';
import { requestForSelection } from './connecting/insert_on_edge.ts';
import { useEditor, useEditorState } from './editor_context.tsx';
import { useShortcuts } from './keys/use_shortcuts.ts';
import { NodeMark } from './last_run/canvas/node_mark.tsx';
import { LastRunProvider, useLastRun } from './last_run/last_run_context.tsx';
import { DrawerBelow } from './layout/drawer_below.tsx';
import { FirstNode } from './layout/first_node.tsx';
import { Messages } from './layout/messages.tsx';
import { RightDrawer } from './layout/right_drawer.tsx';
import { Palette } from './palette/palette.tsx';
import { usePalette } from './palette/palette_context.tsx';
import { RenamedDialog } from './title/renamed_dialog.tsx';
import { TitleBar } from './title/title_bar.tsx';
import { Toolbar } from './toolbar.tsx';
import { useAdding } from './use_adding.ts';
import { useDeploying } from './deploying/use_deploying.ts';
import { type Saving, useSaving } from './use_saving.ts';

const ConflictDialog = lazy(async () => ({ default: (await import('./conflict_dialog.tsx')).ConflictDialog }));
const FindBar = lazy(() => import('./find/find_bar.tsx'));
// This bar is loaded when several nodes are selected, so that the editor's first load stays small.
const SelectionBar = lazy(async () => ({ default: (await import('./selection/selection_bar.tsx')).SelectionBar }));
const ShortcutsDialog = lazy(() => import('./keys/shortcuts_dialog.tsx'));
const DeployResult = lazy(async () => ({ default: (await import('./deploying/deploy_result.tsx')).DeployResult }));
const DeployQuestion = lazy(() => import('./problems/deploy_question.tsx'));

/** The editor of a flow: a row with its title and tools, the canvas, and drawers beside and below it. */
function OpenEditor({ saving }: { saving: Saving }) {
  const { store, isOwner } = useEditor();
  const { document, selected } = useEditorState();
  const canvas = useRef<HTMLDivElement>(null);
  const deploying = useDeploying(saving);
  const palette = usePalette();
  const { add, error: addingError } = useAdding(canvas);
  const choose = useCallback((id: string, isLast: boolean) => {
    const { at, join } = palette.request ?? {};
    add({ id, ...(at && { at }), ...(join && { join }) });
    if (isLast) palette.close();
    else palette.open();
  }, [add, palette]);
  const { run, isStarting } = useLastRun();
  const [isFinding, find] = useDisclosure();
  const [isHelping, help] = useDisclosure();
  useShortcuts({
    save: () => void saving.save(),
    addNode: () => palette.open(requestForSelection(store.state())),
    find: find.open,
    run: () => {
      // A dialog may ask for the inputs of a run already.
      if (!isStarting && window.document.querySelector('[role=dialog][aria-modal=true]') === null) run();
    },
    help: help.open,
  });
  return (
    <div className='editor'>
      <TitleBar>
        <Toolbar saving={saving} deploying={deploying} onFind={find.open} onHelp={help.open} />
      </TitleBar>
      <div className='editor-body'>
        <div className='editor-middle'>
          <div ref={canvas} className='editor-canvas'>
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
                onClick={() => palette.open(requestForSelection(store.state()))}
              >
                Add node
              </Button>
            )}
            {isOwner && selected.size > 1 && (
              <Suspense fallback={null}>
                <SelectionBar />
              </Suspense>
            )}
            {palette.request && <Palette request={palette.request} onChoose={choose} onClose={palette.close} />}
            <Suspense>{isFinding && <FindBar onClose={find.close} />}</Suspense>
            <Messages>
              {!isOwner && (
                <Alert color='blue'>
                  This flow is somebody else’s. You may read it, and save a copy of your own. You can’t see its
                  environment and its RPC address. A copy has no environment, and uses the public address of the
                  cluster.
                </Alert>
              )}
              <ErrorAlert error={saving.error} />
              <ErrorAlert error={addingError} />
              {(deploying.deployed !== undefined || deploying.error !== null) && (
                <Suspense>
                  <DeployResult deploying={deploying} />
                </Suspense>
              )}
            </Messages>
          </div>
          <DrawerBelow />
        </div>
        <RightDrawer />
      </div>
      <Suspense>{saving.isConflict && <ConflictDialog saving={saving} />}</Suspense>
      <RenamedDialog />
      <Suspense>{isHelping && <ShortcutsDialog onClose={help.close} />}</Suspense>
      {deploying.asked && (
        <Suspense>
          <DeployQuestion {...deploying.asked} onDeploy={deploying.confirm} onClose={deploying.cancel} />
        </Suspense>
      )}
    </div>
  );
}

/** The editor of a flow, with its last run. */
export function FlowEditor() {
  const saving = useSaving();
  return (
    <LastRunProvider saving={saving}>
      <OpenEditor saving={saving} />
    </LastRunProvider>
  );
}
