import { pause } from '../../platform/pause.ts';
import type { Effect, InputState, PendingInputs } from '../../runner/engine/node.ts';
import { executionKey } from '../../runner/engine/state/journal.ts';
import type { Database } from '../../types/database.types.ts';
import { checkedFetch } from './checked_fetch.ts';
import { FlowBuilder, type FormJson } from './flow_builder.ts';
import type { Person } from './people.ts';
import { waitFor } from './wait.ts';

export type PendingInput = Database['public']['Tables']['pending_inputs']['Row'];

/** Makes a flow that waits for an input, and outputs it. */
export function askingFlow(form: FormJson = {}, title = 'Approve'): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('answer', flow.use('api_input', {}, { form, title }).output('value'));
  return flow;
}

/** Waits until the reader sees this many inputs of a run and its called runs. Returns these inputs. */
export const pendingInputs = ({ client }: Pick<Person, 'client'>, runId: string, count = 1): Promise<PendingInput[]> =>
  waitFor(async () => {
    const { data, error } = await client.from('pending_inputs').select('*').eq('root_flow_run_id', runId).order('id');
    if (error !== null) throw new Error(error.message, { cause: error });
    return data.length === count ? data : undefined;
  });

/** Posts a body to the URL of an input; without a body, it cancels the input. */
export const answer = (url: string, body?: object, headers: Record<string, string> = {}): Promise<Response> =>
  checkedFetch(url, {
    method: body === undefined ? 'DELETE' : 'POST',
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });

/** Makes a store of inputs in place of the database, and the service that requests the inputs. */
export function makeInputs() {
  const states = new Map<string, InputState>();
  const wakes = new Set<() => void>();
  const looks: Effect[] = [];
  let addresses = 0;
  const inputs: PendingInputs = {
    makeAddress: () => {
      const token = `token${++addresses}`;
      return { token, url: `https://example.com/${token}` };
    },
    look: (execution) => {
      looks.push(execution);
      return Promise.resolve(states.get(executionKey(execution)) ?? { status: 'open', leftMs: 3_600_000 });
    },
    untilNews: async (timeoutMs, ...signals) => {
      const news = new AbortController();
      const wake = () => news.abort();
      wakes.add(wake);
      await pause(timeoutMs, news.signal, ...signals);
      wakes.delete(wake);
    },
  };
  return {
    inputs,
    looks,
    waiting: () => wakes.size,
    set: (execution: Effect, state: InputState) => {
      states.set(executionKey(execution), state);
      for (const wake of wakes) wake();
    },
  };
}
