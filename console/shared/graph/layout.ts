import type { DrawnEdge, DrawnNode, Point } from './drawn_node.ts';
import { layOutInColumns, type LayoutTask } from './layout_in_columns.ts';
import { nodeHeight } from './node_size.ts';
import { connectedPorts } from './shown_ports.ts';

/** The most edges for the layout that avoids crossings, which would take tens of seconds for more edges. */
const MOST_EDGES = 1_200;
/** The time limit of this layout. If it takes longer, nodes are placed in columns. */
const TIME_LIMIT_MS = 8_000;

/** Computes a layout in the worker; undefined if it fails or takes too long. */
function askWorker(task: LayoutTask, signal: AbortSignal | undefined): Promise<Map<string, Point> | undefined> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./layout_worker.ts', import.meta.url), { type: 'module' });
    const end = (places?: Map<string, Point>) => {
      clearTimeout(timer);
      worker.terminate();
      resolve(places);
    };
    const timer = setTimeout(end, TIME_LIMIT_MS);
    signal?.addEventListener('abort', () => end(), { once: true });
    worker.addEventListener('message', ({ data }: MessageEvent<Map<string, Point>>) => end(data));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      end();
    });
    worker.postMessage(task);
  });
}

/**
 * Places nodes from left to right along their edges, in a worker, so that the page stays usable. If a graph has too
 * many edges or the worker fails, places the nodes in plain columns. Rejects if the signal is aborted.
 */
export async function layOut(
  nodes: readonly DrawnNode[],
  edges: readonly DrawnEdge[],
  signal?: AbortSignal,
): Promise<Map<string, Point>> {
  const known = new Set(nodes.map(({ id }) => id));
  const connected = connectedPorts(edges);
  const task: LayoutTask = {
    nodes: nodes.map((node) => ({ id: node.id, height: nodeHeight(node, connected) })),
    edges: edges.filter(({ source, target }) => known.has(source) && known.has(target))
      .map(({ source, target }) => ({ source, target })),
  };
  // If the worker fails, nodes are placed in columns.
  const places = task.edges.length > MOST_EDGES ? undefined : await askWorker(task, signal).catch(() => undefined);
  signal?.throwIfAborted();
  return places ?? layOutInColumns(task);
}
