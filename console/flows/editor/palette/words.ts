/**
 * The nodes that the palette does not list: the node that takes the place of a disabled one, and the script nodes of
 * earlier versions, one for each number of inputs and outputs.
 */
export const HIDDEN = [
  'disabled',
  ...[0, 1, 2, 3, 4, 5].flatMap((inputs) => [1, 2, 3, 4, 5].map((outputs) => `rhai_script_${inputs}x${outputs}`)),
];

/** The nodes that the palette lists first while the search is empty. */
export const COMMON = [
  'flow_input',
  'flow_output',
  'const',
  'http_request',
  'rhai_script',
  'javascript',
  'branch',
  'foreach',
  'to_string',
  'json_extract',
];

/**
 * The nodes that the palette suggests if a search finds nothing. They can do tasks for which there is no other node.
 */
export const SUGGESTED = ['http_request', 'rhai_script', 'javascript'];

const CHOICES = ['branch', 'switch', 'filter', 'gate'];
const LOOPS = ['foreach', 'range', 'collect'];
const CODE = ['rhai_script', 'javascript', 'jsonata'];
const REQUESTS = ['http_request'];
const DATES = ['date_parse', 'date_format', 'date_add'];
const FILES = ['storage_upload', 'storage_download', 'storage_list', 'storage_delete', 'fileexplorer'];
const DATABASE = ['sql_function', 'postgrest_new_query', 'postgrest_execute_query', 'kv_read_item', 'kv_write_item'];
const STORES = ['kv_write_item', 'kv_read_item', 'kv_create_store', 'storage_upload'];
const JSON_NODES = ['json_extract', 'json_get_field', 'json_insert', 'jsonata'];
const TEXTS = ['text_template', 'to_string', 'regex_replace', 'chunk_string'];
const ARRAYS = ['list_sort', 'list_slice', 'list_unique', 'filter', 'collect', 'to_vec'];
const CALLS = ['interflow', 'interflow_instructions'];
const KEYS = ['generate_keypair', 'wallet'];
const PEOPLE = ['api_input'];
const MODELS = ['ai_chat', 'ai_agent', 'http_request'];
const TOKENS = ['transfer_token', 'mint_token', 'create_mint_account'];

/**
 * The nodes that each word of a search means, the best first. The search also finds nodes whose texts contain the word.
 */
const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  if: CHOICES,
  else: ['branch', 'switch'],
  condition: CHOICES,
  case: ['switch', 'branch'],
  when: CHOICES,
  compare: CHOICES,
  choice: CHOICES,
  succeed: ['flow_output'],
  fail: ['branch', 'javascript'],
  route: ['switch', 'branch'],
  loop: LOOPS,
  for: LOOPS,
  each: LOOPS,
  while: LOOPS,
  repeat: LOOPS,
  iterate: LOOPS,
  aggregate: ['collect', 'list_unique'],
  parallel: ['foreach', 'collect'],
  batch: ['foreach', 'list_slice'],
  map: [...LOOPS, 'jsonata', 'json_insert'],
  code: CODE,
  script: CODE,
  function: [...CODE, 'sql_function'],
  rhai: ['rhai_script'],
  js: ['javascript'],
  typescript: ['javascript'],
  python: CODE,
  expression: ['jsonata', 'math', 'rhai_script'],
  transform: ['jsonata', 'rhai_script', 'javascript', 'text_template'],
  api: [...REQUESTS, 'das_api', 'api_input'],
  rest: REQUESTS,
  url: REQUESTS,
  fetch: REQUESTS,
  get: REQUESTS,
  post: REQUESTS,
  webhook: ['flow_input', 'flow_output', 'api_input'],
  respond: ['flow_output'],
  request: REQUESTS,
  email: REQUESTS,
  mail: REQUESTS,
  slack: REQUESTS,
  discord: REQUESTS,
  telegram: REQUESTS,
  sms: REQUESTS,
  openai: MODELS,
  anthropic: MODELS,
  claude: MODELS,
  gpt: MODELS,
  ai: MODELS,
  llm: MODELS,
  model: MODELS,
  chat: MODELS,
  agent: MODELS,
  summarize: MODELS,
  send: ['http_request', 'transfer_sol', 'transfer_token'],
  notify: REQUESTS,
  date: DATES,
  time: [...DATES, 'wait'],
  day: DATES,
  now: ['date_format', 'date_add', 'flow_run_info'],
  delay: ['wait'],
  sleep: ['wait'],
  pause: ['wait', 'api_input'],
  file: FILES,
  upload: ['storage_upload'],
  download: ['storage_download', 'http_request'],
  image: FILES,
  sql: DATABASE,
  database: DATABASE,
  postgres: DATABASE,
  table: DATABASE,
  query: DATABASE,
  row: DATABASE,
  insert: ['postgrest_builder_insert', 'json_insert', 'kv_write_item'],
  cache: STORES,
  memory: STORES,
  store: STORES,
  save: STORES,
  variable: ['const', 'kv_write_item', 'kv_read_item'],
  set: ['const', 'json_insert'],
  edit: ['json_insert', 'const'],
  pass: ['const', 'jsonata'],
  secret: ['http_request', 'const'],
  credential: ['http_request'],
  value: ['const'],
  number: ['math', 'const', 'random'],
  add: ['math', 'date_add'],
  plus: ['math'],
  calculate: ['math'],
  json: JSON_NODES,
  object: JSON_NODES,
  field: JSON_NODES,
  parse: ['json_get_field', 'csv_parse', 'date_parse', 'decode'],
  text: TEXTS,
  string: TEXTS,
  template: ['text_template'],
  format: ['text_template', 'date_format', 'csv_format'],
  split: ['foreach', 'chunk_string', 'regex_match', 'list_slice'],
  join: ['merge', 'text_template', 'collect'],
  concat: ['text_template', 'to_vec'],
  merge: ['merge', 'collect'],
  combine: ['merge', 'to_vec', 'json_insert'],
  replace: ['regex_replace'],
  array: ARRAYS,
  list: ARRAYS,
  sort: ['list_sort'],
  csv: ['csv_parse', 'csv_format'],
  excel: ['csv_parse', 'csv_format'],
  base64: ['encode', 'decode'],
  hex: ['encode', 'decode'],
  encrypt: ['hmac', 'hash'],
  sign: ['hmac', 'wallet'],
  uuid: ['random'],
  subflow: CALLS,
  subworkflow: CALLS,
  'sub-workflow': CALLS,
  workflow: CALLS,
  execute: CALLS,
  lambda: CODE,
  task: [...REQUESTS, ...CODE],
  call: [...CALLS, 'http_request', 'sql_function'],
  flow: ['flow_input', 'flow_output', ...CALLS],
  input: ['flow_input', 'api_input', 'const'],
  parameter: ['flow_input', 'const'],
  argument: ['flow_input'],
  start: ['flow_input'],
  trigger: ['flow_input'],
  output: ['flow_output'],
  result: ['flow_output'],
  return: ['flow_output'],
  end: ['flow_output'],
  log: ['print'],
  debug: ['print'],
  comment: ['note'],
  approve: PEOPLE,
  approval: PEOPLE,
  human: PEOPLE,
  person: PEOPLE,
  ask: PEOPLE,
  form: [...PEOPLE, 'flow_input'],
  error: ['branch', 'merge'],
  solana: ['transfer_sol', 'wallet', 'get_balance', 'transfer_token'],
  crypto: ['transfer_sol', 'hash', 'hmac'],
  pay: ['transfer_sol', 'transfer_token'],
  key: [...KEYS, 'kv_read_item'],
  nft: [...TOKENS, 'das_api'],
  token: TOKENS,
};

/** Returns the nodes that a word means. If the word is unknown, returns the nodes that its singular means. */
const meaningOf = (word: string): readonly string[] | undefined =>
  Object.hasOwn(MEANINGS, word)
    ? MEANINGS[word]
    : word.endsWith('s') && Object.hasOwn(MEANINGS, word.slice(0, -1))
    ? MEANINGS[word.slice(0, -1)]
    : undefined;

/**
 * Returns the nodes that a search means, the best first. Returns only nodes that every known word of the search means.
 * If there is no such node, returns the nodes that any known word means.
 */
export function meantBy(search: string): readonly string[] {
  const lists = search.toLowerCase().split(/\s+/).map(meaningOf).filter((list) => list !== undefined);
  const [first = [], ...others] = lists;
  const common = first.filter((id) => others.every((list) => list.includes(id)));
  return common.length > 0 ? common : [...new Set(lists.flat())];
}
