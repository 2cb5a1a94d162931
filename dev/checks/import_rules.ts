/** The imports that are allowed in the files of one folder, or in one file. */
export interface ImportRule {
  /**
   * A folder with all files below it, or a file; `*` is any one folder. If several rows match a file, the one with the
   * longest matching path applies.
   */
  files: string;
  /** Folders with all files below them, and files. */
  mayImport: readonly string[];
  /**
   * Packages, each with all its subpaths; `node:` stands for the modules of Node. Without this list, a file may import
   * any package but REACHING.
   */
  packages?: readonly string[];
  /** The reason for the row, as the end of a sentence. */
  why: string;
}

/**
 * Stands in `mayImport` for the folder of `files`. If `files` contains a `*`, ITSELF stands for the matching folder
 * that contains the importing file.
 */
export const ITSELF = 'itself';

/** Any package, and any module of Node. */
export const ANY = 'any package';

/** What opens sockets or reads files. A row that lists packages has to name these. */
export const REACHING: readonly string[] = ['node:', 'postgres'];

const PAGE = {
  mayImport: [ITSELF, 'console/session', 'console/shared', 'types/limits'],
  why: 'a page of the console imports no other page, and calls the project only through the clients that it receives.',
};
const ENDPOINT = [ITSELF, 'functions/_shared', 'platform', 'types'];

/** The rooms of the engine. Each may import the rooms before it, and the files that nodes see. */
const ENGINE_ROOMS: [room: string, why: string][] = [
  ['failures', 'it says what a failed call of a node means for the run.'],
  ['limits', 'it measures values and texts.'],
  ['state', 'it holds what is stored of a run, and the states of a claim.'],
  ['graph', 'it makes the graph of a flow, and executes nothing.'],
  ['tree', 'it holds what the runs of a tree share.'],
  ['log', 'it writes the log lines of runs.'],
  ['execution', 'it executes one node once, and knows nothing of the nodes beside it.'],
  ['redrive', 'it finds what a redrive takes over from earlier runs.'],
  ['run', 'it goes through the graph of one run.'],
];

const roomsOfEngine: ImportRule[] = ENGINE_ROOMS.map(([room, why], index) => ({
  files: `runner/engine/${room}`,
  mayImport: [
    ITSELF,
    ...ENGINE_ROOMS.slice(0, index).map(([below]) => `runner/engine/${below}`),
    'runner/engine/node.ts',
    'runner/engine/owner_files.ts',
    'platform',
    'types',
  ],
  why: `${why} It imports only the rooms that ENGINE_ROOMS lists before it.`,
}));

/**
 * The allowed imports of each source file, types included. An import that no row allows is forbidden, and a file
 * without a row is an error. Tests have no row and may import anything.
 */
export const importRules: readonly ImportRule[] = [
  {
    files: 'types',
    mayImport: [ITSELF],
    packages: ['zod', 'lossless-json', '@scure/base'],
    why: 'types/ runs everywhere, also in browsers, so it may use only pure libraries.',
  },
  {
    files: 'types/values',
    mayImport: [ITSELF, 'types/limits'],
    packages: ['zod', 'decimal.js', 'lossless-json', '@scure/base'],
    why: 'code that computes with values needs no flow, run or deployment.',
  },
  {
    files: 'platform',
    mayImport: [ITSELF, 'types'],
    why: 'the functions and the runner share it, so it imports neither of them, and reaches nothing outside.',
  },
  {
    files: 'platform/postgres',
    mayImport: [ITSELF, 'platform', 'types'],
    packages: ['postgres', 'node:'],
    why: 'it connects to Postgres over sockets.',
  },
  {
    files: 'platform/local_stack',
    mayImport: [ITSELF],
    packages: ['node:'],
    why: 'the local stack, the worker and the shell share it, and it reads the files of a stack in this folder.',
  },
  {
    files: 'platform/loader',
    mayImport: [ITSELF],
    packages: ['node:', 'esbuild'],
    why: 'Node uses it to read the TypeScript of the npm scripts and of the worker.',
  },
  {
    files: 'functions/_shared',
    mayImport: [ITSELF, 'platform', 'types'],
    why: 'all functions share it, so it imports none of them.',
  },
  {
    files: 'functions/*',
    mayImport: ENDPOINT,
    why: 'a function imports no other function, and reaches nothing outside.',
  },
  {
    files: 'functions/mcp',
    mayImport: ENDPOINT,
    packages: ['hono', 'zod'],
    why: 'it loads the package of the protocol only with functions/mcp/serving.',
  },
  {
    files: 'functions/action/chain_lookup.ts',
    mayImport: [
      'functions/action',
      'runner/engine/node.ts',
      'runner/reach',
      'runner/solana',
      'functions/_shared',
      'platform',
      'types',
    ],
    why:
      'it looks for a transaction at the RPC address of the owner, by the address rules and the reader of the runner.',
  },
  {
    files: 'functions/flow/script_warnings.ts',
    mayImport: [
      'runner/rhai/parsing/parser.ts',
      'runner/rhai/errors.ts',
      'runner/rhai/limits.ts',
      'runner/script/author_code.ts',
      'runner/script/parse_code.ts',
      'runner/script/sandbox.ts',
      'functions/_shared',
      'platform',
      'types',
    ],
    why: 'a deploy parses scripts by the parser of the runner.',
  },
  {
    files: 'functions/connections',
    mayImport: [
      ITSELF,
      'runner/connections',
      'runner/engine/node.ts',
      'runner/reach',
      'functions/_shared',
      'platform',
      'types',
    ],
    why: 'a function imports no other function; this one sends its test requests by the HTTP client of runs.',
  },
  {
    files: 'functions/nodes',
    mayImport: [
      ITSELF,
      'runner/connections',
      'runner/described/mcp/list_tools.ts',
      'runner/engine/node.ts',
      'runner/reach',
      'runner/values/response_text.ts',
      'runner/values/response_value.ts',
      'functions/_shared',
      'platform',
      'types',
    ],
    why:
      'a function imports no other function; this one reads documents and lists of tools by the HTTP client of runs.',
  },
  {
    files: 'functions/mcp/serving',
    mayImport: ['functions/mcp', ...ENDPOINT],
    why: 'loading the package of the protocol takes a second, so a refused request must not load it.',
  },
  {
    files: 'functions/runner',
    mayImport: [ITSELF, 'runner', 'functions/_shared', 'platform', 'types'],
    why: 'it checks the key, and hands the work to runner/.',
  },
  {
    files: 'runner',
    mayImport: [ITSELF, 'platform', 'types'],
    why: "it puts the runner's parts together, and leaves sockets to its parts.",
  },
  {
    files: 'runner/engine',
    mayImport: [ITSELF, 'platform', 'types'],
    why: 'the engine executes graphs. It receives the parts that settle instructions, store runs and reach outside.',
  },
  ...roomsOfEngine,
  {
    files: 'runner/solana',
    mayImport: [ITSELF, 'runner/engine', 'platform', 'types'],
    why: 'it sends transactions for the engine, and uses no queue, no node and no socket.',
  },
  {
    files: 'runner/queue',
    mayImport: [
      ITSELF,
      'runner/engine',
      'runner/solana',
      'runner/log_line.ts',
      'runner/settings.ts',
      'platform',
      'types',
    ],
    why: 'it claims and executes runs. It receives the nodes, and the services that reach outside.',
  },
  {
    files: 'runner/webhooks',
    mayImport: [
      ITSELF,
      'runner/engine',
      'runner/log_line.ts',
      'runner/settings.ts',
      'platform',
    ],
    why: 'it posts outgoing webhooks, and uses no run, no node and no socket.',
  },
  {
    files: 'runner/connections',
    mayImport: [ITSELF, 'runner/engine', 'platform', 'types'],
    why: 'it decrypts the secrets of connections for the HTTP client, and uses no socket.',
  },
  {
    files: 'runner/reach',
    mayImport: [
      ITSELF,
      'runner/engine',
      'runner/values/media_types.ts',
      'runner/values/response_text.ts',
      'platform',
      'types',
    ],
    packages: ['ipaddr.js', 'node:'],
    why: 'flows reach other servers through it, and its HTTP client connects only to an address that it has checked.',
  },
  {
    files: 'runner/storage',
    mayImport: [ITSELF, 'runner/engine', 'platform', 'types'],
    why: 'it holds the secret key of the project, and checks the paths of files itself.',
  },
  {
    files: 'runner/nodes',
    mayImport: [ITSELF, 'runner/engine'],
    why: 'the registry lists the nodes.',
  },
  {
    files: 'runner/conditions',
    mayImport: [ITSELF, 'runner/values/text_search.ts', 'types'],
    why: 'it evaluates conditions for the nodes that branch, and uses no node.',
  },
  {
    files: 'runner/values',
    mayImport: [
      ITSELF,
      'runner/engine/node.ts',
      'runner/engine/failures/transient_answer.ts',
      'runner/engine/failures/transient_error.ts',
      'types',
    ],
    why: 'it searches texts, reads dates and HTTP answers, and makes hashes for several nodes. It uses no node.',
  },
  {
    files: 'runner/postgrest',
    mayImport: [ITSELF, 'runner/engine/node.ts', 'runner/engine/failures/request_of_run.ts', 'runner/values', 'types'],
    why: 'it makes queries to PostgREST for several nodes, and receives the services that send them.',
  },
  {
    files: 'runner/models',
    mayImport: [ITSELF, 'runner/engine/node.ts', 'runner/engine/failures', 'runner/values', 'platform', 'types'],
    why: 'it calls models for several nodes, and receives the services that reach outside.',
  },
  {
    files: 'runner/nodes/*',
    mayImport: [
      ITSELF,
      'runner/conditions',
      'runner/models',
      'runner/postgrest',
      'runner/values',
      'runner/engine',
      'runner/solana',
      'runner/threads',
      'platform',
      'types',
    ],
    why: 'a node imports no other node, and receives the services that reach outside with its call.',
  },
  {
    files: 'runner/described',
    mayImport: [
      ITSELF,
      'runner/engine',
      'runner/reach/fetch.ts',
      'runner/values',
      'platform/portions.ts',
      'types',
    ],
    why: 'an adapter receives the services that reach outside with the call of its node, as a node does.',
  },
  {
    files: 'runner/described/solana',
    mayImport: [ITSELF, 'runner/described', 'runner/engine', 'runner/solana', 'types'],
    why: 'an adapter receives the services that reach outside with the call of its node, as a node does.',
  },
  {
    files: 'runner/nodes/rhai_script',
    mayImport: [ITSELF, 'runner/rhai', 'runner/threads', 'runner/engine', 'platform', 'types'],
    why: 'a node imports no other node; this one runs the interpreter.',
  },
  {
    files: 'runner/threads',
    mayImport: [ITSELF, 'runner/engine', 'runner/rhai/task', 'runner/script', 'platform', 'types'],
    why: 'it computes scripts of all languages beside the engine.',
  },
  {
    files: 'runner/threads/lower_priority.ts',
    mayImport: [],
    packages: ['node:'],
    why: 'it asks the system for a lower priority of its thread.',
  },
  {
    files: 'runner/threads/thread_cpu.ts',
    mayImport: [],
    packages: ['node:'],
    why: 'it asks the runtime for the processor time of its thread.',
  },
  {
    files: 'runner/script',
    mayImport: [ITSELF, 'runner/engine', 'types'],
    packages: ['@jitl/quickjs-wasmfile-release-sync', '@scure/base', 'lossless-json'],
    why: 'strangers write what the sandbox runs, so it imports no module that reaches outside.',
  },
  {
    files: 'runner/rhai',
    mayImport: [ITSELF, 'runner/values/text_search.ts', 'types/values/decimal.ts'],
    packages: [],
    why: 'strangers write scripts, so the interpreter imports no module that reaches outside.',
  },
  {
    files: 'runner/rhai/library',
    mayImport: [ITSELF, 'runner/rhai', 'runner/values/text_search.ts', 'types/values/decimal.ts'],
    packages: [],
    why: 'strangers write scripts, so the interpreter imports no module that reaches outside.',
  },
  {
    files: 'runner/rhai/task',
    mayImport: [ITSELF, 'runner/rhai', 'runner/script/recent_sources.ts', 'runner/engine/node.ts', 'types'],
    why: 'it runs a script of a node, and converts its values.',
  },
  {
    files: 'runner/rhai/library/encodings.ts',
    mayImport: ['runner/rhai'],
    packages: ['@noble/hashes', '@scure/base'],
    why: 'these two libraries compute, and reach nothing outside.',
  },
  {
    files: 'runner/worker',
    mayImport: [ITSELF, 'runner', 'platform', 'types'],
    packages: ['node:'],
    why: 'it is a process on Node that runs the runner, and is installed without the local stack.',
  },
  {
    files: 'client',
    mayImport: [ITSELF, 'types'],
    packages: ['@scure/base', 'eventsource-parser'],
    why: 'it runs everywhere, also in browsers, and its build contains everything that it imports.',
  },
  {
    files: 'client/editor_flow.ts',
    mayImport: ['client', 'types'],
    packages: ['zod'],
    why: 'it checks shapes by zod, so the client loads it only when it is needed.',
  },
  {
    files: 'client/describing',
    mayImport: [ITSELF, 'client/flow_client.ts', 'types'],
    packages: ['@codama/nodes-from-anchor', '@scure/base', 'js-yaml', 'zod'],
    why: 'it reads descriptions of services and checks what it makes by zod, so the shell loads it only when needed.',
  },
  {
    files: 'client/node_definition.ts',
    mayImport: ['client', 'types'],
    packages: ['json5', 'zod'],
    why: 'it checks definitions by zod and reads comments in JSON, so the client loads it only when it is needed.',
  },
  {
    files: 'client/shell',
    mayImport: [ITSELF, 'client', 'types'],
    packages: ['lossless-json', 'smol-toml', 'node:'],
    why:
      'it is a process on Node that calls the client as other programs do, and is published without the local stack.',
  },
  {
    files: 'client/shell/stack_user.ts',
    mayImport: ['platform/local_stack'],
    packages: ['node:'],
    why: 'it is loaded only in a checkout, where the command acts as a user of the local stack.',
  },
  {
    files: 'client/shell/find_local_stack.ts',
    mayImport: ['client/shell', 'platform/local_stack'],
    packages: ['node:'],
    why: 'it is loaded only in a checkout, where the command has to find the local stack.',
  },
  {
    files: 'client/build',
    mayImport: [ITSELF, 'client/shell/install'],
    packages: ['node:', 'esbuild', 'dts-bundle-generator'],
    why: 'it makes the package that is published.',
  },
  {
    files: 'console/app',
    mayImport: [ITSELF, 'console'],
    why: 'it puts the pages together.',
  },
  {
    files: 'console/session',
    mayImport: [ITSELF, 'console/shared'],
    packages: ['react', '@mantine/core', '@supabase/auth-js'],
    why: 'the page for signing in stays small.',
  },
  {
    files: 'console/shared',
    mayImport: [
      ITSELF,
      'console/session/session.ts',
      'console/session/session_context.tsx',
      'console/session/use_user_id.ts',
      'types',
    ],
    why: 'all pages share it, so it imports none of them.',
  },
  {
    files: 'console/shared/code/parse_code.ts',
    mayImport: [
      'runner/rhai/errors.ts',
      'runner/rhai/limits.ts',
      'runner/rhai/parsing/parser.ts',
      'runner/script/author_code.ts',
      'runner/script/parse_code.ts',
      'runner/script/sandbox.ts',
    ],
    why: 'the code editor finds faults by the parsers of the runner, in a worker.',
  },
  {
    files: 'console/shared/code/preview_expression.ts',
    mayImport: [
      'runner/script/evaluate.ts',
      'runner/script/expression_code.ts',
      'runner/script/sandbox.ts',
      'types',
    ],
    why: 'the editor previews expressions in the sandbox of the runner, in a worker.',
  },
  {
    files: 'console/shared/code/rhai_completion.ts',
    mayImport: ['runner/rhai/library/descriptions.ts'],
    why: 'it offers the functions that the reference describes.',
  },
  { files: 'console/*', ...PAGE },
  {
    files: 'console/flows',
    ...PAGE,
    mayImport: [
      ...PAGE.mayImport,
      'types/values/input_types.ts',
      'types/values/port_types.ts',
      'types/answer_schema.ts',
      'types/described',
    ],
  },
  {
    files: 'console/flows/editor/ports/port_names.ts',
    mayImport: ['runner/rhai/tokens.ts', 'runner/script/reserved_words.ts'],
    why: 'the name of a port must not be a reserved word of the language of its script.',
  },
  {
    files: 'console/deployments',
    ...PAGE,
    mayImport: [...PAGE.mayImport, 'types/start_limits.ts'],
  },
  {
    files: 'console/runs/agent',
    ...PAGE,
    mayImport: [
      ...PAGE.mayImport,
      'runner/engine/run/step_node_id.ts',
      'runner/nodes/ai_agent/step_names.ts',
      'types/values/json/sorted_json.ts',
    ],
    why: 'the ids of steps tell the calls of a model from the calls of tools.',
  },
  {
    files: 'console/nodes',
    ...PAGE,
    mayImport: [...PAGE.mayImport, 'types/described', 'types/node_definition.ts'],
  },
  { files: 'console/start', ...PAGE, mayImport: [...PAGE.mayImport, 'types/values/port_types.ts'] },
  {
    files: 'console/vite.config.ts',
    mayImport: ['console/docs/search/make_index.ts'],
    packages: ['vite', '@vitejs/plugin-react', 'node:'],
    why: 'it configures the build.',
  },
  {
    files: 'dev',
    mayImport: [ITSELF, 'client', 'functions', 'platform', 'runner', 'types'],
    packages: [ANY],
    why: 'these are the tools of the project. They must work without its tests.',
  },
];
