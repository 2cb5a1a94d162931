import { lazy, Suspense } from 'react';
import type { Deploying } from '../deploying/use_deploying.ts';
import { useCommands } from '../keys/commands_context.tsx';
import { RenamedDialog } from '../title/renamed_dialog.tsx';
import type { Saving } from '../use_saving.ts';

const ConflictDialog = lazy(async () => ({ default: (await import('../conflict_dialog.tsx')).ConflictDialog }));
const ShortcutsDialog = lazy(() => import('../keys/shortcuts_dialog.tsx'));
const DeployQuestion = lazy(() => import('../problems/deploy_question.tsx'));
const ExtractDialog = lazy(() => import('../extract/extract_dialog.tsx'));
const ContextMenu = lazy(() => import('../menu/context_menu.tsx'));

/** The dialogs and the menu over the editor. Each is loaded when it first opens, so that the editor's first load stays small. */
export function EditorDialogs({ saving, deploying }: { saving: Saving; deploying: Deploying }) {
  const { part, close } = useCommands();
  return (
    <Suspense>
      {saving.isConflict && <ConflictDialog saving={saving} />}
      <RenamedDialog />
      {part === 'help' && <ShortcutsDialog onClose={close} />}
      {part === 'extract' && <ExtractDialog onClose={close} />}
      {typeof part === 'object' && <ContextMenu request={part} />}
      {deploying.asked && (
        <DeployQuestion {...deploying.asked} onDeploy={deploying.confirm} onClose={deploying.cancel} />
      )}
    </Suspense>
  );
}
