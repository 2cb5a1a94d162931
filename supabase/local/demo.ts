import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ZodError } from 'zod';
import type { Database } from '../../types/database.types.ts';
import { editorFlowToRow } from '../../types/editor_flow.ts';
import type { DeployFlowResult, FlowWarning, StartResult } from '../../types/deployment.ts';
import { projectDir } from './paths.ts';
import { DEFAULT_PORT, findFreePort, parsePort } from './ports.ts';
import { readStatus, type StackStatus, startStack } from './stack.ts';
import { isUsageError, StackError } from './stack_error.ts';
import './websocket.ts';

const USAGE = 'npm run demo -- [--port N] [path/to/flow.json]';

const BODY_SHOWN = 300;
const RUN_TIMEOUT_MS = 30_000;
const HAS_ENDED = new Set(['succeeded', 'failed', 'stopped']);

const shorten = (text: string): string =>
  text.length > BODY_SHOWN ? `${text.slice(0, BODY_SHOWN)} … (${text.length} characters)` : text;

/** What nobody should copy from a screen. */
const hideSecrets = (text: string): string =>
  text.replace(
    /("(?:password|access_token|refresh_token|token)":\s*")[^"]{6,}(")/g,
    (_, before, after) => `${before}…${after}`,
  );

/** fetch, with each request, its answer and the time it took on the screen. */
const loggingFetch: typeof fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const body = typeof init?.body === 'string' ? ` ${shorten(hideSecrets(init.body))}` : '';
  console.log(`  → ${init?.method ?? 'GET'} ${url.pathname}${decodeURIComponent(url.search)}${body}`);
  const began = performance.now();
  const response = await fetch(input, init);
  const text = await response.clone().text();
  const time = `${(performance.now() - began).toFixed(1)} ms`;
  console.log(`  ← ${response.status} in ${time} ${shorten(hideSecrets(text.replace(/\s+/g, ' ')))}`);
  return response;
};

const quietly = (url: string, key: string, token?: string) =>
  createClient<Database>(url, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    ...(token && { global: { headers: { authorization: `Bearer ${token}` } } }),
  });

function step(title: string): void {
  console.log(`\n${title}`);
}

function check(claim: string, holds: boolean): void {
  console.log(`  ${holds ? '✓' : '✗'} ${claim}`);
  if (!holds) throw new StackError(`The demo failed: it is not so that ${claim}`);
}

function unwrap<Data>({ data, error }: { data: Data; error: unknown }): NonNullable<Data> {
  if (error !== null || data === null || data === undefined) {
    throw new StackError(`The demo failed: ${error instanceof Error ? error.message : JSON.stringify(error)}`);
  }
  return data;
}

/** What a run will stumble over: most flows have nothing of the kind. */
function showWarnings(warnings: FlowWarning[]): void {
  for (const { code, path, message } of warnings) console.log(`  ! ${path}: ${message} (${code})`);
}

interface Person {
  client: SupabaseClient<Database>;
  token: string;
}

async function signUp(status: StackStatus, name: string): Promise<Person> {
  const client = createClient<Database>(status.API_URL, status.PUBLISHABLE_KEY, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: loggingFetch },
  });
  const email = `${name}-${randomUUID()}@example.com`;
  const { session } = unwrap(await client.auth.signUp({ email, password: randomUUID() }));
  if (session === null) throw new StackError('The demo failed: sign-up gave no session');
  return { client, token: session.access_token };
}

/** Polls, without showing it, until the run has ended. */
async function waitForRun(status: StackStatus, token: string, runId: string): Promise<void> {
  const client = quietly(status.API_URL, status.PUBLISHABLE_KEY, token);
  const deadline = Date.now() + RUN_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const run = unwrap(await client.from('flow_run').select('status').eq('id', runId).single());
    if (HAS_ENDED.has(run.status)) return;
    await new Promise((wait) => setTimeout(wait, 10));
  }
  throw new StackError(`The demo failed: run ${runId} has not ended after ${RUN_TIMEOUT_MS / 1000} s`);
}

/** The main job, end to end, as two users see it. */
async function demonstrate(status: StackStatus, row: ReturnType<typeof editorFlowToRow>): Promise<void> {
  step('1. Two users sign up');
  const owner = await signUp(status, 'owner');
  const other = await signUp(status, 'other');

  step('2. The owner stores a flow, as the editor saved it');
  const flow = unwrap(await owner.client.from('flows').insert(row).select('id, name').single());

  const deploy = async () =>
    unwrap(await owner.client.functions.invoke<DeployFlowResult>(`flow/deploy/${flow.id}`, { method: 'POST' }));
  const latest = async () =>
    unwrap(
      await owner.client.from('flow_deployments_tags').select('deployment_id').eq('entrypoint', flow.id).eq(
        'tag',
        'latest',
      ).single(),
    ).deployment_id;

  step('3. The owner deploys it twice: the tag latest moves to the newer deployment');
  const { deployment_id: first, warnings } = await deploy();
  showWarnings(warnings);
  check('latest is the first deployment', await latest() === first);
  const { deployment_id: second } = await deploy();
  check('latest is the second deployment', await latest() === second);

  step('4. The owner starts the first deployment by its id, and the newest by the flow');
  const byId = unwrap(
    await owner.client.functions.invoke<StartResult>(`deployment/start?id=${first}`, { method: 'POST' }),
  );
  const byFlow = unwrap(
    await owner.client.functions.invoke<StartResult>(`deployment/start?flow=${flow.id}`, { method: 'POST' }),
  );

  step('5. Both run to their end');
  await waitForRun(status, owner.token, byId.flow_run_id);
  await waitForRun(status, owner.token, byFlow.flow_run_id);
  const ofFirst = unwrap(await owner.client.from('flow_run').select('*').eq('deployment_id', first));
  const ofSecond = unwrap(await owner.client.from('flow_run').select('*').eq('deployment_id', second));
  check(
    'the first deployment has the run that was started by id',
    ofFirst.length === 1 && ofFirst[0]?.id === byId.flow_run_id,
  );
  check(
    'the second has the one that was started by the flow',
    ofSecond.length === 1 && ofSecond[0]?.id === byFlow.flow_run_id,
  );
  for (const run of [...ofFirst, ...ofSecond]) {
    const took = Date.parse(run.end_time ?? '') - Date.parse(run.created_at);
    check(`run ${run.id} succeeded, ${took} ms after its start`, run.status === 'succeeded');
  }
  console.log(`  output: ${JSON.stringify(ofSecond[0]?.output)}`);

  step('6. The other user sees neither');
  const seen = unwrap(await other.client.from('flow_run').select('*').in('deployment_id', [first, second]));
  check('the other user reads no rows', seen.length === 0);
  const refused = await other.client.functions.invoke(`deployment/start?id=${first}`, { method: 'POST' });
  check('the other user may not start it', (refused.error as { context?: Response } | null)?.context?.status === 404);
}

/** The running stack on the port, or one of the demo's own that is gone afterwards. */
async function withStack(port: number | undefined, work: (status: StackStatus) => Promise<void>): Promise<void> {
  const running = readStatus(port ?? DEFAULT_PORT);
  if (running !== undefined) {
    console.log(`Using the stack on ${running.API_URL}.`);
    return await work(running);
  }
  const dir = join(projectDir, '.stack', `demo-${process.pid}`);
  const stopRequest = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopRequest.abort());
  const began = performance.now();
  const stack = await startStack({ port: port ?? await findFreePort(), dir, watch: false, signal: stopRequest.signal });
  console.log(
    `Booted a stack on ${stack.status.API_URL} in ${
      ((performance.now() - began) / 1000).toFixed(1)
    } s; it ends with the demo.`,
  );
  try {
    await work(stack.status);
  } finally {
    await stack.remove();
  }
}

try {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { port: { type: 'string' } } });
  // npm runs scripts in the project's folder; a path is meant from where the person stands.
  const file = resolve(process.env.INIT_CWD ?? '.', positionals[0] ?? join(projectDir, 'docs/example_flow.json'));
  if (!existsSync(file)) throw new StackError(`There is no file ${file}`);
  const row = editorFlowToRow(JSON.parse(await readFile(file, 'utf8')));
  await withStack(
    values.port === undefined ? undefined : parsePort(values.port),
    (status) => demonstrate(status, row),
  );
  console.log('\nAll of it held.');
} catch (error) {
  if (error instanceof StackError) console.error(`\n${error.message}`);
  else if (isUsageError(error)) console.error(`\n${error.message}\n${USAGE}`);
  else if (error instanceof ZodError) console.error(`\nThis is no flow as the editor saves it: ${error.message}`);
  else if (error instanceof SyntaxError) console.error(`\nThe file holds no JSON: ${error.message}`);
  else console.error(error);
  process.exit(1);
}
process.exit();
