import { categoryOf } from '../../shared/graph/categories.ts';
import { objectAt, readNode } from '../../shared/graph/drawn_node.ts';

/** Nodes that work with files of the user. */
const isFileNode = (nodeId: string): boolean => nodeId.startsWith('storage_') || nodeId === 'fileexplorer';

/** Reads from a service, so that no wallet pays for it. */
const READS_ONLY = new Set(['das_api', 'get_balance', 'find_pda']);

/** Returns what a node of a template needs from the user's project, or outside of it; undefined if it needs nothing. */
function needOf(json: object): string | undefined {
  const node = readNode(json);
  const { connection, table } = objectAt(json, 'data', 'targets_form', 'form_data');
  if (typeof connection === 'string') return `the connection “${connection}”`;
  if (typeof table === 'string') return `the table “${table}”`;
  if (node.nodeId === 'api_input') return 'a person who answers';
  if (isFileNode(node.nodeId)) return 'a file in Storage';
  if (node.nodeId === 'http_request') return 'a server to ask';
  if (categoryOf(node) !== 'solana') return undefined;
  return READS_ONLY.has(node.nodeId) ? 'a server that knows Solana' : 'a wallet with SOL';
}

/** Lists what a template needs before its first run, each thing once. */
export const needsOf = (nodes: readonly object[]): string[] => [
  ...new Set(nodes.map(needOf).filter((need) => need !== undefined)),
];
