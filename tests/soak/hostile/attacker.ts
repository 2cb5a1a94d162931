import { randomUUID } from 'node:crypto';
import type { StackStatus } from '../../../supabase/local/stack.ts';
import type { FlowBuilder } from '../../support/flow_builder.ts';

/** No request waits longer: an attack goes on with the next. */
const PATIENCE_MS = 60_000;

/** What became of a request: its HTTP status, or `none` where no answer came. */
export interface Outcome {
  status: number | 'none';
  /** Bytes of the answer. */
  bytes: number;
  body: string;
}

/** A user who means harm, with what a client of the project can do. */
export interface Attacker {
  hostileUrl: string;
  /** A request to a path of the stack's address; with the user's token unless other headers are given. */
  send: (path: string, body?: string, headers?: { [name: string]: string }) => Promise<Outcome>;
  /** Stores a flow; gives its id. */
  store: (flow: Pick<FlowBuilder, 'row'> | { nodes: unknown[]; edges: unknown[] }) => Promise<number>;
  /** Starts a flow of the attacker's own. */
  run: (flowId: number) => Promise<Outcome>;
  deploy: (flowId: number) => Promise<Outcome>;
}

/** Signs somebody up who means harm. */
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
  const post = (path: string, body: string | undefined, headers: { [name: string]: string }) =>
    request(path, {
      method: 'POST',
      headers: { apikey: PUBLISHABLE_KEY, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
  const credentials = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const signedUp = await post('/auth/v1/signup', JSON.stringify(credentials), {});
  const mine = { authorization: `Bearer ${JSON.parse(signedUp.body).access_token}` };

  const send: Attacker['send'] = (path, body, headers = mine) => post(path, body, headers);
  return {
    hostileUrl,
    send,
    async store(flow) {
      const row = { name: 'hostile', ...('row' in flow ? flow.row() : flow) };
      const stored = await send('/rest/v1/flows?select=id', JSON.stringify(row), {
        ...mine,
        prefer: 'return=representation',
      });
      if (stored.status !== 201) throw new Error(`a hostile flow was not stored: ${stored.status} ${stored.body}`);
      return JSON.parse(stored.body)[0].id;
    },
    run: (flowId) => send(`/functions/v1/flow/start/${flowId}`),
    deploy: (flowId) => send(`/functions/v1/flow/deploy/${flowId}`),
  };
}
