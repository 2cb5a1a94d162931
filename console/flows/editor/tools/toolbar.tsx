import { Button, Divider, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Deploying } from '../deploying/use_deploying.ts';
import { useEditor } from '../editor_context.tsx';
import { HistoryButton } from '../history/history_button.tsx';
import { useCommands } from '../keys/commands_context.tsx';
import { RunButton } from '../last_run/run_button.tsx';
import { ProblemsButton } from '../problems/problems_button.tsx';
import { FlowSettings } from '../settings/flow_settings.tsx';
import type { Saving } from '../use_saving.ts';
import { DrawingTools } from './drawing_tools.tsx';
import { Tool } from './tool.tsx';

/** The buttons of the editor. */
export function Toolbar({ saving, deploying }: { saving: Saving; deploying: Deploying }) {
  const { isOwner } = useEditor();
  const { find, help, save } = useCommands();
  const [isSetting, settings] = useDisclosure();
  return (
    <div className='editor-toolbar'>
      <div className='editor-tools'>
        <DrawingTools />
        <Group gap={2} wrap='nowrap'>
          <Tool icon='search' label='Find in the flow' onClick={find} />
          <Tool icon='help' label='Shortcuts' onClick={help} />
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
              <Button size='xs' variant='default' loading={saving.isPending} onClick={save}>Save</Button>
              <Button
                size='xs'
                variant='default'
                aria-keyshortcuts='Control+Shift+D'
                loading={deploying.isPending}
                onClick={deploying.deploy}
              >
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
