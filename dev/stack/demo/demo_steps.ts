import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import type { StackStatus } from '../../../platform/local_stack/running_stacks.ts';
import { createFlowClient } from '../../../client/create_flow_client.ts';
import type { FlowClient, RunReference } from '../../../client/flow_client.ts';
import { FlowError } from '../../../client/flow_error.ts';
import type { Database } from '../../../types/database.types.ts';
import type { PlainValue } from '../../../client/plain_value.ts';
import type { StartDeploymentParams } from '../../../types/deployment.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import type { editorFlowToRow } from '../../../types/editor/editor_flow.ts';
import { StackError } from '../stack_error.ts';

const RUN_TIMEOUT_MS = 150_000;

/** The flow of a demo, and the services for it. */
export interface Demo {
  status: StackStatus;
  /** The user who owns the flow. */
  user: { email: string; password: string };
  row: ReturnType<typeof editorFlowToRow>;
  /** The body of each start. Without it, the flow's inputs take their defaults. */
  body: StartDeploymentParams | undefined;
  fetch: typeof fetch;
}

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
  supabase: SupabaseClient<Database>;
  /** The client of flows, with the same session. */
  flows: FlowClient;
}

function makePerson({ status, fetch }: Demo): Person {
  const supabase = createClient<Database>(status.API_URL, status.PUBLISHABLE_KEY, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch },
  });
  return { supabase, flows: createFlowClient(supabase) };
}

async function signIn(demo: Demo): Promise<Person> {
  const person = makePerson(demo);
  const { error } = await person.supabase.auth.signInWithPassword(demo.user);
  if (error !== null) throw new StackError(`The demo failed: ${error.message}`);
  return person;
}

/** Signs up a user who exists only for the demo. The demo does not print this user's password. */
async function signUpOther(demo: Demo): Promise<Person> {
  const person = makePerson(demo);
  const credentials = { email: `other-${randomUUID()}@example.com`, password: randomUUID() };
  const { session } = unwrap(await person.supabase.auth.signUp(credentials));
  if (session === null) throw new StackError('The demo failed: sign-up gave no session');
  return person;
}

/** Formats the error of a refused request with all parts of the answer; other errors are returned unchanged. */
function explain(error: unknown): unknown {
  if (!(error instanceof FlowError)) return error;
  const { code, status, message, details } = error;
  return new StackError(`The demo failed: ${status} ${code}: ${message}\n${JSON.stringify(details)}`);
}

/** Waits for the end of a run, also of a failed or stopped run. The run's row has the outcome. */
async function waitForRun({ flows }: Person, run: RunReference<object>): Promise<void> {
  await flows.output(run, { timeoutMs: RUN_TIMEOUT_MS }).catch((error: unknown) => {
    if (!(error instanceof FlowError) || !['run_failed', 'run_stopped'].includes(error.code)) throw error;
  });
}

/** The objects that the demo leaves on the stack. */
export interface Shown {
  flowId: number;
  deploymentId: string;
}

/** Shows deploying, tagging and starting from end to end, as two users see these steps. */
export async function demonstrate(demo: Demo): Promise<Shown> {
  return await showAll(demo).catch((error: unknown) => {
    throw explain(error);
  });
}

async function showAll(demo: Demo): Promise<Shown> {
  step('1. The owner signs in, and another user signs up');
  const owner = await signIn(demo);
  const other = await signUpOther(demo);

  step('2. The owner stores a flow, as the editor saved it');
  const flow = unwrap(await owner.supabase.from('flows').insert(demo.row).select('id, name').single());

  const latest = async () =>
    unwrap(
      await owner.supabase.from('flow_deployments_tags').select('deployment_id').eq('entrypoint', flow.id).eq(
        'tag',
        'latest',
      ).single(),
    ).deployment_id;

  step('3. The owner deploys it twice: the tag latest moves to the newer deployment');
  const { deployment_id: first, warnings } = await owner.flows.deploy(flow.id);
  for (const { code, path, message } of warnings) console.log(`  ! ${path}: ${message} (${code})`);
  check('latest is the first deployment', await latest() === first);
  const { deployment_id: second } = await owner.flows.deploy(flow.id);
  check('latest is the second deployment', await latest() === second);

  step('4. The owner starts the first deployment by its id, and the newest by the flow');
  // SAFETY: the schema of a start has checked `values` and `inputs`.
  const values = (demo.body?.values ?? {}) as { [name: string]: PlainValue };
  const inputs = demo.body?.inputs as ValueMap | undefined;
  const byId = await owner.flows.start(first, values, { inputs });
  const byFlow = await owner.flows.start(flow.id, values, { inputs });

  step('5. Both run to their end');
  await waitForRun(owner, byId);
  await waitForRun(owner, byFlow);
  const ofFirst = unwrap(await owner.supabase.from('flow_run').select('*').eq('deployment_id', first));
  const ofSecond = unwrap(await owner.supabase.from('flow_run').select('*').eq('deployment_id', second));
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
  // The errors come first, because the output of a failed run is long and mostly null.
  if (failed !== undefined) {
    throw new StackError(`The run ${failed.status}:\n${(failed.errors ?? []).join('\n')}\n\n${output}`);
  }
  console.log(`  ${output}`);

  step('6. The other user sees neither');
  const seen = unwrap(await other.supabase.from('flow_run').select('*').in('deployment_id', [first, second]));
  check('the other user reads no rows', seen.length === 0);
  const refused = await other.flows.start(first).catch((error: unknown) => error);
  check('the other user may not start it', refused instanceof FlowError && refused.status === 404);
  return { flowId: flow.id, deploymentId: second };
}
