import { beforeAll, describe, expect, it } from 'vitest';
import { textFlow } from '../support/flow_builder.ts';
import { askRest, type Caller, callers, kindOf, makeCallers } from '../support/matrix_callers.ts';
import { deploy, storeFlow } from '../support/people.ts';

let headersOf: Record<Caller, Record<string, string>>;
let flowId: number;
let ids: { flow_schedules: string; flow_webhooks: string };

beforeAll(async () => {
  const { owner, headers } = await makeCallers();
  headersOf = headers;
  flowId = await storeFlow(owner, textFlow());
  await deploy(owner, flowId);
  const schedule = await owner.client.from('flow_schedules').insert({ flow: flowId, cron: '0 0 1 1 *' }).select('id')
    .single().throwOnError();
  const webhook = await owner.client.rpc('create_webhook', { flow: flowId, input: 'value' }).throwOnError();
  ids = { flow_schedules: schedule.data.id, flow_webhooks: (webhook.data as { id: string }).id };
});

const ask = (caller: Caller, method: string, path: string, body?: object) =>
  askRest(headersOf[caller], method, path, body);

const REFUSED = [401, expect.stringMatching(/^(PGRST30\d|api_key_invalid)$/)];
const NOBODY = [401, '42501'];

describe.each(callers)('%s', (caller) => {
  const kind = kindOf(caller);
  const tables = ['flow_schedules', 'flow_webhooks'] as const;

  it.each(tables)('and the rows of %s: only the owner can read and change them', async (table) => {
    const rows = kind === 'owner' || kind === 'service role' ? 1 : 0;
    const expected = {
      owner: [200, rows],
      other: [200, rows],
      'service role': [200, rows],
      nobody: NOBODY,
      refused: REFUSED,
    };
    const path = `${table}?id=eq.${ids[table]}`;
    expect(await ask(caller, 'GET', path)).toEqual(expected[kind]);
    expect(await ask(caller, 'PATCH', path, { is_active: true })).toEqual(expected[kind]);
    // After this request, the test stores the deleted rows again for the next caller.
    expect(await ask(caller, 'DELETE', `${path}&is_active=eq.false`)).toEqual(
      kind === 'nobody' || kind === 'refused' ? expected[kind] : [200, 0],
    );
  });

  it('and a schedule of the owner: only the owner can store one', async () => {
    const expected = {
      owner: [201, 1],
      other: [404, 'flow_not_found'],
      // The service role has no user, so it owns no flow.
      'service role': [404, 'flow_not_found'],
      nobody: NOBODY,
      refused: REFUSED,
    };
    const schedule = { flow: flowId, cron: '0 0 1 1 *' };
    expect(await ask(caller, 'POST', 'flow_schedules', schedule)).toEqual(expected[kind]);
  });

  it('and a webhook of the owner: only the owner can make one or set its verification', async () => {
    const refused = kind === 'refused' ? REFUSED : [401, kind === 'nobody' ? 'unauthenticated' : 'token_invalid'];
    const isUser = kind === 'owner' || kind === 'other' && caller !== 'token of a deleted user';
    const made = await ask(caller, 'POST', 'rpc/create_webhook', { flow: flowId, input: 'value' });
    expect(made).toEqual(!isUser ? refused : kind === 'owner' ? [200, 1] : [404, 'flow_not_found']);
    const set = await ask(caller, 'POST', 'rpc/set_webhook_verification', { webhook_id: ids.flow_webhooks });
    expect(set).toEqual(!isUser ? refused : kind === 'owner' ? [200, 1] : [404, 'webhook_not_found']);
  });

  it('and the next times of a cron text: every user can compute them', async () => {
    const refused = kind === 'refused' ? REFUSED : [401, kind === 'nobody' ? 'unauthenticated' : 'token_invalid'];
    const isUser = kind === 'owner' || kind === 'other' && caller !== 'token of a deleted user';
    const told = await ask(caller, 'POST', 'rpc/next_cron_times', { cron: '0 0 1 1 *' });
    expect(told).toEqual(isUser ? [200, 3] : refused);
  });

  it('can make a webhook only by create_webhook', async () => {
    const answer = await ask(caller, 'POST', 'flow_webhooks', { flow: flowId, input: 'value', prefix: 'fh_aaaaaaa' });
    expect(answer).toEqual(kind === 'refused' ? REFUSED : [expect.any(Number), expect.stringMatching(/^42501$/)]);
  });
});
