import { beforeAll, describe, expect, it } from 'vitest';
import type { DeployFlowResult, StartFlowResult } from '../../types/deployment.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { call, type Person, signUp, storeFlow } from '../support/people.ts';

let owner: Person;
let unfinished: number;

/** A node that nothing here runs, an input that nothing feeds, and an edge to a handle that is gone. */
function unfinishedFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const { output } = flow.node('expression', { outputs: ['result'], type: 'deno' });
  flow.output('out', output('result'));
  flow.use('foreach');
  flow.edges.push({ ...flow.edges[0]!, targetHandle: 'gone' });
  return flow;
}

beforeAll(async () => {
  owner = await signUp();
  unfinished = await storeFlow(owner, unfinishedFlow());
});

const warnings = () => [
  {
    flow_id: unfinished,
    code: 'node_not_implemented',
    path: 'nodes[0].data.node_id',
    message: 'nodes of type deno are not executed, so the run fails at this one',
  },
  {
    flow_id: unfinished,
    code: 'input_missing',
    path: 'nodes[2]',
    message: 'the input "array" is required, and has neither an edge nor a value, so the run fails at the node',
  },
  {
    flow_id: unfinished,
    code: 'edge_target_handle_unknown',
    path: 'edges[1].targetHandle',
    message: 'no port has this id, so the edge is left out',
  },
];

describe.each(['deploy', 'start'])('POST /flow/%s/{flow_id}', (action) => {
  const ask = (flowId: number, query = '') => call(`flow/${action}/${flowId}${query}`, { token: owner.token });

  it.each(['', '?strict=false'])('tells what a run will stumble over, asked with "%s"', async (query) => {
    const answer: DeployFlowResult | StartFlowResult = await (await ask(unfinished, query)).json();
    expect(answer.warnings).toEqual(warnings());
  });

  it('refuses a flow that has warnings when asked to be strict', async () => {
    const response = await ask(unfinished, '?strict=true');
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'flow_invalid', details: warnings() });
  });

  it('takes one that has none', async () => {
    const response = await ask(await storeFlow(owner, textFlow()), '?strict=true');
    expect(await response.json()).toMatchObject({ warnings: [] });
  });

  it('answers 400 to another word', async () => {
    const response = await ask(unfinished, '?strict=yes');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'request_invalid',
      details: [{ path: 'strict', message: 'must be true or false' }],
    });
  });
});
