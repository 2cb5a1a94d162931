import { beforeAll, expect, it } from 'vitest';
import { textFlow } from '../support/flow_builder.ts';
import { deploy, type Person, signUp, start, storeFlow } from '../support/people.ts';

let owner: Person;
let other: Person;

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
});

const deploymentsOf = async (flowId: number) =>
  (await owner.client.from('flow_deployments').select('id, created_at').eq('entrypoint', flowId).order('created_at')
    .throwOnError()).data;

const latestOf = async (flowId: number) =>
  (await owner.client.from('flow_deployments_tags').select('deployment_id').eq('entrypoint', flowId).eq('tag', 'latest')
    .throwOnError())
    .data[0]?.deployment_id;

it('of 200 concurrent deploys of one flow none is lost, ids increase with created_at, and latest names the greatest', async () => {
  const flowId = await storeFlow(owner, textFlow());
  const made = await Promise.all(Array.from({ length: 200 }, () => deploy(owner, flowId)));
  const rows = await deploymentsOf(flowId);
  expect(new Set(rows.map((row) => row.id))).toEqual(new Set(made));
  expect(rows).toHaveLength(200);
  for (const [index, row] of rows.entries()) {
    if (index > 0) expect(row.id > rows[index - 1]!.id).toBe(true);
  }
  expect(await latestOf(flowId)).toBe(rows.at(-1)!.id);
});

it('after deletes during deploys, latest names the greatest remaining id', async () => {
  const flowId = await storeFlow(owner, textFlow());
  const first = await Promise.all(Array.from({ length: 20 }, () => deploy(owner, flowId)));
  const remove = (id: string) => owner.client.from('flow_deployments').delete().eq('id', id).throwOnError();
  const deployAndRemove = async () => await remove(await deploy(owner, flowId));
  await Promise.all([
    ...Array.from({ length: 30 }, () => deploy(owner, flowId)),
    ...Array.from({ length: 20 }, deployAndRemove),
    ...first.map(remove),
  ]);
  const rows = await deploymentsOf(flowId);
  expect(rows).toHaveLength(30);
  expect(await latestOf(flowId)).toBe(rows.at(-1)!.id);

  await Promise.all([
    deploy(owner, flowId),
    owner.client.from('flow_deployments').delete().eq('entrypoint', flowId).throwOnError(),
  ]);
  expect(await latestOf(flowId)).toBe((await deploymentsOf(flowId)).at(-1)?.id);
});

it('a start by latest during deploys and deletes never fails and never starts a deleted deployment', async () => {
  const flowId = await storeFlow(owner, textFlow());
  await deploy(owner, flowId);
  const deployments = Array.from({ length: 20 }, () => deploy(owner, flowId));
  const starts = await Promise.all(Array.from({ length: 20 }, () => start(owner, `flow=${flowId}`)));
  await Promise.all(deployments);
  const ids = new Set((await deploymentsOf(flowId)).map((row) => row.id));
  const runs = await owner.client.from('flow_run').select('deployment_id').in(
    'id',
    starts.map((result) => result.flow_run_id),
  ).throwOnError();
  expect(runs.data).toHaveLength(20);
  for (const run of runs.data) expect(ids.has(run.deployment_id!)).toBe(true);
});

it("a tag can't point at a deployment of another flow or of another owner", async () => {
  const [flowId, second] = [await storeFlow(owner, textFlow()), await storeFlow(owner, textFlow())];
  const foreign = await storeFlow(other, textFlow());
  const ofSecond = await deploy(owner, second);
  const ofOther = await deploy(other, foreign);
  await deploy(owner, flowId);
  for (const deployment_id of [ofSecond, ofOther, '01890000-0000-7000-8000-000000000000']) {
    const { status, error } = await owner.client.from('flow_deployments_tags').insert({
      entrypoint: flowId,
      tag: 'stolen',
      deployment_id,
    });
    expect([status, error?.code]).toEqual([409, '23503']);
  }
  const move = await owner.client.from('flow_deployments_tags').update({ deployment_id: ofSecond }).eq(
    'entrypoint',
    flowId,
  ).eq('tag', 'latest');
  expect([move.status, move.error?.code]).toEqual([409, 'tag_latest_protected']);
});
