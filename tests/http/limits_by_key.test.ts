import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../types/database.types.ts';
import type { StartResult } from '../../types/deployment.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, type Person, signUp, storeFlow } from '../support/people.ts';

let owner: Person;

beforeAll(async () => {
  owner = await signUp();
});

type Settings = Database['public']['Tables']['flow_deployments']['Update'];

/** Deploys the flow with these settings. */
async function deployWith(flow: FlowBuilder, settings: Settings): Promise<string> {
  const id = await deploy(owner, await storeFlow(owner, flow));
  await owner.client.from('flow_deployments').update(settings).eq('id', id).throwOnError();
  return id;
}

async function start(id: string, value: string, headers: Record<string, string> = {}): Promise<StartResult> {
  const response = await call(`deployment/start?id=${id}`, {
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ values: { value } }),
  });
  expect(response.status).toBe(200);
  return await response.json() as StartResult;
}
const text = (S: string) => ({ M: { text: { S } } });

describe('Prefer: wait', () => {
  it('ends without a result while the run waits for its place, and also waits until it has one', async () => {
    const flow = new FlowBuilder();
    flow.output('text', flow.wait(flow.input('value'), 2_500));
    const id = await deployWith(flow, { max_running_per_key: 1 });
    const first = await start(id, 'first');
    const second = await start(id, 'second', { prefer: 'wait=1' });
    expect(second).not.toHaveProperty('status');
    const { data: blocked } = await owner.client.from('flow_run').select('status').eq('id', second.flow_run_id)
      .single().throwOnError();
    expect(blocked).toEqual({ status: 'queued' });
    const third = await start(id, 'third', { prefer: 'wait=100' });
    expect(third).toMatchObject({ status: 'succeeded', output: text('third') });
    const ends = await Promise.all([first, second, third].map((run) => finishedRun(owner, run.flow_run_id)));
    const times = ends.map(({ start_time, end_time }) => [start_time, end_time].map((time) => Date.parse(time!)));
    expect(times.flat()).toEqual(times.flat().toSorted((a, b) => a - b));
  });

  it('of debounced starts answers all of them with the result of their run', async () => {
    const id = await deployWith(textFlow(), { debounce_seconds: 2 });
    const prefer = { prefer: 'wait=100' };
    const answers = await Promise.all(['one', 'two', 'three'].map((value) => start(id, value, prefer)));
    expect(new Set(answers.map((answer) => answer.flow_run_id)).size).toBe(1);
    const run = await finishedRun(owner, answers[0]!.flow_run_id);
    const newest = (run.inputs as { M: { value: { S: string } } }).M.value.S;
    for (const answer of answers) expect(answer).toMatchObject({ status: 'succeeded', output: text(newest) });
  });
});

it('a guest joins a debounced run only with its token', async () => {
  const id = await deployWith(textFlow(), { debounce_seconds: 3_600, start_permission: 'Anonymous' });
  const guest = { authorization: `Bearer ${base58.encode(randomBytes(32))}` };
  const run = await start(id, 'one', guest);
  const stranger = await start(id, 'stranger', guest);
  const joined = await start(id, 'two', { ...guest, 'x-flow-run-token': run.token });
  expect(stranger.flow_run_id).not.toBe(run.flow_run_id);
  expect(joined).toEqual(run);
  const { data } = await owner.client.from('flow_run').select('inputs').in('id', [
    run.flow_run_id,
    stranger.flow_run_id,
  ])
    .order('id').throwOnError();
  expect(data).toEqual(['two', 'stranger'].map((S) => ({ inputs: { M: { value: { S } } } })));
});
