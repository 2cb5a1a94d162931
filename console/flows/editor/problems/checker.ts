import type { EditorStore } from '../editor_store.ts';
import type { FlowDocument } from '../flow_document.ts';
import type { FlowProblem } from './problem.ts';

/** The time without a change after which a check begins. It also keeps checks of a user this far apart. */
export const PAUSE_MS = 600;

/** The problems of the flow that the editor has found so far. */
export interface Problems {
  list: readonly FlowProblem[];
  /** True if the flow has not changed since its check. */
  isCurrent: boolean;
  /** False if called flows were left out of the check because of their size. */
  isComplete: boolean;
  /** True if the flow is too large to be checked before it is saved. */
  waitsForSave: boolean;
  /** Why the last check failed. */
  error: unknown;
}

/** The result of a check. `too large` means that the flow must be saved first. */
export type CheckResult = Pick<Problems, 'list' | 'isComplete'> | 'too large';

/** The parts of the editor's state that a check reads. */
export interface Checked {
  document: FlowDocument;
  environment: Record<string, string>;
  /** True if the document is saved. */
  isSaved: boolean;
}

export interface Checker {
  state: () => Problems;
  subscribe: (onChange: () => void) => () => void;
  /** Checks the flow after each change, until the returned function is called. */
  start: () => () => void;
  /** Returns the problems of the flow as it is now. Checks it if that is not done yet. */
  current: () => Promise<Problems>;
}

/** True if two graphs are the same for a run. Positions of nodes do not count. */
function sameGraph(a: FlowDocument, b: FlowDocument): boolean {
  if (a.edges !== b.edges || a.nodes.length !== b.nodes.length) return false;
  return a.nodes === b.nodes ||
    a.nodes.every((node, index) => {
      const other = b.nodes[index]!;
      return node === other || node.data === other.data && node.id === other.id;
    });
}

const readState = (store: EditorStore): Checked => {
  const { document, settings, saved } = store.state();
  return { document, environment: settings.environment, isSaved: document === saved };
};

/** Makes the part of the editor that finds the problems of the flow while it is drawn. `check` checks one state. */
export function makeChecker(store: EditorStore, check: (checked: Checked) => Promise<CheckResult>): Checker {
  let problems: Problems = { list: [], isCurrent: false, isComplete: true, waitsForSave: false, error: null };
  /** The state of the editor to which `problems` belongs. */
  let done: Checked | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  let isStarted = false;
  const listeners = new Set<() => void>();
  const update = (changes: Partial<Problems>) => {
    problems = { ...problems, ...changes };
    for (const listener of listeners) listener();
  };

  const isDone = (): boolean => {
    if (done === undefined) return false;
    const now = readState(store);
    // A large flow is checked anew as soon as it is saved.
    const mayBeChecked = problems.waitsForSave && now.isSaved;
    return !mayBeChecked && done.environment === now.environment && sameGraph(done.document, now.document);
  };

  /** Checks the present state. The answer may be old when it comes; it is still better than the one before. */
  const run = async () => {
    const checked = readState(store);
    try {
      const result = await check(checked);
      done = checked;
      if (result === 'too large') update({ waitsForSave: true, isCurrent: false, error: null });
      else update({ ...result, waitsForSave: false, isCurrent: isDone(), error: null });
    } catch (error) {
      done = checked;
      update({ isCurrent: false, error });
    }
  };
  /** Begins a check; if one is running, returns that. The database would finish an aborted check anyway. */
  const runOnce = (): Promise<void> =>
    running ??= run().finally(() => {
      running = undefined;
      if (isStarted && !isDone()) schedule();
    });

  function schedule() {
    clearTimeout(timer);
    timer = setTimeout(() => void runOnce(), PAUSE_MS);
  }
  const onChange = () => {
    const isCurrent = isDone();
    if (problems.isCurrent && !isCurrent) update({ isCurrent });
    if (!isCurrent) schedule();
  };

  return {
    state: () => problems,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    start() {
      isStarted = true;
      onChange();
      const stop = store.subscribe(onChange);
      return () => {
        isStarted = false;
        clearTimeout(timer);
        stop();
      };
    },
    async current() {
      await running;
      if (!isDone()) {
        clearTimeout(timer);
        await runOnce();
      }
      return problems;
    },
  };
}
