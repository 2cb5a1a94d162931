import type { DrawnNode } from './drawn_node.ts';

/** The categories of nodes. Each has an icon here, and a colour in `graph.css`. */
export const CATEGORIES = {
  inputs: { title: 'Inputs', icon: 'M4 12h11M11 7l5 5-5 5M20 4v16' },
  outputs: { title: 'Outputs', icon: 'M4 4v16M9 12h11M15 7l5 5-5 5' },
  control: { title: 'Control', icon: 'M4 12h5M9 12l5-6h6M9 12l5 6h6' },
  code: { title: 'Code', icon: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14' },
  data: { title: 'Data', icon: 'M5 6c0-3 14-3 14 0v12c0 3-14 3-14 0zM5 6c0 3 14 3 14 0M5 12c0 3 14 3 14 0' },
  http: { title: 'HTTP', icon: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c4 5 4 13 0 18M12 3c-4 5-4 13 0 18' },
  solana: { title: 'Solana', icon: 'M7 5h13l-3 3.5H4zM4 10.2h13l3 3.5H7zM7 15.5h13L17 19H4z' },
  other: { title: 'Other', icon: 'M4 5h16v14H4zM4 10h16M8 15h4' },
} as const;

export type Category = keyof typeof CATEGORIES;

/** The nodes of each category, by the names of their commands. A `*` at the end of a name stands for any characters. */
const NODES: { readonly [category in Exclude<Category, 'other'>]: readonly string[] } = {
  inputs: ['flow_input', 'api_input', 'fileexplorer', 'flow_run_info'],
  outputs: ['flow_output', 'print'],
  control: ['branch', 'switch', 'gate', 'merge', 'foreach', 'collect', 'filter', 'range', 'wait', 'interflow*'],
  code: ['rhai_script*', 'javascript', 'jsonata', 'sql_function'],
  data: [
    'const',
    'json_*',
    'to_*',
    'text_*',
    'chunk_string',
    'regex_*',
    'csv_*',
    'date_*',
    'list_*',
    'math',
    'random',
    'hash',
    'hmac',
    'encode',
    'decode',
    'kv_*',
    'postgrest_*',
    'storage_*',
  ],
  http: ['http_request'],
  solana: [
    'associated_token_account',
    'create_mint_account',
    'create_token_account',
    'das_api',
    'find_pda',
    'generate_keypair',
    'get_balance',
    'memo',
    'mint_token',
    'request_airdrop',
    'transfer_*',
    'wallet',
  ],
};

const exact = new Map<string, Category>();
const beginnings: [beginning: string, category: Category][] = [];
for (const [category, names] of Object.entries(NODES) as [Category, readonly string[]][]) {
  for (const name of names) {
    if (name.endsWith('*')) beginnings.push([name.slice(0, -1), category]);
    else exact.set(name, category);
  }
}

/** Returns the category of a node, from its command and its kind. Unknown nodes are `other`. */
export function categoryOf({ nodeId, kind }: Pick<DrawnNode, 'nodeId' | 'kind'>): Category {
  if (kind === 'deno' || kind === 'WASM') return 'code';
  if (kind === 'mock') return 'other';
  return exact.get(nodeId) ?? beginnings.find(([beginning]) => nodeId.startsWith(beginning))?.[1] ?? 'other';
}
