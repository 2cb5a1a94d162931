import { flowKind } from './flow_kinds.ts';
import type { Random } from './random.ts';
import { deployFlow, type SoakDeployment, type SoakFlow, type World } from './world.ts';

/** The approximate number of deployments that a flow keeps. */
const KEPT_DEPLOYMENTS = 8;

const live = ({ deployments }: SoakFlow): SoakDeployment[] => deployments.filter(({ isGoing }) => !isGoing);

/** The owner edits the flow; its behaviour stays the same. */
async function edit(flow: SoakFlow, random: Random): Promise<void> {
  const row = flowKind(flow.kind).build(flow.parts, random).row();
  await flow.owner.client.from('flows').update({ ...row, description: random.text() } as never).eq('id', flow.id);
}

/** The owner moves or deletes a tag, or tries to move latest. */
async function tag(flow: SoakFlow, random: Random): Promise<void> {
  const tags = flow.owner.client.from('flow_deployments_tags');
  const deployment_id = random.pick(live(flow)).id;
  const what = random.weighted({ move: 6, remove: 1, latest: 1 });
  if (what === 'remove') await tags.delete().eq('entrypoint', flow.id).eq('tag', 'stable');
  else if (what === 'latest') await tags.update({ tag: 'newest' }).eq('entrypoint', flow.id).eq('tag', 'latest');
  else await tags.upsert({ entrypoint: flow.id, tag: 'stable', deployment_id, user_id: flow.owner.id });
}

/** The owner deletes a deployment, but never the last one of a flow. */
async function remove(flow: SoakFlow, random: Random): Promise<void> {
  const deployments = live(flow);
  if (deployments.length < 2) return;
  const deployment = random.pick(deployments);
  deployment.isGoing = true;
  const { data, error } = await flow.owner.client.from('flow_deployments').delete().eq('id', deployment.id).select(
    'id',
  );
  // If no answer comes, the deployment may exist or not. An empty answer means that the deployment was deleted before.
  if (error === null && data.length <= 1) deployment.isGone = true;
}

/** Reads like a user who looks at flows. */
async function read(world: World, random: Random): Promise<void> {
  const { client } = random.pick(world.users);
  const flow = random.pick(world.flows);
  const what = random.weighted({ runs: 4, nodes: 2, logs: 1, deployments: 1, tags: 1, flows: 1 });
  if (what === 'runs') {
    const { id } = random.pick(flow.deployments);
    await client.from('flow_run').select('*').eq('deployment_id', id).order('id', { ascending: false }).limit(20);
  } else if (what === 'nodes') await client.from('node_run').select('*').limit(50);
  else if (what === 'logs') await client.from('flow_run_logs').select('*').limit(50);
  else if (what === 'deployments') await client.from('flow_deployments').select('*').eq('entrypoint', flow.id);
  else if (what === 'tags') await client.from('flow_deployments_tags').select('*').eq('entrypoint', flow.id);
  else await client.from('flows').select('id, name, description').limit(20);
}

/** Does one of the things that users do besides starting. The choice is random, by weights. */
export async function editSomething(world: World, random: Random): Promise<void> {
  const flow = random.pick(world.flows);
  const deleting = live(flow).length > KEPT_DEPLOYMENTS ? 40 : 6;
  const what = random.weighted({ deploy: 9, edit: 5, tag: 6, remove: deleting, read: 20 });
  if (what === 'deploy') await deployFlow(world, flow);
  else if (what === 'edit') await edit(flow, random);
  else if (what === 'tag') await tag(flow, random);
  else if (what === 'remove') await remove(flow, random);
  else await read(world, random);
}

/** The error codes that each kind of request may get without a fault. */
export const expectedCodes = (kind: string): readonly string[] => ({
  // Callers other than the owner may reach the limits of their starts.
  start: ['deployment_not_found', 'queue_full', 'start_limit_reached'],
  webhook: ['queue_full', 'start_limit_reached'],
  output: ['run_failed', 'run_stopped'],
  'signature request': ['signature_request_not_found'],
  answer: ['pending_input_not_found', 'pending_input_answered'],
  // A run may end before it is stopped, and of two concurrent redrives one is refused.
  redrive: [
    'run_not_ended',
    'run_succeeded',
    'run_redriven',
    'outcome_unknown',
    'run_not_redrivable',
    'flow_run_not_found',
  ],
  submit: ['signature_request_answered', 'signature_request_expired'],
  // The deployment may have been deleted meanwhile. The tag latest can't be moved.
  'POST flow_deployments_tags': ['23503'],
  'PATCH flow_deployments_tags': ['tag_latest_protected'],
}[kind] ?? []);
