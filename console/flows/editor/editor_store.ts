import type { UnreadableTexts } from '../../shared/form/unreadable_texts.ts';
import type { FlowSettings } from '../flow_rows.ts';
import type { FlowDocument } from './flow_document.ts';

/** Number of steps that can be undone. */
const STEPS_KEPT = 200;

/** The state of the editor for one flow. */
export interface EditorState {
  document: FlowDocument;
  /** The ids of the selected nodes. */
  selected: ReadonlySet<string>;
  /** The indexes of the selected edges in the document. */
  selectedEdges: ReadonlySet<number>;
  /** The graph that is saved in the project. */
  saved: FlowDocument;
  /** The flow's settings besides its graph, as saved in the project. */
  settings: FlowSettings;
  /** The time of the flow's last change, from its row. */
  version: string;
  canUndo: boolean;
  canRedo: boolean;
  /** The faults of nodes by their ids, from the last deploy. */
  faults: ReadonlyMap<string, readonly string[]>;
  /** The problems of nodes by their ids, from the last check. */
  problems: ReadonlyMap<string, readonly string[]>;
  /** The last message to the user, such as why an edge was refused. */
  notice: string;
}

type Change = (document: FlowDocument) => FlowDocument;

/** Holds an open flow: its document, its history and the selection. */
export interface EditorStore {
  state: () => EditorState;
  subscribe: (onChange: () => void) => () => void;
  /** Changes the document. Consecutive changes with the same `group` are undone together. */
  change: (change: Change, group?: string) => void;
  /**
   * Changes the document without adding a step to the history, for example while a node is dragged. The next `change`
   * adds one step for itself and all previews before it.
   */
  preview: (change: Change) => void;
  select: (nodes: ReadonlySet<string>, edges?: ReadonlySet<number>) => void;
  undo: () => void;
  redo: () => void;
  tell: (notice: string) => void;
  showFaults: (faults: ReadonlyMap<string, readonly string[]>) => void;
  showProblems: (problems: ReadonlyMap<string, readonly string[]>) => void;
  /** Records the state that is now saved in the project. */
  markSaved: (saved: { document?: FlowDocument; settings?: FlowSettings; version: string }) => void;
  isDirty: () => boolean;
  /** The texts in the panel of the selected node that can not be read, so that the document lacks them. */
  unreadable: UnreadableTexts;
}

const NOTHING: ReadonlySet<never> = new Set();

/**
 * If a node's messages are the same as before, keeps the former list object, so that the canvas does not draw the node
 * again.
 */
const keepEqual = (
  before: ReadonlyMap<string, readonly string[]>,
  after: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> =>
  new Map([...after].map(([id, messages]) => {
    const former = before.get(id);
    return [id, former?.join('\n') === messages.join('\n') ? former : messages];
  }));

export function makeEditorStore(document: FlowDocument, settings: FlowSettings, version: string): EditorStore {
  let past: FlowDocument[] = [];
  let future: FlowDocument[] = [];
  let lastGroup: string | undefined;
  /** The document before a preview began. */
  let base: FlowDocument | undefined;
  let state: EditorState = {
    document,
    selected: NOTHING,
    selectedEdges: NOTHING,
    saved: document,
    settings,
    version,
    canUndo: false,
    canRedo: false,
    faults: new Map(),
    problems: new Map(),
    notice: '',
  };
  const listeners = new Set<() => void>();
  const update = (changes: Partial<EditorState>) => {
    state = { ...state, ...changes, canUndo: past.length > 0, canRedo: future.length > 0 };
    for (const listener of listeners) listener();
  };
  /**
   * Switches to another document. No edge stays selected, because an index identifies an edge only within one document.
   */
  const go = (document: FlowDocument) => update({ document, selectedEdges: NOTHING, notice: '' });

  return {
    state: () => state,
    subscribe(onChange) {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
    change(change, group) {
      const before = base ?? state.document;
      const document = change(state.document);
      base = undefined;
      if (document === before) return;
      if (group === undefined || group !== lastGroup) past = [...past, before].slice(-STEPS_KEPT);
      future = [];
      lastGroup = group;
      // Selected edges are identified by their indexes, which stay valid while the number of edges stays the same.
      const isShifted = document.edges.length !== before.edges.length;
      update({ document, ...(isShifted && { selectedEdges: NOTHING }), notice: '' });
    },
    preview(change) {
      base ??= state.document;
      update({ document: change(state.document) });
    },
    select(selected, selectedEdges = NOTHING) {
      lastGroup = undefined;
      update({ selected, selectedEdges });
    },
    undo() {
      const before = past.at(-1);
      if (before === undefined) return;
      past = past.slice(0, -1);
      future = [...future, state.document];
      lastGroup = undefined;
      go(before);
    },
    redo() {
      const after = future.at(-1);
      if (after === undefined) return;
      future = future.slice(0, -1);
      past = [...past, state.document];
      lastGroup = undefined;
      go(after);
    },
    tell: (notice) => update({ notice }),
    showFaults: (faults) => update({ faults }),
    showProblems: (problems) => update({ problems: keepEqual(state.problems, problems) }),
    markSaved: ({ document = state.saved, settings = state.settings, version }) =>
      update({ saved: document, settings, version }),
    isDirty: () => state.document !== state.saved,
    unreadable: new Map(),
  };
}
