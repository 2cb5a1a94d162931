import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import type { Database } from '../../types/database.types.ts';
import type { DeployFlowResult, StartResult } from '../../types/deployment.ts';
import type { editorFlowToRow } from '../../types/editor_flow.ts';
import { poll } from './demo_output.ts';
import type { StackStatus } from './stack.ts';
import { StackError } from './stack_error.ts';

const RUN_TIMEOUT_MS = 150_000;
const HAS_ENDED = new Set(['succeeded', 'failed', 'stopped']);

/** What the demo shows, and what it needs for that. */
export interface Demo {
  status: StackStatus;
  row: ReturnType<typeof editorFlowToRow>;
  /** The body of each start; without it the flow's inputs take their defaults. */
  body: { inputs: object } | undefined;
  fetch: typeof fetch;
}

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
  if (!holds) throw new StackError(`The demo failed: this does not hold: ${claim}`);
}

function unwrap<Data>({ data, error }: { data: Data; error: unknown }): NonNullable<Data> {
  if (error !== null || data === null || data === undefined) {
    throw new StackError(`The demo failed: ${error instanceof Error ? error.message : JSON.stringify(error)}`);
  }
  return data;
}

interface Person {
  client: SupabaseClient<Database>;
  token: string;
}

async function signUp({ status, fetch }: Demo, name: string): Promise<Person> {
  const client = createClient<Database>(status.API_URL, status.PUBLISHABLE_KEY, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch },
  });
  const email = `${name}-${randomUUID()}@example.com`;
  const { session } = unwrap(await client.auth.signUp({ email, password: randomUUID() }));
  if (session === null) throw new StackError('The demo failed: sign-up gave no session');
  return { client, token: session.access_token };
}

/** Calls an Edge Function. The error for a refusal holds the whole answer. */
async function invoke<Answer>({ client }: Person, path: string, body?: object): Promise<Answer> {
  const { data, error } = await client.functions.invoke<Answer>(path, { method: 'POST', ...(body && { body }) });
  const response = (error as { context?: unknown } | null)?.context;
  if (response instanceof Response) {
    throw new StackError(
      `The demo failed: POST /functions/v1/${path} answers ${response.status} ${await response.text()}`,
    );
  }
  return unwrap({ data, error });
}

/** Polls until the run has ended, without printing the requests. */
async function waitForRun({ status }: Demo, token: string, runId: string): Promise<void> {
  const client = quietly(status.API_URL, status.PUBLISHABLE_KEY, token);
  const deadline = Date.now() + RUN_TIMEOUT_MS;
  await poll(async () => {
    const run = unwrap(await client.from('flow_run').select('status').eq('id', runId).single());
    if (HAS_ENDED.has(run.status)) return true;
    if (Date.now() < deadline) return undefined;
    throw new StackError(`The demo failed: run ${runId} is still ${run.status} after ${RUN_TIMEOUT_MS / 1000} s`);
  });
}

/** Shows deploying, tags and starting from end to end, as two users see it. */
export async function demonstrate(demo: Demo): Promise<void> {
  step('1. Two users sign up');
  const owner = await signUp(demo, 'owner');
  const other = await signUp(demo, 'other');

  step('2. The owner stores a flow, as the editor saved it');
  const flow = unwrap(await owner.client.from('flows').insert(demo.row).select('id, name').single());

  const deploy = () => invoke<DeployFlowResult>(owner, `flow/deploy/${flow.id}`);
  const latest = async () =>
    unwrap(
      await owner.client.from('flow_deployments_tags').select('deployment_id').eq('entrypoint', flow.id).eq(
        'tag',
        'latest',
      ).single(),
    ).deployment_id;

  step('3. The owner deploys it twice: the tag latest moves to the newer deployment');
  const { deployment_id: first, warnings } = await deploy();
  for (const { code, path, message } of warnings) console.log(`  ! ${path}: ${message} (${code})`);
  check('latest is the first deployment', await latest() === first);
  const { deployment_id: second } = await deploy();
  check('latest is the second deployment', await latest() === second);

  step('4. The owner starts the first deployment by its id, and the newest by the flow');
  const byId = await invoke<StartResult>(owner, `deployment/start?id=${first}`, demo.body);
  const byFlow = await invoke<StartResult>(owner, `deployment/start?flow=${flow.id}`, demo.body);

  step('5. Both run to their end');
  await waitForRun(demo, owner.token, byId.flow_run_id);
  await waitForRun(demo, owner.token, byFlow.flow_run_id);
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
    console.log(`  ${run.status === 'succeeded' ? '✓' : '✗'} run ${run.id} ${run.status}, ${took} ms after its start`);
  }
  const output = `output: ${JSON.stringify(ofSecond[0]?.output)}`;
  const failed = [...ofFirst, ...ofSecond].find((run) => run.status !== 'succeeded');
  // The errors come first: the output of a failed run is long, and holds little beside nulls.
  if (failed !== undefined) {
    throw new StackError(`The run ${failed.status}:\n${(failed.errors ?? []).join('\n')}\n\n${output}`);
  }
  console.log(`  ${output}`);

  step('6. The other user sees neither');
  const seen = unwrap(await other.client.from('flow_run').select('*').in('deployment_id', [first, second]));
  check('the other user reads no rows', seen.length === 0);
  const refused = await other.client.functions.invoke(`deployment/start?id=${first}`, { method: 'POST' });
  check('the other user may not start it', (refused.error as { context?: Response } | null)?.context?.status === 404);
}
