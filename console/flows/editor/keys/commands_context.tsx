import { createContext, type ReactNode, use, useCallback, useState } from 'react';
import { requestForSelection } from '../connecting/insert_on_edge.ts';
import { useEditor } from '../editor_context.tsx';
import { useLastRun } from '../last_run/last_run_context.tsx';
import { isCovered } from '../layout/focus_node.ts';
import { menuAt, type MenuRequest } from '../menu/menu_request.ts';
import { usePalette } from '../palette/palette_context.tsx';
import type { Saving } from '../use_saving.ts';
import type { CommandTarget } from './shortcut_table.ts';
import { useShortcuts } from './use_shortcuts.ts';

/** The parts of the editor that open by a command, one at a time. */
type OpenPart = 'find' | 'help' | 'extract' | MenuRequest;

interface Commands extends CommandTarget {
  /** The open part; undefined if none is open. */
  part: OpenPart | undefined;
  open: (part: OpenPart) => void;
  close: () => void;
}

const CommandsContext = createContext<Commands | undefined>(undefined);

/** Provides the commands of the editor, and listens to their shortcuts. */
export function CommandsProvider({ saving, children }: { saving: Saving; children: ReactNode }) {
  const { store } = useEditor();
  const palette = usePalette();
  const { run, isStarting } = useLastRun();
  const [part, open] = useState<OpenPart>();
  const close = useCallback(() => open(undefined), []);
  const target: CommandTarget = {
    store,
    save: () => void saving.save(),
    addNode: () => palette.open(requestForSelection(store.state())),
    find: () => open('find'),
    run: () => {
      // A dialog may ask for the inputs of a run already.
      if (!isStarting && !isCovered()) run();
    },
    help: () => open('help'),
    extract: () => open('extract'),
    openMenu: () => open(menuAt(store, document.activeElement)),
  };
  useShortcuts(target);
  return <CommandsContext value={{ ...target, part, open, close }}>{children}</CommandsContext>;
}

/** Returns the commands of the editor. Throws outside of a CommandsProvider. */
export function useCommands(): Commands {
  const commands = use(CommandsContext);
  if (commands === undefined) throw new Error('There is no CommandsProvider.');
  return commands;
}
