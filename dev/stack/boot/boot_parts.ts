import { rm } from 'node:fs/promises';
import { startChainPart } from '../../chain/part.ts';
import { startAuthPart } from '../auth/auth_part.ts';
import { functionNames, projectFunctionsDir, startFunction } from '../functions.ts';
import type { StackKeys } from '../keys.ts';
import type { Part } from '../parts/part.ts';
import { chainPort } from '../ports.ts';
import { startPostgrest, waitForPostgrest } from '../postgrest.ts';
import { storageDirOf } from '../stack_dir.ts';
import type { StackOptions } from '../stack_options.ts';
import { startStoragePart } from '../storage/part.ts';

/** The PostgREST that the functions call. */
export const FUNCTIONS_REST = 'PostgREST of the functions';

/** What the parts of one stack need to start. */
interface PartsSetup {
  options: Pick<StackOptions, 'port' | 'functionsDir' | 'extraFunctionsDir' | 'watch'>;
  dir: string;
  keys: StackKeys;
  /** The environment of the Edge Functions. */
  env: Record<string, string>;
  /** The address of the site, for the mails of Auth. */
  siteUrl: string;
  urlFor: (role: string) => string;
  socketPath: (name: string) => string;
  keep: (part: Part) => Part;
  log: (line: string) => void;
}

/** Starts each part beside the database, in a way that also starts it again. A promise resolves when the part answers. */
interface PartBoots {
  rest: () => Promise<void>;
  functionsRest: () => Promise<void>;
  auth: () => Promise<void>;
  storage: () => Promise<void>;
  chain: () => Promise<void>;
  /** The boots of the Edge Functions, by the names of the functions. */
  functions: ReadonlyMap<string, () => Promise<void>>;
}

/** Makes the boots of the parts. A killed part leaves its socket behind, so each boot removes the socket first. */
export function makePartBoots(
  { options, dir, keys, env, siteUrl, urlFor, socketPath, keep, log }: PartsSetup,
): PartBoots {
  const { jwtSecret } = keys;
  const bootRest = (name: string, socket: string, poolSize: number) => async () => {
    const path = socketPath(socket);
    await rm(path, { force: true });
    const rest = keep(startPostgrest({
      name,
      databaseUrl: urlFor('authenticator'),
      jwtSecret,
      socketPath: path,
      poolSize,
    }));
    await waitForPostgrest(rest, path);
  };
  const bootPart = (socket: string, start: (path: string, onLine: (line: string) => void) => Part) => async () => {
    const path = socketPath(socket);
    await rm(path, { force: true });
    await keep(start(path, (line) => log(`[${socket}] ${line}`))).waitUntilReady();
  };
  const { functionsDir = projectFunctionsDir, extraFunctionsDir, watch = true, port } = options;
  const dirs = [functionsDir, ...(extraFunctionsDir === undefined ? [] : [extraFunctionsDir])];
  return {
    // One PostgREST serves /rest/v1, and another serves the functions. So expensive filters of callers cannot use up
    // the database connections that starts of runs need.
    rest: bootRest('PostgREST', 'rest', 10),
    functionsRest: bootRest(FUNCTIONS_REST, 'functions-rest', 20),
    auth: bootPart(
      'auth',
      (path, onLine) =>
        startAuthPart({ databaseUrl: urlFor('supabase_auth_admin'), jwtSecret, siteUrl, socketPath: path, onLine }),
    ),
    storage: bootPart('storage', (path, onLine) =>
      startStoragePart({
        databaseUrl: urlFor('supabase_storage_admin'),
        jwtSecret,
        dir: storageDirOf(dir),
        socketPath: path,
        onLine,
      })),
    chain: bootPart('chain', (path, onLine) => startChainPart(chainPort(port), path, onLine)),
    functions: new Map(dirs.flatMap((functionsDir) =>
      functionNames(functionsDir).map((name) => [
        name,
        bootPart(name, (path, onLine) => startFunction({ name, functionsDir, socketPath: path, env, watch, onLine })),
      ])
    )),
  };
}
