import { ed25519 } from '@noble/curves/ed25519.js';
import { base58, base64 } from '@scure/base';
import type { NodeRetry } from '../../types/flow.ts';
import type { StartDeploymentParams, StartResult } from '../../types/deployment.ts';
import type { PendingSignatureRequest, SubmitSignatureParams } from '../../types/signature_request.ts';
import type { Database } from '../../types/database.types.ts';
import { FlowBuilder } from './flow_builder.ts';
import type { Keypair } from './keypairs.ts';
import { call, deploy, type Person, storeFlow } from './people.ts';
import type { TestChain } from './solana.ts';

/** The price that the buyer pays, in lamports. */
export const PRICE = 10_000_000n;

/** A flow in which the buyer pays the shop and the network's fee. The start gives the buyer's public key. */
export function paymentFlow(shop: string, retry?: NodeRetry): FlowBuilder {
  const flow = new FlowBuilder();
  const buyer = flow.use('generate_keypair', { private_key: flow.input('buyer') }, { title: 'buyer wallet' });
  const transfer = flow.use('transfer_sol', {
    sender: buyer.output('keypair'),
    recipient: flow.use('wallet', {}, { form: { public_key: shop }, title: 'shop' }).output('pubkey'),
    amount: flow.constant({ D: '0.01' }, 'price'),
  }, { title: 'pay', retry });
  flow.output('signature', transfer.output('signature'));
  return flow;
}

type Settings = Database['public']['Tables']['flow_deployments']['Update'];

type Columns = Parameters<typeof storeFlow>[2];

/** Deploys a flow for this chain that anybody may start, with settings of its owner. */
export async function deployAction(
  owner: Person,
  chain: Pick<TestChain, 'url'>,
  flow: FlowBuilder,
  settings: Settings = {},
  columns: Columns = {},
): Promise<string> {
  const open = { is_public: true, start_shared: true, start_unverified: true };
  const chain_network = { url: chain.url, cluster: 'devnet' };
  const flowId = await storeFlow(owner, flow, {
    instructions_bundling: 'Automatic',
    chain_network,
    ...open,
    ...columns,
  });
  const deploymentId = await deploy(owner, flowId);
  const { error } = await owner.client.from('flow_deployments').update(settings).eq('id', deploymentId);
  if (error !== null) throw new Error(error.message, { cause: error });
  return deploymentId;
}

/** A started run with its token. It runs on the test stack, unless `functionsUrl` names another one. */
export type StartedRun = StartResult & { functionsUrl?: string };

const post = (path: string, token: string, body: object, functionsUrl?: string): Promise<Response> =>
  call(path, {
    token,
    ...(functionsUrl !== undefined && { functionsUrl }),
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

const get = (path: string, { token, functionsUrl }: StartedRun): Promise<Response> =>
  call(path, { method: 'GET', token, ...(functionsUrl !== undefined && { functionsUrl }) });

/** Starts a deployment with a credential, such as only a public key. */
export async function startAs(
  credential: string,
  deploymentId: string,
  params: StartDeploymentParams = {},
): Promise<StartedRun> {
  const response = await post(`deployment/start?id=${deploymentId}`, credential, params);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return await response.json() as StartResult;
}

/** Waits for the next signature request of a run. */
export async function nextRequest(run: StartedRun): Promise<PendingSignatureRequest> {
  const response = await get(`flow/signature_request/${run.flow_run_id}?wait=20`, run);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return await response.json() as PendingSignatureRequest;
}

/** Signs a message as a browser wallet does: from its bytes alone. */
export const signMessage = (message: string, { secretKey }: Keypair): string =>
  base58.encode(ed25519.sign(base64.decode(message), secretKey));

/** Submits a signature and returns the response. */
export const submitSignature = (
  { token, functionsUrl }: Omit<StartedRun, 'flow_run_id'>,
  body: SubmitSignatureParams,
) => post('signature/submit', token, body, functionsUrl);

/**
 * Signs the message of a run's signature request, and submits the signature. Returns the status of the answer and, for
 * an error, its code.
 */
export async function answerRequest(
  run: StartedRun,
  { id, message }: PendingSignatureRequest,
  pair: Keypair,
  new_msg?: string,
): Promise<[status: number, code: string | undefined]> {
  const signature = signMessage(new_msg ?? message, pair);
  const response = await submitSignature(run, { id, signature, ...(new_msg !== undefined && { new_msg }) });
  return [response.status, (await response.json() as { code?: string }).code];
}

/** Signs the next request of the run, which must be for this key. */
export async function signNext(run: StartedRun, pair: Keypair): Promise<PendingSignatureRequest> {
  const request = await nextRequest(run);
  if (request.pubkey !== pair.publicKey) {
    throw new Error(`the request is for ${request.pubkey}, not for ${pair.publicKey}`);
  }
  const answer = await answerRequest(run, request, pair);
  if (answer[0] !== 200) throw new Error(answer.join(' '));
  return request;
}

/** Waits for the end of a run, and returns what the output route answers to the holder of the run's token. */
export async function outputOf(run: StartedRun): Promise<{ status: number; body: unknown }> {
  for (;;) {
    const response = await get(`flow/output/${run.flow_run_id}?wait=20`, run);
    const body: unknown = await response.json();
    if (response.status !== 202) return { status: response.status, body };
  }
}
