import { useDeploying } from './deploying/use_deploying.ts';
import { CommandsProvider } from './keys/commands_context.tsx';
import { LastRunProvider } from './last_run/last_run_context.tsx';
import { CanvasArea } from './layout/canvas_area.tsx';
import { DrawerBelow } from './layout/drawer_below.tsx';
import { EditorDialogs } from './layout/editor_dialogs.tsx';
import { EditorMessages } from './layout/editor_messages.tsx';
import { RightDrawer } from './layout/right_drawer.tsx';
import { TitleBar } from './title/title_bar.tsx';
import { Toolbar } from './tools/toolbar.tsx';
import { type Saving, useSaving } from './use_saving.ts';

/** A row with the title and tools of a flow, the canvas, and drawers beside and below it. */
function OpenEditor({ saving }: { saving: Saving }) {
  const deploying = useDeploying(saving);
  return (
    <div className='editor'>
      <TitleBar>
        <Toolbar saving={saving} deploying={deploying} />
      </TitleBar>
      <div className='editor-body'>
        <div className='editor-middle'>
          <CanvasArea
            messages={(error) => <EditorMessages saving={saving} deploying={deploying} addingError={error} />}
          />
          <DrawerBelow />
        </div>
        <RightDrawer />
      </div>
      <EditorDialogs saving={saving} deploying={deploying} />
    </div>
  );
}

/** The editor of a flow, with its last run and its commands. */
export function FlowEditor() {
  const saving = useSaving();
  return (
    <LastRunProvider saving={saving}>
      <CommandsProvider saving={saving}>
        <OpenEditor saving={saving} />
      </CommandsProvider>
    </LastRunProvider>
  );
}
