import { expect, it } from 'vitest';
import { NodeError } from '../../runner/engine/node.ts';
import { executeFlow } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';

/** Executes a flow, and returns the names of the connections that it opens, and its errors. */
async function openedBy(flow: FlowBuilder, inputs = {}) {
  const opened: string[] = [];
  const { errors } = await executeFlow(flow, inputs, {
    environment: { connection: 'of the environment' },
    services: {
      http: { request: () => Promise.reject(new NodeError('sent without a connection')) },
      openConnection: (name) => {
        opened.push(name);
        return Promise.reject(new NodeError('stopped here'));
      },
    },
  });
  return { opened, errors };
}

const url = 'https://api.example.com';

it('a node opens the connection that its form data names', async () => {
  const flow = new FlowBuilder();
  flow.node('http_request', { inputs: ['url'], outputs: ['body'], form: { url, connection: 'mail' } });
  const { opened, errors } = await openedBy(flow);
  expect(opened).toEqual(['mail']);
  expect(errors).toEqual([expect.stringContaining('stopped here')]);
});

it.each<[string, object]>([
  ['replace the one of the form data', { connection: 'mail' }],
  ['name one', {}],
])('neither an edge, an input nor the environment can %s', async (_what, form) => {
  const flow = new FlowBuilder();
  const request = flow.node('http_request', {
    inputs: ['url', 'connection'],
    outputs: ['body'],
    form: { url, ...form },
  });
  flow.connect(flow.input('connection'), request.input('connection'));
  const { opened, errors } = await openedBy(flow, { connection: { S: 'of a starter' } });
  // The node has no input `connection`, so the run fails.
  expect(opened).toEqual([]);
  expect(errors).toEqual([expect.stringContaining('connection')]);
});
