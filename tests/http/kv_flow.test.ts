import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';

let owner: Person;
const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ url: request.url, visits: 3 }));
});

beforeAll(async () => {
  owner = await signUp();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

/** A flow that creates a store, fetches a value, writes it twice, reads it, and deletes the store. */
function storeFlowOf(url: string): FlowBuilder {
  const flow = new FlowBuilder();
  const fetching = flow.node('http_request', { inputs: ['url'], outputs: ['body', 'headers'], form: { url } });
  const creating = flow.node('kv_create_store', { inputs: ['store»'], outputs: ['store'], form: { store: 'visits' } });
  const writing = flow.node('kv_write_item', {
    inputs: ['store»', 'key»', 'value»'],
    outputs: ['old_value?'],
    form: { key: 'last' },
  });
  const again = flow.node('kv_write_item', {
    inputs: ['store»', 'key»', 'value»'],
    outputs: ['old_value?'],
    form: { value: 'second' },
  });
  const reading = flow.node('kv_read_item', { inputs: ['store', 'key', 'default?'], outputs: ['value', 'found'] });
  flow.connect(creating.passthrough('store'), writing.input('store')).connect(
    fetching.output('body'),
    writing.input('value'),
  );
  flow.connect(writing.passthrough('store'), again.input('store')).connect(
    writing.passthrough('key'),
    again.input('key'),
  );
  flow.connect(again.passthrough('store'), reading.input('store')).connect(
    again.passthrough('key'),
    reading.input('key'),
  );
  flow.output('old', again.output('old_value'));
  flow.output('value', reading.output('value'));
  flow.output('found', reading.output('found'));
  return flow;
}

it('a flow stores a fetched value in a store of its owner, who can read it afterwards', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/visits`;
  const deploymentId = await deploy(owner, await storeFlow(owner, storeFlowOf(url)));
  const { flow_run_id } = await start(owner, `id=${deploymentId}`);
  const run = await finishedRun(owner, flow_run_id);
  const body = { M: { url: { S: '/visits' }, visits: { U: '3' } } };
  expect([run.errors, run.output]).toEqual([null, { M: { old: body, value: { S: 'second' }, found: { B: true } } }]);
  const { data } = await owner.client.from('kv_items').select('store, key, value');
  expect(data).toEqual([{ store: 'visits', key: 'last', value: { S: 'second' } }]);

  const second = await finishedRun(owner, (await start(owner, `id=${deploymentId}`)).flow_run_id);
  expect(second.errors).toEqual([
    expect.stringMatching(/^kv_create_store \S+: kv_store_exists: The store "visits" already exists\.$/),
  ]);
});
