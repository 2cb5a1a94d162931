import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import type { Database } from '../../types/database.types.ts';
import type { DeployFlowResult, StartDeploymentParams, StartResult } from '../../types/deployment.ts';
import { checkedFetch, loudFetch } from './checked_fetch.ts';
import type { FlowBuilder } from './flow_builder.ts';
import { waitFor } from './wait.ts';

/** A signed-up user of the test stack. */
export interface Person {
  id: string;
  token: string;
  client: SupabaseClient<Database>;
}

/** Makes a supabase-js client of a new visitor. */
export const makeClient = (): SupabaseClient<Database> => {
  const { API_URL, PUBLISHABLE_KEY } = inject('stack');
  return createClient<Database>(API_URL, PUBLISHABLE_KEY, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: loudFetch },
  });
};

/** Signs up a new user through the Auth API. */
export async function signUp(): Promise<Person> {
  const client = makeClient();
  const { data, error } = await client.auth.signUp({ email: `${randomUUID()}@example.com`, password: randomUUID() });
  if (error !== null || data.session === null) throw new Error('sign-up failed', { cause: error });
  return { id: data.session.user.id, token: data.session.access_token, client };
}

/** Sends a request to an Edge Function of the test stack, or of another one. */
export const call = (
  path: string,
  init: RequestInit & { token?: string; functionsUrl?: string } = {},
): Promise<Response> => {
  const { token, functionsUrl = inject('stack').FUNCTIONS_URL, headers, ...rest } = init;
  return checkedFetch(`${functionsUrl}/${path}`, {
    method: 'POST',
    ...rest,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers as Record<string, string> },
  });
};

/** Returns the answer's JSON. Throws if the answer is not a success. */
async function succeed<Result>(response: Response): Promise<Result> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return await response.json() as Result;
}

type FlowRow = Database['public']['Tables']['flows']['Insert'];

/** Stores a flow and returns its id. */
export async function storeFlow(person: Person, flow: FlowBuilder, columns: Partial<FlowRow> = {}): Promise<number> {
  const row = { ...flow.row(), ...columns } as unknown as FlowRow;
  const { data, error } = await person.client.from('flows').insert(row).select('id').single();
  if (error !== null) throw new Error(error.message, { cause: error });
  return data.id;
}

/** Deploys a flow and returns the deployment's id. */
export const deploy = async (person: Person, flowId: number): Promise<string> =>
  (await succeed<DeployFlowResult>(await call(`flow/deploy/${flowId}`, { token: person.token }))).deployment_id;

/** Starts a deployment. */
export const start = async (person: Person, query: string, params?: StartDeploymentParams): Promise<StartResult> =>
  await succeed(
    await call(`deployment/start?${query}`, {
      token: person.token,
      ...(params && { body: JSON.stringify(params), headers: { 'content-type': 'application/json' } }),
    }),
  );

/** Waits until the run has ended, and returns its row. */
export const finishedRun = (person: Person, runId: string) =>
  waitFor(async () => {
    const { data, error } = await person.client.from('flow_run').select('*').eq('id', runId).single();
    if (error !== null) throw new Error(error.message, { cause: error });
    return data.end_time === null ? undefined : data;
  });
