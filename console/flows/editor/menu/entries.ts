import { copyText, pasteText, removeSelected } from '../actions.ts';
import type { EditorState, EditorStore } from '../editor_store.ts';
import { nodeIdOf } from '../flow_document.ts';
import { COMMANDS, type CommandTarget } from '../keys/shortcut_table.ts';
import type { RunScope } from '../last_run/store/reach.ts';
import { isAnnotation } from '../notes/annotations.ts';
import { nextToggle } from '../selection/disable.ts';

/** An entry of a context menu. */
export interface MenuEntry {
  label: string;
  /** The shortcut that does the same. */
  keys?: string;
  isDisabled?: boolean;
  choose: () => void;
}

/** The parts of the editor on which the entries of a menu act. */
export interface MenuTarget {
  commands: CommandTarget;
  isOwner: boolean;
  /** Opens the palette; the new node comes to the place of the menu. */
  addHere: () => void;
  layOut: () => void;
  runScope: (nodeId: string, scope: RunScope) => void;
  openPanel: (nodeId: string) => void;
}

const SCOPES: [scope: RunScope, label: string][] = [
  ['this node', 'Run this node'],
  ['to here', 'Run to here'],
  ['from here', 'Run from here'],
];

const entry = (commands: CommandTarget, name: keyof typeof COMMANDS, label: string, isDisabled = false): MenuEntry => ({
  label,
  keys: COMMANDS[name].shown,
  isDisabled,
  choose: () => COMMANDS[name].command(commands),
});

/** Says that the browser refused to read or write the clipboard. */
const refuse = (store: EditorStore, keys: string) => () =>
  store.tell(`The browser does not let the page use the clipboard. Press ${keys}.`);

const clipboard = (): Promise<Clipboard> =>
  // Browsers have no clipboard on pages without HTTPS.
  navigator.clipboard === undefined ? Promise.reject(new Error('no clipboard')) : Promise.resolve(navigator.clipboard);

const copy = (store: EditorStore, keys: string): Promise<boolean> =>
  clipboard().then((board) => board.writeText(copyText(store) ?? '')).then(() => true, () => {
    refuse(store, keys)();
    return false;
  });

const paste = (store: EditorStore): Promise<void> =>
  clipboard().then((board) => board.readText()).then((text) => {
    if (!pasteText(store, text)) store.tell('The clipboard has no nodes.');
  }, refuse(store, 'Ctrl V'));

function clipboardEntries({ store }: CommandTarget): MenuEntry[] {
  return [
    { label: 'Copy', keys: 'Ctrl C', choose: () => void copy(store, 'Ctrl C') },
    {
      label: 'Cut',
      keys: 'Ctrl X',
      choose: () => void copy(store, 'Ctrl X').then((isCopied) => isCopied && removeSelected(store)),
    },
  ];
}

/** The entries of the selected nodes, in groups. */
function nodeEntries({ document, selected }: EditorState, target: MenuTarget): MenuEntry[][] {
  const { commands, isOwner, runScope, openPanel } = target;
  const [id] = selected;
  const nodes = document.nodes.filter((json) => selected.has(nodeIdOf(json)));
  const hasNodes = nodes.some((json) => !isAnnotation(json));
  const single = id !== undefined && selected.size === 1
    ? [{ label: 'Go to its fields', keys: 'Enter', choose: () => openPanel(id) }]
    : [];
  const runs = id !== undefined && isOwner && selected.size === 1 && hasNodes
    ? SCOPES.map(([scope, label]) => ({ label, choose: () => runScope(id, scope) }))
    : [];
  const toggle = nextToggle({ document, selected });
  return [
    [...single, ...runs],
    [...clipboardEntries(commands), entry(commands, 'duplicate', 'Duplicate')],
    [
      entry(commands, 'disable', toggle === 'enable' ? 'Enable' : 'Disable', toggle === undefined),
      entry(commands, 'group', 'Group', !hasNodes),
      ...(isOwner ? [entry(commands, 'extract', 'Extract into a flow', !hasNodes)] : []),
    ],
    [entry(commands, 'remove', 'Delete')],
  ];
}

/** The entries of the selected edges, in groups. */
function edgeEntries({ selectedEdges }: EditorState, { commands, isOwner }: MenuTarget): MenuEntry[][] {
  const insert = isOwner && selectedEdges.size === 1 ? [entry(commands, 'addNode', 'Insert a node')] : [];
  return [insert, [entry(commands, 'remove', selectedEdges.size === 1 ? 'Delete the edge' : 'Delete the edges')]];
}

/** The entries of the canvas, in groups. */
function canvasEntries(state: EditorState, { commands, isOwner, addHere, layOut }: MenuTarget): MenuEntry[][] {
  const { document, canUndo, canRedo } = state;
  const isEmpty = document.nodes.length === 0;
  return [
    [
      ...(isOwner ? [{ ...entry(commands, 'addNode', 'Add a node'), choose: addHere }] : []),
      { label: 'Paste', keys: 'Ctrl V', choose: () => void paste(commands.store) },
    ],
    [entry(commands, 'undo', 'Undo', !canUndo), entry(commands, 'redo', 'Redo', !canRedo)],
    [entry(commands, 'selectAll', 'Select all nodes', isEmpty), {
      label: 'Lay out',
      isDisabled: isEmpty,
      choose: layOut,
    }],
    [entry(commands, 'find', 'Find a node'), entry(commands, 'help', 'Shortcuts')],
  ];
}

/** Returns the entries of a menu in groups, each with at least one entry. */
export function menuEntries(of: 'selection' | 'canvas', state: EditorState, target: MenuTarget): MenuEntry[][] {
  const groups = of === 'canvas'
    ? canvasEntries(state, target)
    : state.selected.size > 0
    ? nodeEntries(state, target)
    : edgeEntries(state, target);
  return groups.filter((group) => group.length > 0);
}
