import type { FlowDocument } from '../../flow_document.ts';

/** A run of the drawn flow that the user has started in the editor. */
export interface StartedDraft {
  id: string;
  /** The nodes of a partial run; undefined for a run of all nodes. */
  only: readonly string[] | undefined;
  /** The time of the flow's last change when the run was started. */
  version: string;
  /** The graph when the run was started; undefined after a reload. */
  document?: FlowDocument;
}

/** The most runs that are kept. The backend accepts at most this number of earlier runs for a partial run. */
const KEPT = 10;

const keyOf = (userId: string, flowId: number): string => `flow-editor-runs ${userId} ${flowId}`;

const isText = (json: unknown): json is string => typeof json === 'string';

function readEntry(json: unknown): StartedDraft | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const { id, only, version } = json as { [name: string]: unknown };
  if (!isText(id) || !isText(version)) return undefined;
  return { id, version, only: Array.isArray(only) ? only.filter(isText) : undefined };
}

/** Returns the runs that this browser has started, the newest first. */
export function keptRuns(userId: string, flowId: number): readonly StartedDraft[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(userId, flowId)) ?? '[]');
    return Array.isArray(stored) ? stored.map(readEntry).filter((entry) => entry !== undefined).slice(0, KEPT) : [];
  } catch {
    // The stored text is not JSON, or the browser has no storage.
    return [];
  }
}

/** Adds a run to the runs before it, and stores their ids. A run of all nodes replaces the earlier runs. */
export function keepRun(
  runs: readonly StartedDraft[],
  started: StartedDraft,
  userId: string,
  flowId: number,
): readonly StartedDraft[] {
  const kept = started.only === undefined ? [started] : [started, ...runs].slice(0, KEPT);
  try {
    localStorage.setItem(
      keyOf(userId, flowId),
      JSON.stringify(kept.map(({ id, only, version }) => ({ id, only, version }))),
    );
  } catch {
    // If the browser has no storage, the runs are forgotten when the page closes.
  }
  return kept;
}

/** True if two graphs have the same nodes and edges. Positions of nodes may differ. */
export function isSameGraph(one: FlowDocument, other: FlowDocument): boolean {
  if (one === other) return true;
  const sameEdges = one.edges === other.edges ||
    (one.edges.length === other.edges.length && one.edges.every((edge, index) => edge === other.edges[index]));
  return sameEdges && one.nodes.length === other.nodes.length && one.nodes.every((node, index) => {
    const match = other.nodes[index]!;
    return node === match || (node.id === match.id && node.data === match.data);
  });
}
