import { Alert } from '@mantine/core';
import { useCallback, useRef } from 'react';
import { ErrorAlert } from '../../shared/error_alert.tsx';
import { Page } from '../../shared/page.tsx';
import { Canvas } from './canvas.tsx';
import { ConflictDialog } from './conflict_dialog.tsx';
import { DeployResult } from './deploy_result.tsx';
import { useEditor, useEditorState } from './editor_context.tsx';
import { NodePanel } from './node_panel.tsx';
import { Palette } from './palette.tsx';
import { useShortcuts } from './shortcuts.ts';
import { Toolbar } from './toolbar.tsx';
import { useAdding } from './use_adding.ts';
import { useDeploying } from './use_deploying.ts';
import { useSaving } from './use_saving.ts';

/** The editor of a flow: the palette, the canvas, and the selected node. */
export function FlowEditor() {
  const { flow, isOwner } = useEditor();
  const { notice, settings } = useEditorState();
  const canvas = useRef<HTMLDivElement>(null);
  const saving = useSaving();
  const deploying = useDeploying(saving);
  const { add, error: addingError } = useAdding(canvas);
  const addById = useCallback((id: string) => add({ id }), [add]);
  useShortcuts(() => void saving.save());
  return (
    <>
      <Page
        title={settings.name === '' ? `Flow ${flow.id}` : settings.name}
        parents={[{ title: 'Flows', href: '/flows' }]}
        actions={<Toolbar saving={saving} deploying={deploying} />}
      >
        {!isOwner && (
          <Alert color='blue'>
            This flow is somebody else’s. You may look at it, and save a copy of your own. Its environment and the
            address of its RPC are not shown: a copy has none, and the public address of the cluster.
          </Alert>
        )}
        <ErrorAlert error={saving.error} />
        <ErrorAlert error={addingError} />
        <DeployResult deploying={deploying} />
        <div className='editor-notice' role='status'>{notice}</div>
        <div className='editor'>
          {isOwner && <Palette onAdd={addById} />}
          <div ref={canvas} className='editor-canvas'>
            <Canvas onDropDefinition={(id, at) => add({ id, at })} />
          </div>
          <aside className='editor-panel'>
            <NodePanel />
          </aside>
        </div>
      </Page>
      <ConflictDialog saving={saving} />
    </>
  );
}
