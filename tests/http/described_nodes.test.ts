import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOpenApi } from '../../client/describing/index.ts';
import { createFlowClient, type DefinitionToStore, type FlowClient } from '../../client/index.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';

let owner: Person;
let flows: FlowClient;
let server: Server;
let address: string;
/** The requests that the API got since the last test. */
const received: string[] = [];

beforeAll(async () => {
  owner = await signUp();
  flows = createFlowClient(owner.client);
  server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.statusCode = request.url?.startsWith('/broken') ? 500 : 200;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ at: request.url }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

/** Definitions of a payment, which acts once, and of a receipt, which is read at `path`. */
function definitionsOf(path: string, paymentPath = '/pay'): DefinitionToStore[] {
  const id = { name: 'id', in: 'query', required: true, schema: { type: 'string' } };
  const answers = {
    responses: { 200: { content: { 'application/json': { schema: { properties: { at: { type: 'string' } } } } } } },
  };
  const { definitions, refused } = describeOpenApi({
    openapi: '3.1.0',
    info: { title: 'Payments', version: '1' },
    servers: [{ url: address }],
    paths: {
      [paymentPath]: { post: { operationId: 'pay', parameters: [id], ...answers } },
      [path]: { get: { operationId: 'read_receipt', parameters: [id], ...answers } },
    },
  });
  expect(refused).toEqual([]);
  return definitions;
}

/** A flow that pays, and then reads the receipt. */
function paymentFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const pay = flow.node('pay', { type: 'openapi', inputs: ['id'], outputs: ['at'] });
  const receipt = flow.node('read_receipt', { type: 'openapi', inputs: ['id'], outputs: ['at'] });
  for (const node of flow.nodes) Object.assign(node.data, { version: '1' });
  flow.connect(flow.input('id', 'seven'), pay.input('id'));
  flow.connect(pay.output('at'), receipt.input('id'));
  flow.output('receipt', receipt.output('at'));
  return flow;
}

/** Starts a deployment, and returns the ended run with the requests that it made. */
async function runOf(deployment: string) {
  received.length = 0;
  const { flow_run_id } = await start(owner, `id=${deployment}`);
  return { run: await finishedRun(owner, flow_run_id), requests: [...received] };
}

async function redrive(run: string, query = '') {
  received.length = 0;
  const response = await call(`flow/redrive/${run}${query}`, { token: owner.token });
  const body = await response.json() as { flow_run_id: string; code: string; details: unknown };
  if (!response.ok) return { body, requests: [...received] };
  return { body, run: await finishedRun(owner, body.flow_run_id), requests: [...received] };
}

const PAID = 'POST /pay?id=seven';
const receiptAt = (path: string) => `GET ${path}?id=%2Fpay%3Fid%3Dseven`;

it('deployments keep the definitions that they have frozen, after an edit and after a deletion', async () => {
  await flows.storeDefinitions(definitionsOf('/receipts'));
  const flowId = await storeFlow(owner, paymentFlow());
  const first = await deploy(owner, flowId);
  await flows.storeDefinitions(definitionsOf('/edited'));
  expect(await runOf(first)).toMatchObject({
    run: { status: 'succeeded' },
    requests: [PAID, receiptAt('/receipts')],
  });
  const second = await deploy(owner, flowId);
  expect((await runOf(second)).requests).toEqual([PAID, receiptAt('/edited')]);

  for (const nodeId of ['pay', 'read_receipt']) await flows.deleteDefinition(nodeId);
  expect((await runOf(first)).requests).toEqual([PAID, receiptAt('/receipts')]);
  expect((await runOf(second)).requests).toEqual([PAID, receiptAt('/edited')]);
  const { deployment_id, warnings } = await flows.deploy(flowId);
  expect(warnings.map(({ code }) => code)).toEqual(['node_not_implemented', 'node_not_implemented']);
  expect(await runOf(deployment_id)).toMatchObject({
    run: { status: 'failed', error_code: 'node_not_implemented' },
    requests: [],
  });
});

it('a redrive goes on with the definition that a newer deployment has frozen, and pays once', async () => {
  await flows.storeDefinitions(definitionsOf('/broken'));
  const flowId = await storeFlow(owner, paymentFlow());
  const broken = await deploy(owner, flowId);
  const { run, requests } = await runOf(broken);
  expect([run.status, requests]).toEqual(['failed', [PAID, receiptAt('/broken')]]);

  await flows.storeDefinitions(definitionsOf('/mended'));
  const again = await redrive(run.id);
  expect([again.run!.status, again.requests]).toEqual(['failed', [receiptAt('/broken')]]);

  await flows.storeDefinitions(definitionsOf('/mended', '/pay-twice'));
  const otherPayment = await deploy(owner, flowId);
  const refused = await redrive(again.run!.id, `?deployment=${otherPayment}`);
  expect(refused).toMatchObject({ body: { code: 'redrive_graph_changed' }, requests: [] });
  expect(JSON.stringify(refused.body.details)).toContain(paymentFlow().nodes[0]!.id);

  await flows.storeDefinitions(definitionsOf('/mended'));
  const mended = await redrive(again.run!.id, `?deployment=${await deploy(owner, flowId)}`);
  expect([mended.run!.status, mended.requests]).toEqual(['succeeded', [receiptAt('/mended')]]);
});
