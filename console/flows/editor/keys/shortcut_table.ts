import { duplicateSelected, groupSelected, removeSelected } from '../actions.ts';
import type { EditorStore } from '../editor_store.ts';
import { nodeIdOf } from '../flow_document.ts';
import { focusResults, isCovered, pressButton } from '../layout/focus_node.ts';
import { toggleDisabled } from '../selection/disable.ts';

/** The parts of the editor that commands act on. */
export interface CommandTarget {
  store: EditorStore;
  save: () => void;
  /** Opens the palette. */
  addNode: () => void;
  /** Opens the search for nodes of the flow. */
  find: () => void;
  /** Runs the flow. */
  run: () => void;
  /** Opens the list of shortcuts. */
  help: () => void;
  /** Asks how to name the flow into which the selected nodes are extracted. */
  extract: () => void;
  /** Opens the menu of the focused node or edge, or of the canvas. */
  openMenu: () => void;
}

export interface Shortcut {
  /** The keys, as the list of shortcuts and the menus show them. */
  shown: string;
  /** The effect, as the list of shortcuts shows it. */
  what: string;
  /** The keys as `keyName` names them. A shortcut without keys is handled by the canvas, the palette or the browser. */
  keys?: readonly string[];
  command?: (target: CommandTarget) => void;
  /** True if the keys also work while text is edited. */
  isForText?: boolean;
  isForOwner?: boolean;
}

/** The shortcuts that menus offer, too. */
export const COMMANDS = {
  addNode: {
    shown: '/ or +',
    what: 'Add a node',
    keys: ['/', '+'],
    isForOwner: true,
    command: ({ addNode }) => addNode(),
  },
  find: {
    shown: 'Ctrl F',
    what: 'Find a node of this flow',
    keys: ['ctrl+f'],
    isForText: true,
    command: ({ find }) => find(),
  },
  undo: { shown: 'Ctrl Z', what: 'Undo', keys: ['ctrl+z'], command: ({ store }) => store.undo() },
  redo: {
    shown: 'Ctrl Shift Z or Ctrl Y',
    what: 'Redo',
    keys: ['ctrl+shift+z', 'ctrl+y'],
    command: ({ store }) => store.redo(),
  },
  duplicate: { shown: 'Ctrl D', what: 'Duplicate', keys: ['ctrl+d'], command: ({ store }) => duplicateSelected(store) },
  group: {
    shown: 'Ctrl G',
    what: 'Put a frame around the selected nodes',
    keys: ['ctrl+g'],
    command: ({ store }) => groupSelected(store),
  },
  disable: {
    shown: 'D',
    what: 'Disable the selected nodes, or enable them again',
    keys: ['d'],
    command: ({ store }) => toggleDisabled(store),
  },
  extract: {
    shown: 'Shift X',
    what: 'Extract the selected nodes into a flow of their own',
    keys: ['shift+x'],
    isForOwner: true,
    command: ({ extract }) => extract(),
  },
  selectAll: {
    shown: 'Ctrl A',
    what: 'Select all nodes',
    keys: ['ctrl+a'],
    command: ({ store }) => store.select(new Set(store.state().document.nodes.map(nodeIdOf))),
  },
  remove: {
    shown: 'Delete',
    what: 'Delete what is selected',
    keys: ['delete', 'backspace'],
    command: ({ store }) => removeSelected(store),
  },
  help: { shown: '?', what: 'Show this list', keys: ['?'], command: ({ help }) => help() },
} as const satisfies Record<string, Shortcut>;

/** The shortcuts of the editor, in the order of their list. The key listener uses this table, too. */
export const SHORTCUTS: readonly Shortcut[] = [
  COMMANDS.addNode,
  {
    shown: 'Ctrl K',
    what: 'Add a node, also from a field',
    keys: ['ctrl+k'],
    isForText: true,
    isForOwner: true,
    command: ({ addNode }) => isCovered() || addNode(),
  },
  { shown: 'Enter', what: 'In the list of nodes: add the marked one' },
  { shown: 'Shift Enter', what: 'In the list of nodes: add the marked one, and choose another' },
  {
    shown: 'Shift F10 or Menu',
    what: 'Open the menu of a node, an edge or the canvas',
    keys: ['shift+f10', 'contextmenu'],
    command: ({ openMenu }) => openMenu(),
  },
  COMMANDS.find,
  { shown: 'Ctrl S', what: 'Save', keys: ['ctrl+s'], isForText: true, command: ({ save }) => save() },
  {
    shown: 'Ctrl Enter',
    what: 'Run the flow',
    keys: ['ctrl+enter'],
    isForText: true,
    isForOwner: true,
    command: ({ run }) => run(),
  },
  {
    shown: 'Ctrl Shift Enter',
    what: 'Run from the selected node',
    keys: ['ctrl+shift+enter'],
    isForText: true,
    isForOwner: true,
    command: () => pressButton('Control+Shift+Enter'),
  },
  {
    shown: 'Ctrl Shift D',
    what: 'Deploy',
    keys: ['ctrl+shift+d'],
    isForText: true,
    isForOwner: true,
    command: () => pressButton('Control+Shift+D'),
  },
  {
    shown: 'F6',
    what: 'Go to the messages, or to the drawer',
    keys: ['f6'],
    isForText: true,
    command: () => focusResults(),
  },
  COMMANDS.undo,
  COMMANDS.redo,
  { shown: 'Ctrl C, Ctrl X, Ctrl V', what: 'Copy, cut and paste nodes, also between flows' },
  COMMANDS.duplicate,
  COMMANDS.group,
  COMMANDS.disable,
  COMMANDS.extract,
  COMMANDS.selectAll,
  COMMANDS.remove,
  { shown: 'Tab, Enter', what: 'Go to a node or an edge, select it, and go to its first field' },
  { shown: 'Arrows', what: 'Move the selected nodes' },
  { shown: 'Shift and drag', what: 'Select several nodes' },
  { shown: 'Escape', what: 'From the panel back to the node, and end the selection' },
  COMMANDS.help,
];

/** True for a sign such as `/`, which some keyboards type with Shift. */
const isSign = (key: string): boolean => key.length === 1 && key.toLowerCase() === key.toUpperCase();

type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** Returns the name of a pressed key with its modifiers, such as `ctrl+shift+z`. */
const keyName = ({ key, ctrlKey, metaKey, shiftKey }: Keys): string =>
  [...(ctrlKey || metaKey ? ['ctrl'] : []), ...(shiftKey && !isSign(key) ? ['shift'] : []), key.toLowerCase()]
    .join('+');

/** Finds the shortcut of a pressed key. */
export const shortcutOf = (keys: Keys): Shortcut | undefined => {
  const name = keyName(keys);
  return SHORTCUTS.find((shortcut) => shortcut.keys?.includes(name));
};
