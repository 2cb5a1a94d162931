import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { makeMcpApp } from '../../functions/mcp/app.ts';
import { FlowBuilder, type FormJson } from '../support/flow_builder.ts';
import { connectAssistant, type Era, ERAS } from '../support/mcp.ts';
import { waitFlow } from '../support/mixed_flows.ts';
import { answer, askingFlow, pendingInputs } from '../support/pending_inputs.ts';
import { deploy, finishedRun, type Person, signUp, storeFlow } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

const CONSOLE_URL = 'https://console.example';
const form: ClientCapabilities = { elicitation: { form: {} } };

let owner: Person;
let other: Person;

/** The function in this process, with short rounds. Everything behind it is the real stack. */
function appWithRounds(roundMs: number) {
  const { API_URL, PUBLISHABLE_KEY, SECRET_KEY } = inject('stack');
  const env: Record<string, string> = {
    SUPABASE_URL: API_URL,
    SUPABASE_ANON_KEY: PUBLISHABLE_KEY,
    SUPABASE_SERVICE_ROLE_KEY: SECRET_KEY,
    CONSOLE_URL,
  };
  return makeMcpApp({ env: (name) => env[name], fetch, waitUntil: () => {} }, { roundMs });
}

interface Assistant {
  client: Client;
  /** The messages that the client has sent. */
  sent: { method: string; params?: { requestState?: string } }[];
}

/** Connects an assistant to the function in this process. */
async function connect(
  person: Person,
  { roundMs = 60_000, era, capabilities = {} }: { roundMs?: number; era?: Era; capabilities?: ClientCapabilities } = {},
): Promise<Assistant> {
  const app = appWithRounds(roundMs);
  const sent: Assistant['sent'] = [];
  const client = await connectAssistant({
    era,
    capabilities,
    headers: { authorization: `Bearer ${person.token}` },
    fetch: async (url, init) => {
      if (typeof init?.body === 'string') sent.push(JSON.parse(init.body));
      return await app.fetch(new Request(String(url).replace('/functions/v1/mcp', '/mcp'), init));
    },
  });
  onTestFinished(() => client.close());
  return { client, sent };
}

/** Stores and deploys a flow that is a tool. Returns the name of the tool. */
async function makeTool(flow: FlowBuilder): Promise<string> {
  const tool_name = randomUUID();
  await deploy(owner, await storeFlow(owner, flow, { tool_name }));
  return tool_name;
}

const textOf = ({ content }: { content: unknown }) => JSON.parse((content as { text: string }[])[0]!.text);
const calls = ({ sent }: Assistant) => sent.filter(({ method }) => method === 'tools/call');

/** Waits until the owner's tool has a run that a worker has begun. */
const begunRun = (tool: string) =>
  waitFor(async () => {
    const { data } = await owner.client.from('flows').select('id').eq('tool_name', tool).single().throwOnError();
    const runs = await owner.client.from('flow_run').select('id').eq('flow_id', data!.id).neq('status', 'queued')
      .throwOnError();
    return runs.data?.[0];
  });

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
});

describe('progress', () => {
  it.each(ERAS)('of nodes reaches a client of the revision %s that wants it', async (era) => {
    const { client } = await connect(owner, { era });
    const told: { progress: number; message?: string }[] = [];
    const flow = new FlowBuilder();
    flow.output('out', flow.wait(flow.input('n'), 1, undefined, 'short wait'));
    const result = await client.callTool({ name: await makeTool(flow), arguments: { n: 1 } }, {
      onprogress: (progress) => told.push(progress),
    });
    expect(result.structuredContent).toEqual({ out: 1 });
    expect(told.map(({ progress }) => progress)).toEqual(told.map((_, index) => index + 1));
    expect(told.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['short wait has begun', 'short wait has ended']),
    );
  });
});

describe('a long run', () => {
  it('is awaited in several rounds, without another start', async () => {
    const assistant = await connect(owner, { roundMs: 3_000 });
    const result = await assistant.client.callTool({ name: await makeTool(waitFlow(4_000)), arguments: { n: 7 } });
    expect(result.structuredContent).toEqual({ out: 7 });
    const states = calls(assistant).map(({ params }) => params?.requestState);
    expect(states.length).toBeGreaterThan(1);
    expect(states.slice(0, 2)).toEqual([undefined, expect.stringMatching(/^2\.[\w-]{36}\.fr_/)]);
    const { data } = await owner.client.from('flow_run').select('id').eq('inputs->M->n->>U', '7').throwOnError();
    expect(data).toHaveLength(1);
  });

  it('is left to itself after nine rounds, and can be read and stopped', async () => {
    const assistant = await connect(owner, { roundMs: 50 });
    const result = await assistant.client.callTool({ name: await makeTool(waitFlow(600_000)), arguments: { n: 1 } });
    expect(calls(assistant)).toHaveLength(9);
    expect(result.isError).toBe(true);
    const { flow_run_id, message } = textOf(result);
    expect(message).toContain('read_run');
    const { client } = assistant;
    const read = async () =>
      (await client.callTool({ name: 'read_run', arguments: { flow_run_id } })).structuredContent;
    expect(await read()).toMatchObject({ flow_run_id, status: expect.stringMatching(/^(running|waiting|queued)$/) });
    const listed = await client.callTool({ name: 'list_runs', arguments: { take: 1 } });
    expect(listed.structuredContent).toMatchObject({ runs: [{ flow_run_id }] });
    await client.callTool({ name: 'stop_run', arguments: { flow_run_id } });
    expect((await finishedRun(owner, flow_run_id)).status).toBe('stopped');
    expect(await read()).toMatchObject({ status: 'stopped' });

    const stranger = await connect(other);
    for (const name of ['read_run', 'stop_run']) {
      const refused = await stranger.client.callTool({ name, arguments: { flow_run_id } });
      expect([refused.isError, textOf(refused).code]).toEqual([true, 'flow_run_not_found']);
    }
    const wrong = await client.callTool({ name: 'read_run', arguments: {} });
    expect([wrong.isError, textOf(wrong).code]).toEqual([true, 'request_invalid']);
  });

  it('is told at once to a client of the revision 2025-11-25', async () => {
    const assistant = await connect(owner, { roundMs: 50, era: '2025-11-25' });
    const result = await assistant.client.callTool({ name: await makeTool(waitFlow(600_000)), arguments: { n: 1 } });
    expect([calls(assistant).length, result.isError]).toEqual([1, true]);
    await assistant.client.callTool({ name: 'stop_run', arguments: { flow_run_id: textOf(result).flow_run_id } });
  });

  it('is stopped if the client cancels the call', async () => {
    const { client } = await connect(owner);
    const cancelled = new AbortController();
    const name = await makeTool(waitFlow(600_000));
    const call = client.callTool({ name, arguments: { n: 3 } }, { signal: cancelled.signal });
    const run = await begunRun(name);
    cancelled.abort();
    await expect(call).rejects.toThrow();
    expect((await finishedRun(owner, run.id)).status).toBe('stopped');
  });
});

describe('requestState', () => {
  it('of another user, tool or run is refused', async () => {
    const assistant = await connect(owner, { roundMs: 50 });
    const name = await makeTool(waitFlow(600_000));
    await assistant.client.callTool({ name, arguments: { n: 1 } });
    const state = calls(assistant)[1]!.params!.requestState!;
    const [, , token] = state.split('.');
    const elsewhere = await makeTool(waitFlow(1));
    const stolen = randomUUID();
    await deploy(other, await storeFlow(other, waitFlow(1), { tool_name: stolen }));
    const attempts: [Person, string, string][] = [
      [other, stolen, `2.${stolen}.${token}`],
      [owner, elsewhere, state],
      [owner, elsewhere, `2.${elsewhere}.${token}`],
      [owner, name, `2.${name}.fr_${'A'.repeat(64)}`],
      [owner, name, `10.${name}.${token}`],
      [owner, name, 'invented'],
      [owner, name, ''],
    ];
    for (const [person, tool, requestState] of attempts) {
      const { client } = await connect(person);
      await expect(client.callTool({ name: tool, arguments: {}, requestState } as never)).rejects.toMatchObject({
        code: -32602,
      });
    }
    const { client } = assistant;
    const { runs } = (await client.callTool({ name: 'list_runs', arguments: {} })).structuredContent as {
      runs: { flow_run_id: string; status: string }[];
    };
    for (const { flow_run_id } of runs) await client.callTool({ name: 'stop_run', arguments: { flow_run_id } });
  });
});

describe('a question of the run', () => {
  /** Connects an assistant whose user gives these answers, one after the other. */
  async function withUser(answers: { action: 'accept' | 'decline'; content?: Record<string, string | number> }[]) {
    const asked: { message: string; requestedSchema: unknown }[] = [];
    const assistant = await connect(owner, { capabilities: form });
    assistant.client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params as never);
      return answers.shift()!;
    });
    return { ...assistant, asked };
  }
  const ask = (more: FormJson & object) => askingFlow({ answered_by: 'owner', title: 'May I?', ...more });

  it('with choices is asked by a form', async () => {
    const { client, asked } = await withUser([{ action: 'accept', content: { answer: 'Yes' } }]);
    const result = await client.callTool({ name: await makeTool(ask({ choices: ['Yes', 'No'] })) });
    expect(result.structuredContent).toEqual({ answer: 'Yes' });
    expect(asked).toMatchObject([{
      message: 'May I?',
      requestedSchema: {
        type: 'object',
        properties: { answer: { type: 'string', enum: ['Yes', 'No'] } },
        required: ['answer'],
      },
    }]);
  });

  it('with a flat schema is asked by a form, again after a wrong answer', async () => {
    const { client, asked } = await withUser([
      { action: 'accept', content: { amount: 50 } },
      { action: 'accept', content: { amount: 5 } },
    ]);
    const json_schema = {
      type: 'object',
      properties: { amount: { type: 'integer', multipleOf: 5, maximum: 10 } },
      required: ['amount'],
    };
    const result = await client.callTool({ name: await makeTool(ask({ json_schema })) });
    expect(result.structuredContent).toEqual({ answer: { amount: 5 } });
    expect(asked[1]!.message).toMatch(/^The answer does not fit the question: amount/);
    expect(asked[0]!.requestedSchema).toMatchObject({ properties: { amount: { type: 'integer', maximum: 10 } } });
  });

  it('is cancelled if the user declines', async () => {
    const { client } = await withUser([{ action: 'decline' }]);
    const result = await client.callTool({ name: await makeTool(ask({ choices: ['Yes'] })) });
    expect([result.isError, textOf(result).status]).toEqual([true, 'failed']);
  });

  it('is told by a link to a client without forms, and for a schema that no form has', async () => {
    const cases: [ClientCapabilities, Era | undefined, FormJson & object][] = [
      [{}, undefined, { choices: ['Yes'] }],
      [form, '2025-11-25', { choices: ['Yes'] }],
      [form, undefined, { json_schema: { type: 'array' } }],
    ];
    for (const [capabilities, era, more] of cases) {
      const { client } = await connect(owner, { capabilities, era });
      const result = await client.callTool({ name: await makeTool(ask(more)) });
      const { flow_run_id, message } = textOf(result);
      expect([result.isError, message.includes(`${CONSOLE_URL}/runs/${flow_run_id}`)]).toEqual([true, true]);
      const [input] = await pendingInputs(owner, flow_run_id);
      await answer(input!.url, undefined, { authorization: `Bearer ${owner.token}` });
    }
  });

  it('to somebody else leads a client to the console, once, and nobody else answers it', async () => {
    const flowId = await storeFlow(owner, ask({ choices: ['Yes'] }), {
      is_public: true,
      start_shared: true,
      tool_name: randomUUID(),
    });
    await deploy(owner, flowId);
    const urls: string[] = [];
    let requests = 0;
    const app = appWithRounds(3_000);
    const client = await connectAssistant({
      path: `/f/${flowId}/latest`,
      capabilities: { elicitation: { form: {}, url: {} } },
      headers: { authorization: `Bearer ${other.token}` },
      fetch: async (url, init) => {
        requests++;
        return await app.fetch(new Request(String(url).replace('/functions/v1/mcp', '/mcp'), init));
      },
    });
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      urls.push((params as { url: string }).url);
      return { action: 'accept' };
    });
    const [tool] = (await client.listTools()).tools;
    requests = 0;
    const call = client.callTool({ name: tool!.name });
    await expect.poll(() => urls).toEqual([expect.stringMatching(/^https:\/\/console\.example\/runs\/[\w-]{36}$/)]);
    const [input] = await pendingInputs(owner, urls[0]!.split('/').at(-1)!);
    // In the third round the client is not led there again.
    await expect.poll(() => requests).toBeGreaterThan(2);
    await answer(input!.url, { values: 'Yes' }, { authorization: `Bearer ${owner.token}` });
    expect((await call).structuredContent).toEqual({ answer: 'Yes' });
    expect(urls).toHaveLength(1);
    await client.close();
  });
});
