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
