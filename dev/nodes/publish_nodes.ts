import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import {
  parsePort,
  readStack,
  runningPorts,
  stackDir,
  type StackStatus,
} from '../../platform/local_stack/running_stacks.ts';
import { projectDir } from '../stack/paths.ts';
import { isUsageError, StackError } from '../stack/stack_error.ts';
import { chooseRunningPort } from '../stack/stack_record.ts';
import { withoutTrailingSlashes } from '../../platform/base_url.ts';
import { completeDefinition } from './complete_definition.ts';
import type { NodeDefinition } from '../../types/node_definition.ts';

/** The folders of the project's native nodes. */
export const projectNodesDir = join(projectDir, 'runner/nodes');

const USAGE = `npm run nodes:publish [-- [--url <address>] [--key <key>] [--publishable-key <key>] [--port <N>]]

  --url              the project's address; default: the local stack on --port, else the one that runs
  --key              a service key (public definitions), or a user's access token or API key (the user's own);
                     default: the local stack's service key
  --publishable-key  the project's publishable key, which its gateway asks for beside a user's key`;

const ATTEMPTS = 5;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** The definition of one native node, as it is in its file. */
export interface DefinitionFile {
  name: string;
  text: string;
}

/**
 * Reads the definitions in the folders of `nodesDir`, in the folders' order. A folder has definition.json or, if it
 * makes several nodes, definitions.ts with the export `definitions`.
 */
export async function readDefinitionFiles(nodesDir: string): Promise<DefinitionFile[]> {
  const read = async (name: string): Promise<DefinitionFile[]> => {
    const [file, source] = [join(nodesDir, name, 'definition.json'), join(nodesDir, name, 'definitions.ts')];
    if (existsSync(file)) return [{ name, text: readFileSync(file, 'utf8') }];
    if (!existsSync(source)) return [];
    const { definitions }: { definitions: { data: { node_id: string } }[] } = await import(pathToFileURL(source).href);
    return definitions.map((definition) => ({ name: definition.data.node_id, text: JSON.stringify(definition) }));
  };
  return (await Promise.all(readdirSync(nodesDir).sort().map(read))).flat();
}

const roleOf = (key: string): string | undefined => {
  try {
    return JSON.parse(Buffer.from(key.split('.')[1] ?? '', 'base64url').toString()).role;
  } catch {
    return undefined;
  }
};

/**
 * Returns the headers for a key. The project's own keys need no other key; a user's key also needs the publishable key.
 */
export function keyHeaders(key: string, publishableKey: string | undefined): Record<string, string> {
  if (key.startsWith('sb_')) return { apikey: key };
  const role = roleOf(key);
  if (role !== undefined && role !== 'authenticated') return { apikey: key, authorization: `Bearer ${key}` };
  if (publishableKey === undefined) {
    throw new StackError(
      `With a user's key, give the project's publishable key as well: add --publishable-key.\n\n${USAGE}`,
    );
  }
  const credential: Record<string, string> = key.startsWith('fk_')
    ? { 'x-api-key': key }
    : { authorization: `Bearer ${key}` };
  return { apikey: publishableKey, ...credential };
}

interface PublishOptions {
  files: DefinitionFile[];
  /** The project's address. */
  url: string;
  headers: Record<string, string>;
  log: (line: string) => void;
  /** If true, only failures are logged. */
  quiet?: boolean;
  /** Stops publishing, also during a pause. publishNodes then rejects. */
  signal?: AbortSignal;
  firstDelayMs?: number;
}

export interface PublishSummary {
  created: number;
  merged: number;
  failed: number;
}

/** The reason why a post failed, and whether a new try may help. */
interface Failure {
  reason: string;
  isTransient: boolean;
  /**
   * Set if the post of every other definition would fail, too: no server answered, or the project refuses the key.
   */
  whyStop?: string;
  retryAfterMs?: number;
}

function describeRefusal(status: number, text: string): string {
  try {
    const { code, message, details } = JSON.parse(text);
    const faults: { path: string; message: string }[] = code === 'node_definition_invalid' ? JSON.parse(details) : [];
    const further = faults.slice(1).map((fault) => `\n        ${fault.path}: ${fault.message}`);
    return `${[status, code, message ?? text].filter((part) => part !== undefined).join(' ')}${further.join('')}`;
  } catch {
    return `${status} ${text.slice(0, 200)}`;
  }
}

/** Describes a failed request. Adds the cause to the error "fetch failed" of fetch. */
const describeError = (error: unknown): string => {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause === undefined ? message : `${message} (${cause.code ?? cause.message})`;
};

const isTransientStatus = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Sends a request to the table. The request is aborted when its time is over, and by `signal`. */
const requestNodes = (options: Pick<PublishOptions, 'url' | 'signal'>, query: string, init: RequestInit) => {
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  return fetch(`${withoutTrailingSlashes(options.url)}/rest/v1/nodes${query}`, { ...init, signal });
};

async function post(options: PublishOptions, body: string): Promise<'created' | 'merged' | Failure> {
  try {
    const response = await requestNodes(options, '', {
      method: 'POST',
      headers: {
        ...options.headers,
        'content-type': 'application/json',
        prefer: 'resolution=merge-duplicates,return=minimal',
      },
      body,
    });
    const text = await response.text();
    if (response.ok) return response.status === 201 ? 'created' : 'merged';
    const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
    return {
      reason: describeRefusal(response.status, text),
      isTransient: isTransientStatus(response.status),
      ...(response.status === 401 && { whyStop: `${options.url} does not accept the key` }),
      ...(Number.isFinite(retryAfter) && { retryAfterMs: retryAfter * 1000 }),
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    return { reason: describeError(error), isTransient: true, whyStop: `${options.url} can't be reached` };
  }
}

/** Posts a definition repeatedly, until it succeeds, is refused, or has been tried often enough. */
async function postWithRetries(
  options: PublishOptions,
  body: string,
  log: (line: string) => void,
): Promise<'created' | 'merged' | Failure> {
  let delayMs = options.firstDelayMs ?? FIRST_DELAY_MS;
  for (let attempt = 1;; attempt++) {
    const outcome = await post(options, body);
    if (typeof outcome === 'string' || !outcome.isTransient || attempt === ATTEMPTS) return outcome;
    const waitMs = Math.min(outcome.retryAfterMs ?? delayMs, MAX_DELAY_MS);
    log(`${outcome.reason}; trying again in ${waitMs / 1000} s`);
    await pause(waitMs, undefined, { signal: options.signal });
    delayMs *= 2;
  }
}

/**
 * Returns the body to post for a file. Throws a SyntaxError if the file is not JSON. If the post omitted the last column
 * of the form, the row would keep its old value.
 */
const toBody = (text: string): string =>
  JSON.stringify({ 'targets_form.extra': null, ...completeDefinition(JSON.parse(text)) });

/** Posts the definitions one after another, logs the outcome of each, and counts them. */
export async function publishNodes(options: PublishOptions): Promise<PublishSummary> {
  const { files, log } = options;
  const summary: PublishSummary = { created: 0, merged: 0, failed: 0 };
  for (const [index, { name, text }] of files.entries()) {
    const label = `[${String(index + 1).padStart(String(files.length).length)}/${files.length}] ${name}`;
    const fail = (reason: string) => {
      summary.failed++;
      log(`${label}: FAILED: ${reason}`);
    };
    try {
      const outcome = await postWithRetries(options, toBody(text), (line) => log(`${label}: ${line}`));
      if (typeof outcome === 'string') {
        summary[outcome]++;
        if (!options.quiet) log(`${label}: ${outcome === 'created' ? 'created' : 'there already, merged'}`);
        continue;
      }
      fail(outcome.reason);
      if (outcome.whyStop !== undefined) {
        const left = files.length - index - 1;
        summary.failed += left;
        if (left > 0) log(`${outcome.whyStop}: the other ${left} are not tried.`);
        break;
      }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      fail(`definition.json must be JSON: ${error.message}`);
    }
  }
  return summary;
}

/** The members that identify a definition. */
type Identity = Pick<NodeDefinition['data'], 'node_id' | 'version'>;

const keyOf = ({ node_id, version }: Identity): string => JSON.stringify([node_id, version]);

/** Reads the identity in a file; undefined if the file has none. The database refuses a file without an identity. */
function identityOf({ text }: DefinitionFile): Identity | undefined {
  try {
    return JSON.parse(text).data ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns the definitions that have no public row in the table yet. */
async function findMissing(
  files: DefinitionFile[],
  options: Pick<PublishOptions, 'url' | 'headers' | 'signal'>,
): Promise<DefinitionFile[]> {
  const identities = files.map(identityOf);
  const ids = identities.map((identity) => JSON.stringify(identity?.node_id ?? ''));
  const query = `?select=node_id,version&is_public=is.true&node_id=in.(${encodeURIComponent(ids.join())})`;
  const response = await requestNodes(options, query, { headers: options.headers });
  const text = await response.text();
  if (!response.ok) throw new Error(describeRefusal(response.status, text));
  const stored = new Set((JSON.parse(text) as Identity[]).map(keyOf));
  return files.filter((_, index) => {
    const identity = identities[index];
    return identity === undefined || !stored.has(keyOf(identity));
  });
}

/**
 * Publishes the definitions of this project that a local stack lacks. At its first start, a stack lacks all of them.
 * Failures are only logged, because a stack works without the definitions. Rejects only if `signal` is aborted.
 */
export async function seedNodes(
  { API_URL: url, SERVICE_ROLE_KEY }: Pick<StackStatus, 'API_URL' | 'SERVICE_ROLE_KEY'>,
  options: Pick<PublishOptions, 'log' | 'signal' | 'firstDelayMs'>,
  nodesDir = projectNodesDir,
): Promise<void> {
  const target = { ...options, url, headers: keyHeaders(SERVICE_ROLE_KEY, undefined), quiet: true };
  try {
    const files = await findMissing(await readDefinitionFiles(nodesDir), target);
    const { failed } = await publishNodes({ ...target, files });
    if (failed > 0) options.log(`${failed} node definitions are not published; the next start tries them again.`);
  } catch (error) {
    options.signal?.throwIfAborted();
    options.log(`The node definitions could not be read: ${describeError(error)}`);
  }
}

/** The status of the local stack at an address; undefined if no local stack runs there. */
function localAt(url: string): StackStatus | undefined {
  const isThere = (status: StackStatus | undefined) =>
    status !== undefined && URL.canParse(url) && new URL(url).origin === new URL(status.API_URL).origin;
  return runningPorts().map((port) => readStack(stackDir(port))?.status).find(isThere);
}

/** Reads from a command line where to publish, and with which key. */
export function readOptions(args: string[]): Pick<PublishOptions, 'url' | 'headers'> {
  const { values } = parseArgs({
    args,
    options: {
      'url': { type: 'string' },
      'key': { type: 'string' },
      'publishable-key': { type: 'string' },
      'port': { type: 'string' },
    },
  });
  const wanted = values.port === undefined ? undefined : parsePort(values.port);
  const findLocal = () => readStack(stackDir(chooseRunningPort(wanted)))?.status;
  // If --url names a project, no local stack has to be chosen, so it is no error if several stacks run.
  const local = values.url === undefined || wanted !== undefined ? findLocal() : localAt(values.url);
  const url = values.url ?? local?.API_URL;
  if (url === undefined) {
    const where = wanted === undefined ? '' : ` on port ${wanted}`;
    throw new StackError(`No stack runs${where}: start one with npm start, or name a project.\n\n${USAGE}`);
  }
  if (!URL.canParse(url)) {
    throw new StackError(`--url must be an address such as https://<project>.supabase.co, not ${url}`);
  }
  const isLocal = local !== undefined && new URL(url).origin === new URL(local.API_URL).origin;
  const key = values.key ?? (isLocal ? local.SERVICE_ROLE_KEY : undefined);
  if (key === undefined) throw new StackError(`A key for ${url} is missing: add --key.\n\n${USAGE}`);
  const publishableKey = values['publishable-key'] ?? (isLocal ? local.PUBLISHABLE_KEY : undefined);
  return { url, headers: keyHeaders(key, publishableKey) };
}

async function main(args: string[]): Promise<void> {
  const options = readOptions(args);
  const files = await readDefinitionFiles(projectNodesDir);
  console.log(`Publishing ${files.length} node definitions to ${options.url}`);
  const { created, merged, failed } = await publishNodes({ ...options, files, log: (line) => console.log(line) });
  console.log(`${files.length} node definitions: ${created} created, ${merged} merged, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    if (error instanceof StackError) console.error(error.message);
    else if (isUsageError(error)) console.error(`${error.message}\n\n${USAGE}`);
    else console.error(error);
    process.exitCode = 1;
  }
}
