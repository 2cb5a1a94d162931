import { categoryOf } from '../../shared/graph/categories.ts';
import { isObject, objectAt, readNode } from '../../shared/graph/drawn_node.ts';

/** Nodes that work with files of the user. */
const isFileNode = (nodeId: string): boolean => nodeId.startsWith('storage_') || nodeId === 'fileexplorer';

/** Nodes of Solana that only read, so no wallet pays for them. */
const READS_ONLY = new Set(['das_api', 'get_balance', 'find_pda']);

/** Returns the things that a node of a template needs, such as a wallet or a connection, in words. */
function needsOfNode(json: object): string[] {
  const node = readNode(json);
  const { connection, table, tools } = objectAt(json, 'data', 'targets_form', 'form_data');
  const flows = Array.isArray(tools) ? tools.filter(isObject).map(({ name }) => `a flow for the tool “${name}”`) : [];
  if (typeof connection === 'string') return [`the connection “${connection}”`, ...flows];
  if (typeof table === 'string') return [`the table “${table}”`];
  if (node.nodeId === 'api_input') return ['a person who answers'];
  if (isFileNode(node.nodeId)) return ['a file in Storage'];
  if (node.nodeId === 'http_request') return ['a server to ask'];
  if (categoryOf(node) !== 'solana') return [];
  return READS_ONLY.has(node.nodeId) ? ['a server that knows Solana'] : ['a wallet with SOL'];
}

/** Lists the things that a template needs before its first run, each of them once. */
export const needsOf = (nodes: readonly object[]): string[] => [...new Set(nodes.flatMap(needsOfNode))];
