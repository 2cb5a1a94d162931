import { beforeAll, describe, expect, it } from 'vitest';
import { textFlow } from '../support/flow_builder.ts';
import { askRest, type Caller, callers, kindOf, makeCallers } from '../support/matrix_callers.ts';
import { call, deploy, finishedRun, start, storeFlow } from '../support/people.ts';

let headersOf: Record<Caller, Record<string, string>>;
let flowId: number;
let deploymentId: string;
let runId: string;
let deliveryId: string;

beforeAll(async () => {
  const { owner, headers } = await makeCallers();
  headersOf = headers;
  flowId = await storeFlow(owner, textFlow());
  deploymentId = await deploy(owner, flowId);
  // An address at which nothing listens: only the right to deliver again is tested here.
  const on_end = { url: 'http://127.0.0.1:9/', events: ['succeeded'] };
  await owner.client.from('flow_deployments').update({ on_end }).eq('id', deploymentId).throwOnError();
  runId = (await start(owner, `id=${deploymentId}`)).flow_run_id;
  expect(await finishedRun(owner, runId)).toMatchObject({ status: 'succeeded' });
  const { data } = await owner.client.from('webhook_deliveries').select('id').eq('flow_run_id', runId).single()
    .throwOnError();
  deliveryId = data.id;
});

const REFUSED = [401, expect.stringMatching(/^(PGRST30\d|api_key_invalid)$/)];
const UNAUTHENTICATED = [401, expect.stringMatching(/^(unauthenticated|token_invalid|api_key_invalid)$/)];

describe.each(callers)('%s', (caller) => {
  const kind = kindOf(caller);
  const isUser = kind === 'owner' || kind === 'other' && caller !== 'token of a deleted user';
  const rest = (method: string, path: string, body?: object) => askRest(headersOf[caller], method, path, body);
  const flow = async (method: string, path: string) => {
    const response = await call(`flow/${path}`, { method, headers: headersOf[caller] });
    const text = await response.text();
    return [response.status, response.ok ? text.match(/^event: (.*)$/m)?.[1] : JSON.parse(text).code];
  };
  /**
   * The expected answer of an RPC or route that only users may call: `ofOwner` for the owner, 404 for any other user.
   */
  const forUsers = (ofOwner: unknown[], notFound: string) =>
    kind === 'owner' ? ofOwner : isUser ? [404, notFound] : UNAUTHENTICATED;
  const overRest = (ofOwner: unknown[], notFound: string) => kind === 'refused' ? REFUSED : forUsers(ofOwner, notFound);

  it('and the redrive of a run: all but the owner get a 404', async () => {
    expect(await flow('POST', `redrive/${runId}`)).toEqual(forUsers([409, 'run_succeeded'], 'flow_run_not_found'));
    expect(await flow('POST', `redrive/${runId}?deployment=${deploymentId}`))
      .toEqual(forUsers([409, 'run_succeeded'], 'flow_run_not_found'));
    expect(await rest('POST', 'rpc/redrive_flow_run', { flow_run_id: runId }))
      .toEqual(overRest([409, 'run_succeeded'], 'flow_run_not_found'));
    expect(await rest('POST', 'rpc/redrive_flow_runs', { flow: flowId })).toEqual(overRest([200, 0], 'flow_not_found'));
    expect(await rest('POST', 'rpc/redrive_flow_runs', { deployment: deploymentId }))
      .toEqual(overRest([200, 0], 'deployment_not_found'));
  });

  it('and the events of a run', async () => {
    expect(await flow('GET', `events/${runId}`)).toEqual(forUsers([200, 'run_start'], 'flow_run_not_found'));
    expect(await rest('POST', 'rpc/flow_run_events', { flow_run_id: runId }))
      .toEqual(overRest([200, 1], 'flow_run_not_found'));
  });

  it('and the webhook deliveries of a run', async () => {
    expect(await rest('POST', 'rpc/redeliver_webhook', { id: deliveryId }))
      .toEqual(overRest([204, 0], 'webhook_delivery_not_found'));
    expect(await rest('POST', 'rpc/rotate_on_end_secret', { flow_id: flowId }))
      .toEqual(overRest([200, 1], 'flow_not_found'));
    const rows = kind === 'owner' || kind === 'service role' ? 1 : 0;
    expect(await rest('GET', `webhook_deliveries?id=eq.${deliveryId}`)).toEqual(
      kind === 'refused' ? REFUSED : kind === 'nobody' ? [401, '42501'] : [200, rows],
    );
  });
});
