import { Alert } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useReactFlow } from '@xyflow/react';
import { useRef } from 'react';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/error_alert.tsx';
import { type Point, readPosition } from '../../shared/graph/drawn_node.ts';
import { NODE_WIDTH } from '../../shared/graph/layout.ts';
import { Page } from '../../shared/page.tsx';
import { Canvas } from './canvas.tsx';
import { ConflictDialog } from './conflict_dialog.tsx';
import { makeNode } from './definition.ts';
import { readDefinition } from './definitions.ts';
import { DeployResult } from './deploy_result.tsx';
import { useEditor, useEditorState } from './editor_context.tsx';
import { nodeIdOf } from './flow_document.ts';
import { NodePanel } from './node_panel.tsx';
import { Palette } from './palette.tsx';
import { useShortcuts } from './shortcuts.ts';
import { Toolbar } from './toolbar.tsx';
import { useDeploying } from './use_deploying.ts';
import { useSaving } from './use_saving.ts';

/** Adds nodes of definitions: where they are dropped, else beside the selected node, else in the middle. */
function useAdding(canvas: React.RefObject<HTMLDivElement | null>) {
  const { store } = useEditor();
  const { db } = useApi();
  const queryClient = useQueryClient();
  const { screenToFlowPosition } = useReactFlow();
  const placeForNew = (): Point => {
    const { document, selected } = store.state();
    const [id] = selected;
    const beside = selected.size === 1 ? document.nodes.find((node) => nodeIdOf(node) === id) : undefined;
    const place = beside && readPosition(beside);
    if (place !== undefined) return { x: place.x + NODE_WIDTH + 80, y: place.y };
    const { left, top, width, height } = canvas.current!.getBoundingClientRect();
    return screenToFlowPosition({ x: left + width / 2 - NODE_WIDTH / 2, y: top + height / 2 - 60 });
  };
  const { mutate, error } = useMutation({
    mutationFn: async ({ id, at }: { id: string; at?: Point }) => {
      const definition = await queryClient.fetchQuery({
        queryKey: ['nodes', 'definition', id],
        queryFn: () => readDefinition(db, id),
        staleTime: 60_000,
      });
      const node = makeNode(definition, at ?? placeForNew());
      store.change((document) => ({ ...document, nodes: [...document.nodes, node] }));
      store.select(new Set([nodeIdOf(node)]));
    },
  });
  return { add: mutate, error };
}

/** The editor of a flow: the palette, the canvas, and the selected node. */
export function FlowEditor() {
  const { flow, isOwner } = useEditor();
  const { notice, settings } = useEditorState();
  const canvas = useRef<HTMLDivElement>(null);
  const saving = useSaving();
  const deploying = useDeploying(saving);
  const adding = useAdding(canvas);
  useShortcuts(() => void saving.save());
  return (
    <>
      <Page
        title={settings.name === '' ? `Flow ${flow.id}` : settings.name}
        parents={[{ title: 'Flows', href: '/flows' }]}
        actions={<Toolbar saving={saving} deploying={deploying} />}
      >
        {!isOwner && (
          <Alert color='blue'>This flow is somebody else’s. You may look at it, and save a copy of your own.</Alert>
        )}
        <ErrorAlert error={saving.error} />
        <ErrorAlert error={adding.error} />
        <DeployResult deploying={deploying} />
        <div className='editor-notice' role='status'>{notice}</div>
        <div className='editor'>
          {isOwner && <Palette onAdd={(id) => adding.add({ id })} />}
          <div ref={canvas} className='editor-canvas'>
            <Canvas onDropDefinition={(id, at) => adding.add({ id, at })} />
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
