import type { EditorStore } from '../editor_store.ts';
import type { FlowDocument } from '../flow_document.ts';
import type { FlowProblem } from './problem.ts';

/** A check begins after this time without a change. The pause between two automatic checks is at least as long. */
export const PAUSE_MS = 600;

/** The problems of the flow that the editor has found so far. */
export interface Problems {
  list: readonly FlowProblem[];
  /** True if the flow has not changed since its check. */
  isCurrent: boolean;
  /** False if the check left out called flows because they are too large. */
  isComplete: boolean;
  /** True if the unsaved flow is too large for a check, so that it must be saved first. */
  waitsForSave: boolean;
  /** The error of the last check. */
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
  /** Begins to check the flow after each change. The returned function ends this. */
  start: () => () => void;
  /** Returns the problems of the present flow, and first checks the flow if it has changed since its last check. */
  current: () => Promise<Problems>;
}

/** True if two graphs differ at most in parts that runs ignore, such as the positions of nodes. */
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

/**
 * Makes the part of the editor that finds the problems of the flow while the user draws. `check` checks one state of
 * the flow.
 */
export function makeChecker(store: EditorStore, check: (checked: Checked) => Promise<CheckResult>): Checker {
  let problems: Problems = { list: [], isCurrent: false, isComplete: true, waitsForSave: false, error: null };
  /** The state of the editor that the last check examined. */
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
    // A flow that is too large for a check before it is saved can be checked afterwards.
    const mayBeChecked = problems.waitsForSave && now.isSaved;
    return !mayBeChecked && done.environment === now.environment && sameGraph(done.document, now.document);
  };

  /**
   * Checks the present state. Shows the result even if the flow has changed meanwhile, because the result is newer than
   * the former one.
   */
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
  /**
   * Begins a check. If a check is running, returns its promise. A running check is not aborted, because the database
   * would finish it anyway.
   */
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
