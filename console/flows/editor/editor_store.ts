import type { FlowSettings } from '../flow_rows.ts';
import type { FlowDocument } from './flow_document.ts';

/** How many steps can be undone. */
const STEPS_KEPT = 200;

/** What the editor shows of a flow. */
export interface EditorState {
  document: FlowDocument;
  /** The ids of the selected nodes. */
  selected: ReadonlySet<string>;
  /** The indexes of the selected edges in the document. */
  selectedEdges: ReadonlySet<number>;
  /** What the project has. */
  saved: FlowDocument;
  /** What the flow has beside its graph, as the project has it. */
  settings: FlowSettings;
  /** When the flow that is being edited was last changed, as its row says. */
  version: string;
  canUndo: boolean;
  canRedo: boolean;
  /** What is wrong at nodes, by their ids, as the last deploy told. */
  faults: ReadonlyMap<string, readonly string[]>;
  /** The last thing to be told, such as why an edge was refused. */
  notice: string;
}

type Change = (document: FlowDocument) => FlowDocument;

/** The one place that holds an open flow: its document, its history and what is selected. */
export interface EditorStore {
  state: () => EditorState;
  subscribe: (onChange: () => void) => () => void;
  /** Changes the document. Steps of one `group` that follow each other are undone at once. */
  change: (change: Change, group?: string) => void;
  /** Changes the document for the eyes, as while a node is dragged; the next `change` makes it a step. */
  preview: (change: Change) => void;
  select: (nodes: ReadonlySet<string>, edges?: ReadonlySet<number>) => void;
  undo: () => void;
  redo: () => void;
  tell: (notice: string) => void;
  showFaults: (faults: ReadonlyMap<string, readonly string[]>) => void;
  /** The project has this now. */
  markSaved: (saved: { document?: FlowDocument; settings?: FlowSettings; version: string }) => void;
  isDirty: () => boolean;
}

const NOTHING: ReadonlySet<never> = new Set();

export function makeEditorStore(document: FlowDocument, settings: FlowSettings, version: string): EditorStore {
  let past: FlowDocument[] = [];
  let future: FlowDocument[] = [];
  let lastGroup: string | undefined;
  /** What the document was before a preview began. */
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
    notice: '',
  };
  const listeners = new Set<() => void>();
  const update = (changes: Partial<EditorState>) => {
    state = { ...state, ...changes, canUndo: past.length > 0, canRedo: future.length > 0 };
    for (const listener of listeners) listener();
  };
  /** Goes to another document; edges are known by their places in it, so none stays selected. */
  const go = (document: FlowDocument) => update({ document, selectedEdges: NOTHING });

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
      update({ document, ...(document.edges !== before.edges && { selectedEdges: NOTHING }), notice: '' });
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
    markSaved: ({ document = state.saved, settings = state.settings, version }) =>
      update({ saved: document, settings, version }),
    isDirty: () => state.document !== state.saved,
  };
}
