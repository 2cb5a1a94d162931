import { ed25519 } from '@noble/curves/ed25519.js';
import { base58, base64 } from '@scure/base';
import type { StartDeploymentParams, StartResult } from '../../types/deployment.ts';
import type { PendingSignatureRequest } from '../../types/signature_request.ts';
import type { Database } from '../../types/database.types.ts';
import { FlowBuilder } from './flow_builder.ts';
import type { Keypair } from './keypairs.ts';
import { call, deploy, type Person, storeFlow } from './people.ts';
import type { TestChain } from './solana.ts';

/** What the buyer pays, in lamports. */
export const PRICE = 10_000_000n;

/** The buyer, of whom the start gives the public key, pays the shop; the buyer pays the network's fee too. */
export function paymentFlow(shop: string): FlowBuilder {
  const flow = new FlowBuilder();
  const buyer = flow.use('generate_keypair', { private_key: flow.input('buyer') }, { title: 'buyer wallet' });
  const transfer = flow.use('transfer_sol', {
    sender: buyer.output('keypair'),
    recipient: flow.use('wallet', {}, { form: { public_key: shop }, title: 'shop' }).output('pubkey'),
    amount: flow.constant({ D: '0.01' }, 'price'),
  }, { title: 'pay' });
  flow.output('signature', transfer.output('signature'));
  return flow;
}

type Settings = Database['public']['Tables']['flow_deployments']['Update'];

/** Deploys a flow that runs on this chain and that anybody may start, with settings of its owner. */
export async function deployAction(
  owner: Person,
  chain: Pick<TestChain, 'url'>,
  flow: FlowBuilder,
  settings: Settings = {},
): Promise<string> {
  const columns = {
    instructions_bundling: 'Automatic',
    chain_network: { url: chain.url, cluster: 'devnet' },
    is_public: true,
    start_shared: true,
    start_unverified: true,
  };
  const deploymentId = await deploy(owner, await storeFlow(owner, flow, columns));
  const { error } = await owner.client.from('flow_deployments').update(settings).eq('id', deploymentId);
  if (error !== null) throw new Error(error.message, { cause: error });
  return deploymentId;
}

const post = (path: string, token: string, body: object): Promise<Response> =>
  call(path, { token, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

/** Starts a deployment as somebody who shows a credential, such as a public key and nothing else. */
export async function startAs(
  credential: string,
  deploymentId: string,
  params: StartDeploymentParams = {},
): Promise<StartResult> {
  const response = await post(`deployment/start?id=${deploymentId}`, credential, params);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return await response.json() as StartResult;
}

/** Waits for the next signature that a run asks for. */
export async function nextRequest({ flow_run_id, token }: StartResult): Promise<PendingSignatureRequest> {
  const response = await call(`flow/signature_request/${flow_run_id}?wait=20`, { method: 'GET', token });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return await response.json() as PendingSignatureRequest;
}

/** Signs a message as a wallet in a browser does: from its bytes alone. */
export const signMessage = (message: string, { secretKey }: Keypair): string =>
  base58.encode(ed25519.sign(base64.decode(message), secretKey));

/** Submits a signature; gives the answer. */
export const submitSignature = (token: string, body: { id: string; signature: string; new_msg?: string }) =>
  post('signature/submit', token, body);

/** Signs what the run asks for next; it has to be this key. */
export async function signNext(run: StartResult, pair: Keypair): Promise<PendingSignatureRequest> {
  const request = await nextRequest(run);
  if (request.pubkey !== pair.publicKey) throw new Error(`${request.pubkey} is asked`);
  const response = await submitSignature(run.token, { id: request.id, signature: signMessage(request.message, pair) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return request;
}

/** How a run ended, as the holder of its token sees it. */
export async function outputOf({ flow_run_id, token }: StartResult): Promise<{ status: number; body: unknown }> {
  for (;;) {
    const response = await call(`flow/output/${flow_run_id}?wait=20`, { method: 'GET', token });
    const body: unknown = await response.json();
    if (response.status !== 202) return { status: response.status, body };
  }
}
