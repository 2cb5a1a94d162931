import { categoryOf } from '../../shared/graph/categories.ts';
import { objectAt, readNode } from '../../shared/graph/drawn_node.ts';

/** Nodes that work with files of the user. */
const isFileNode = (nodeId: string): boolean => nodeId.startsWith('storage_') || nodeId === 'fileexplorer';

/** Nodes of Solana that only read, so no wallet pays for them. */
const READS_ONLY = new Set(['das_api', 'get_balance', 'find_pda']);

/**
 * Returns what a node of a template needs, such as a wallet or a connection, in words; undefined if it needs nothing.
 */
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

/** Lists the things that a template needs before its first run, each of them once. */
export const needsOf = (nodes: readonly object[]): string[] => [
  ...new Set(nodes.map(needOf).filter((need) => need !== undefined)),
];
