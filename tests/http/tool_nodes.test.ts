import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeTools } from '../../client/describing/index.ts';
import { createFlowClient, type FlowClient } from '../../client/index.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { startMcpServer, type TestTool } from '../support/mcp_server.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { waitFor } from '../support/wait.ts';

const TOKEN = 'token-of-the-tools-0123456789';
let owner: Person;
let flows: FlowClient;
let open: Awaited<ReturnType<typeof startMcpServer>>;
let guarded: Awaited<ReturnType<typeof startMcpServer>>;
let canceled = 0;
let waiting = 0;

const words = { type: 'object', properties: { words: { type: 'string' } }, required: ['words'] };
const tools: Record<string, TestTool> = {
  shout: {
    description: { title: 'Shout', inputSchema: words, outputSchema: words },
    call: async ({ params: { arguments: given, _meta } }, { mcpReq }) => {
      const params = { progressToken: _meta!.progressToken, progress: 1, message: 'taking a breath' };
      await mcpReq.notify({ method: 'notifications/progress', params } as never);
      return { content: [], structuredContent: { words: String(given!.words).toUpperCase() } };
    },
  },
  fails: {
    description: { inputSchema: words, annotations: { readOnlyHint: true } },
    call: () => ({ isError: true, content: [{ type: 'text', text: 'nobody listens' }] }),
  },
  waits: {
    description: { inputSchema: words },
    call: async (_, { mcpReq }) => {
      waiting++;
      await new Promise<void>((resolve) => mcpReq.signal.addEventListener('abort', () => resolve()));
      canceled++;
      return { content: [] };
    },
  },
};

beforeAll(async () => {
  owner = await signUp();
  flows = createFlowClient(owner.client);
  open = await startMcpServer(tools);
  guarded = await startMcpServer(tools, { guard: ({ authorization }) => authorization === `Bearer ${TOKEN}` });
  await call('connections/upsert', {
    token: owner.token,
    body: JSON.stringify({
      name: 'tools',
      kind: 'bearer',
      hosts: [new URL(guarded.url).host],
      secret: { token: TOKEN },
    }),
    headers: { 'content-type': 'application/json' },
  });
});
afterAll(() => {
  open.close();
  guarded.close();
});

/** A flow that calls one tool. */
async function flowOf(tool: string, output = 'content'): Promise<string> {
  const flow = new FlowBuilder();
  const node = flow.node(tool, { type: 'mcp', inputs: ['words'], outputs: [output] });
  for (const { data } of flow.nodes) Object.assign(data, { version: '3' });
  flow.connect(flow.input('words', 'hello'), node.input('words'));
  flow.output(output, node.output(output));
  return await deploy(owner, await storeFlow(owner, flow));
}

it('lists the tools of a server, which become nodes that a flow calls', async () => {
  const listed = await flows.readTools(open.url);
  expect(listed).toMatchObject({ server: { name: 'shop' }, discover: { supportedVersions: ['2026-07-28'] } });
  const { definitions, refused } = describeTools(listed);
  expect(refused).toEqual([]);
  expect(definitions.map(({ data }) => [data.node_id, data.effects])).toEqual([
    ['shout', 'once'],
    ['fails', 'none'],
    ['waits', 'once'],
  ]);
  await flows.storeDefinitions(definitions);
  open.received.length = 0;
  const { flow_run_id } = await start(owner, `id=${await flowOf('shout', 'words')}`);
  expect(await finishedRun(owner, flow_run_id)).toMatchObject({ status: 'succeeded' });
  expect(await flows.outputValues(flow_run_id)).toMatchObject({ words: { S: 'HELLO' } });
  expect(open.received.map(({ message }) => message)).toEqual(['tools/call']);
  const { data: logs } = await owner.client.from('flow_run_logs').select('content').eq('flow_run_id', flow_run_id)
    .throwOnError();
  expect(logs.map(({ content }) => content)).toContain('1 taking a breath');
});

it('a tool that fails, fails its node with the text', async () => {
  const { flow_run_id } = await start(owner, `id=${await flowOf('fails')}`);
  const run = await finishedRun(owner, flow_run_id);
  expect(run.status).toBe('failed');
  expect(JSON.stringify(run)).toContain('nobody listens');
});

it('a stop of the run cancels the call', async () => {
  const { flow_run_id } = await start(owner, `id=${await flowOf('waits')}`);
  await waitFor(() => waiting > 0 || undefined);
  await flows.stop(flow_run_id);
  await finishedRun(owner, flow_run_id);
  await waitFor(() => canceled > 0 || undefined);
});

it('sends the secret of the connection, and tells why it can not list the tools', async () => {
  const { tools: listed } = await flows.readTools(guarded.url, { connection: 'tools' });
  expect(listed).toHaveLength(3);
  for (
    const [url, message] of [
      [guarded.url, 'status code: 401'],
      ['http://169.254.169.254/mcp', 'IP address not allowed: 169.254.169.254'],
      ['http://nowhere.invalid/mcp', "can't resolve the host"],
    ] as const
  ) {
    await expect(flows.readTools(url)).rejects.toMatchObject({
      code: 'document_unreadable',
      message: expect.stringContaining(message),
    });
  }
});
