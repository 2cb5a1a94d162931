import { randomUUID } from 'node:crypto';
import type { StackStatus } from '../../../platform/local_stack/running_stacks.ts';
import type { FlowBuilder } from '../../support/flow_builder.ts';

/** The longest wait for an answer. When it is over, the attack continues with the next request. */
const PATIENCE_MS = 60_000;

/** The outcome of a request: its HTTP status, or `none` without an answer. */
export interface Outcome {
  status: number | 'none';
  /** The bytes of the answer. */
  bytes: number;
  body: string;
}

/** An attacking user, who can do what any client of the project can do. */
export interface Attacker {
  apiUrl: string;
  publishableKey: string;
  /** The user's `Authorization`. */
  authorization: string;
  /** Aborted at the end of all attacks. */
  signal: AbortSignal;
  hostileUrl: string;
  /** Sends a request to a path of the stack: by default a POST with the user's token. */
  send: (path: string, body?: string, headers?: { [name: string]: string }, method?: string) => Promise<Outcome>;
  /** Sends a GET with the user's token. */
  read: (path: string) => Promise<Outcome>;
  /** Stores a flow and returns its id. */
  store: (flow: Pick<FlowBuilder, 'row'> | { nodes: unknown[]; edges: unknown[] }) => Promise<number>;
  /** Starts a flow of the attacker. */
  run: (flowId: number) => Promise<Outcome>;
  deploy: (flowId: number) => Promise<Outcome>;
  /** Deploys a flow with these settings that anybody may start. Returns the deployment's id. */
  deployForAnybody: (flow: Pick<FlowBuilder, 'row'>, settings?: { [name: string]: unknown }) => Promise<string>;
}

/** Signs up an attacker. */
export async function makeAttacker(
  { API_URL, PUBLISHABLE_KEY }: StackStatus,
  hostileUrl: string,
  signal: AbortSignal,
): Promise<Attacker> {
  const request = async (path: string, init: RequestInit): Promise<Outcome> => {
    try {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      const response = await fetch(`${API_URL}${path}`, { ...init, signal: patience });
      const body = await response.text();
      return { status: response.status, bytes: body.length, body };
    } catch {
      return { status: 'none', bytes: 0, body: '' };
    }
  };
  const post = (path: string, body: string | undefined, headers: { [name: string]: string }, method = 'POST') =>
    request(path, {
      method,
      headers: { apikey: PUBLISHABLE_KEY, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
  const credentials = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const signedUp = await post('/auth/v1/signup', JSON.stringify(credentials), {});
  const mine = { authorization: `Bearer ${JSON.parse(signedUp.body).access_token}` };

  const send: Attacker['send'] = (path, body, headers = mine, method = 'POST') => post(path, body, headers, method);
  const must = async (what: string, asked: Promise<Outcome>): Promise<string> => {
    const { status, body } = await asked;
    if (status === 'none' || status >= 300) throw new Error(`the attacker could not ${what}: ${status} ${body}`);
    return body;
  };
  const store: Attacker['store'] = async (flow) => {
    const row = JSON.stringify({ name: 'hostile', ...('row' in flow ? flow.row() : flow) });
    const headers = { ...mine, prefer: 'return=representation' };
    return JSON.parse(await must('store a flow', send('/rest/v1/flows?select=id', row, headers)))[0].id;
  };
  const deploy: Attacker['deploy'] = (flowId) => send(`/functions/v1/flow/deploy/${flowId}`);
  return {
    apiUrl: API_URL,
    publishableKey: PUBLISHABLE_KEY,
    authorization: mine.authorization,
    signal,
    hostileUrl,
    send,
    read: (path) => request(path, { headers: { apikey: PUBLISHABLE_KEY, ...mine } }),
    store,
    run: (flowId) => send(`/functions/v1/flow/start/${flowId}`),
    deploy,
    async deployForAnybody(flow, settings = {}) {
      const { deployment_id } = JSON.parse(await must('deploy', deploy(await store(flow))));
      const path = `/rest/v1/flow_deployments?id=eq.${deployment_id}`;
      await must(
        'open a deployment',
        post(path, JSON.stringify({ start_permission: 'Anonymous', ...settings }), mine, 'PATCH'),
      );
      return deployment_id;
    },
  };
}
