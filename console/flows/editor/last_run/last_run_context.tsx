import type { PlainValues, RunRow, ValueMap } from 'flow-deployments-client';
import { createContext, type ReactNode, use, useMemo, useState } from 'react';
import { useUserId } from '../../../session/use_user_id.ts';
import { isObject } from '../../../shared/graph/drawn_node.ts';
import { plainOf } from '../../../shared/plain_json.ts';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { useDrawers } from '../layout/drawers.tsx';
import type { Saving } from '../use_saving.ts';
import { useDraftRuns } from './store/draft_runs.ts';
import type { NodeResult } from './store/node_results.ts';
import { usePins } from './store/pins.ts';
import { isSameGraph, keepRun, keptRuns } from './store/started_runs.ts';
import { type RunRequest, useStarting } from './store/starting.ts';
import { useNodeResults } from './store/use_node_results.ts';
import { useRunning } from './use_running.tsx';

/** The last run of the drawn flow, which stays visible while the user edits. */
export interface LastRunState {
  /** The row of the newest run; undefined before the first run, and until the row is read. */
  row: RunRow | undefined;
  /** The nodes of a partial run; undefined for a run of all nodes. */
  only: readonly string[] | undefined;
  /** True until the run has ended. */
  isLive: boolean;
  /** True if the flow has changed since the run was started, other than by moved nodes. */
  hasChanged: boolean;
  /** The newest result of each node, by the node's id. */
  results: ReadonlyMap<string, NodeResult>;
  /**
   * Returns the outputs of a node by name, as tagged values: the pinned outputs, or else the outputs of the newest run.
   */
  outputs: (nodeId: string) => ValueMap | undefined;
  /** The pinned outputs of nodes, by the nodes' ids. */
  pins: ReadonlyMap<string, ValueMap>;
  /** Saves and starts the flow. If inputs are missing, asks for them first. */
  run: (request?: RunRequest) => void;
  isStarting: boolean;
  /** The error of the last start, or of reading the run. */
  error: unknown;
}

const LastRunContext = createContext<LastRunState | undefined>(undefined);

/**
 * The parts of the last run that the canvas draws at nodes. The objects stay the same until a result or a pin changes.
 */
export const MarksContext = createContext<Pick<LastRunState, 'results' | 'pins'>>({
  results: new Map(),
  pins: new Map(),
});

const NO_VALUES: PlainValues = {};

/** Returns the inputs of a run as plain values; undefined without inputs. */
function valuesOf(run: RunRow | undefined): PlainValues | undefined {
  const plain = plainOf(run?.inputs);
  // SAFETY: plainOf returns plain JSON.
  return isObject(plain) && Object.keys(plain).length > 0 ? plain as PlainValues : undefined;
}

/** Reads the last run of the open flow, and starts new runs. */
export function LastRunProvider({ saving, children }: { saving: Saving; children: ReactNode }) {
  const { flow, isOwner } = useEditor();
  const { document, saved, version } = useEditorState();
  const userId = useUserId();
  const drawers = useDrawers();
  const [started, setStarted] = useState(() => isOwner ? keptRuns(userId, flow.id) : []);
  const [givenValues, setGivenValues] = useState<PlainValues>();
  const { newest, runs, isLive, error: readError } = useDraftRuns(started);
  const pins = usePins();
  const results = useNodeResults(runs);
  const { mutate, isPending: isStarting, error: startError } = useStarting(
    saving,
    { results, pins },
    (run) => {
      setStarted((before) => keepRun(before, run, userId, flow.id));
      drawers.open('run');
    },
  );
  const marks = useMemo(() => ({ results, pins }), [results, pins]);
  const row = newest?.row;
  const values = useMemo(() => givenValues ?? valuesOf(row) ?? NO_VALUES, [givenValues, row]);
  const { run, dialog } = useRunning((request) => {
    if (request.values !== undefined) setGivenValues(request.values);
    mutate(request);
  }, values);
  const [first] = started;
  const hasChanged = first !== undefined &&
    (first.document === undefined
      ? first.version !== version || document !== saved
      : !isSameGraph(first.document, document));
  const lastRun: LastRunState = {
    row,
    only: first?.only,
    isLive,
    hasChanged,
    results,
    outputs: (id) => pins.get(id) ?? results.get(id)?.outputs,
    pins,
    run,
    isStarting,
    error: startError ?? readError,
  };
  return (
    <LastRunContext value={lastRun}>
      <MarksContext value={marks}>{children}</MarksContext>
      {dialog}
    </LastRunContext>
  );
}

/** Returns the last run of the open flow. Throws outside of a LastRunProvider. */
export function useLastRun(): LastRunState {
  const lastRun = use(LastRunContext);
  if (lastRun === undefined) throw new Error('There is no LastRunProvider.');
  return lastRun;
}
