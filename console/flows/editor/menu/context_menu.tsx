import { UnstyledButton } from '@mantine/core';
import { useReactFlow } from '@xyflow/react';
import { Fragment } from 'react';
import { PointMenu } from '../../../shared/menu/point_menu.tsx';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { useCommands } from '../keys/commands_context.tsx';
import { useLastRun } from '../last_run/last_run_context.tsx';
import { nodesInScope } from '../last_run/store/reach.ts';
import { focusFirstField } from '../layout/focus_node.ts';
import { useLayingOut } from '../layout/use_laying_out.ts';
import { usePalette } from '../palette/palette_context.tsx';
import { menuEntries } from './entries.ts';
import type { MenuRequest } from './menu_request.ts';

/** The menu of the selected nodes or edges, or of the canvas, with the shortcut beside each entry. */
export default function ContextMenu({ request: { of, at } }: { request: MenuRequest }) {
  const { store, isOwner } = useEditor();
  const state = useEditorState();
  const commands = useCommands();
  const palette = usePalette();
  const { run } = useLastRun();
  const { screenToFlowPosition } = useReactFlow();
  const layingOut = useLayingOut();
  const groups = menuEntries(of, state, {
    commands,
    isOwner,
    addHere: () => palette.open({ at: screenToFlowPosition(at) }),
    layOut: layingOut.mutate,
    runScope: (id, scope) => run({ only: nodesInScope(store.state().document, id, scope) }),
    openPanel: focusFirstField,
  });
  return (
    <PointMenu label={of === 'canvas' ? 'The canvas' : 'The selection'} at={at} onClose={commands.close}>
      {groups.map((entries, index) => (
        <Fragment key={entries[0]!.label}>
          {index > 0 && <hr />}
          {entries.map(({ label, keys, isDisabled = false, choose }) => (
            <UnstyledButton
              key={label}
              role='menuitem'
              className='point-menu-item'
              disabled={isDisabled}
              onClick={() => {
                commands.close();
                choose();
              }}
            >
              <span>{label}</span>
              {keys !== undefined && <span className='point-menu-keys'>{keys}</span>}
            </UnstyledButton>
          ))}
        </Fragment>
      ))}
    </PointMenu>
  );
}
