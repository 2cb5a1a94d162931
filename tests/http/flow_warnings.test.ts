import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { DeployFlowResult, StartFlowResult } from '../../types/deployment.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { call, type Person, signUp, storeFlow } from '../support/people.ts';

let owner: Person;
let unfinished: number;

/** A flow with a node that nothing executes, an input without a value, and an edge to a missing handle. */
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
    message: 'nodes of type deno are not executed, so the run fails at this one; the node javascript runs JavaScript',
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

  it.each(['', '?strict=false'])('returns the warnings of a flow with the query "%s"', async (query) => {
    const answer: DeployFlowResult | StartFlowResult = await (await ask(unfinished, query)).json();
    expect(answer.warnings).toEqual(warnings());
  });

  it('refuses a flow with warnings if strict', async () => {
    const response = await ask(unfinished, '?strict=true');
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'flow_invalid', details: warnings() });
  });

  it('accepts a flow without warnings if strict', async () => {
    const response = await ask(await storeFlow(owner, textFlow()), '?strict=true');
    expect(await response.json()).toMatchObject({ warnings: [] });
  });

  it('answers 400 to another value of strict', async () => {
    const response = await ask(unfinished, '?strict=yes');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'request_invalid',
      details: [{ path: 'strict', message: 'must be true or false' }],
    });
  });
});

describe('POST /flow/deploy/{flow_id} of a flow', () => {
  const deploy = async (flow: FlowBuilder, query = '') => {
    const response = await call(`flow/deploy/${await storeFlow(owner, flow)}${query}`, { token: owner.token });
    return { status: response.status, body: await response.json() };
  };

  /** A flow with a script that lacks an operand. It calls a flow with another such script. */
  async function brokenFlow() {
    const called = new FlowBuilder();
    called.script('let a = ;', {});
    const calledId = await storeFlow(owner, called);
    const flow = new FlowBuilder();
    const script = flow.script('let a = 1;\nlet b = ;', {});
    flow.interflow(calledId, {}, []);
    return { flow, calledId, script };
  }

  it('parses its scripts and those of called flows, and warns of wrong ones', async () => {
    const { flow, calledId, script } = await brokenFlow();
    const { status, body } = await deploy(flow);
    expect(status).toBe(200);
    expect(body.warnings).toEqual([
      expect.objectContaining({
        code: 'script_invalid',
        path: 'nodes[0].data.targets_form.form_data.source',
        node_id: script.id,
        line: 2,
        column: 9,
      }),
      expect.objectContaining({ flow_id: calledId, code: 'script_invalid', line: 1, column: 9 }),
    ]);
  });

  it('with such a script is refused if strict', async () => {
    const { status, body } = await deploy((await brokenFlow()).flow, '?strict=true');
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: 'flow_invalid',
      details: [{ code: 'script_invalid' }, { code: 'script_invalid' }],
    });
  });

  it('with a wrong expression on an edge is refused, also one that would give another result each time', async () => {
    const flow = new FlowBuilder();
    for (const expression of ['$now()', '1 +', 'right']) flow.toText({ ...flow.json({}), expression });
    const { status, body } = await deploy(flow);
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: 'flow_invalid',
      details: [
        { code: 'expression_invalid', path: 'edges[0].data.expression' },
        { code: 'expression_invalid', path: 'edges[1].data.expression' },
      ],
    });
  });

  it('with an expression on an edge runs with its result, and a type that differs only before it is no warning', async () => {
    const flow = new FlowBuilder();
    const days = flow.use('math', {
      a: { ...flow.toText(flow.json(20)), expression: '$number($) + 1' },
      b: flow.json(2),
    }, {
      form: { operator: '*' },
    });
    flow.output('out', { ...days.output('result'), expression: '{"days": $number($)}' });
    expect(await deploy(flow, '?strict=true')).toMatchObject({ status: 200, body: { warnings: [] } });
    const id = await storeFlow(owner, flow);
    const started = await call(`flow/start/${id}`, { token: owner.token, headers: { prefer: 'wait=60' } });
    expect(await started.json()).toMatchObject({
      status: 'succeeded',
      output: { M: { out: { M: { days: { D: '42' } } } } },
    });
  });

  it('that calls a flow gets no warning about inputs without edges, and is accepted if strict', async () => {
    const flow = new FlowBuilder();
    flow.node('interflow', { inputs: ['value'], outputs: ['text'], form: { id: await storeFlow(owner, textFlow()) } });
    expect(await deploy(flow, '?strict=true')).toMatchObject({ status: 200, body: { warnings: [] } });
  });

  it('whose effect may be skipped gets a warning, but is accepted if strict', async () => {
    const flow = new FlowBuilder();
    const body = flow.script('if a == 1 { a }', { a: flow.input('a') }).output('u');
    flow.use('http_request', { body }, { form: { url: 'https://example.com', method: 'POST' } });
    const { status, body: { warnings } } = await deploy(flow, '?strict=true');
    expect(status).toBe(200);
    expect(warnings).toEqual([expect.objectContaining({ code: 'effect_may_be_skipped', path: 'edges[1]' })]);
  });

  it('whose effect may act without a value gets a warning, but is accepted if strict', async () => {
    const flow = new FlowBuilder();
    const amount = flow.use('http_request', {}, { form: { url: 'https://example.com/amount' } }).output('body');
    const text = flow.use('text_template', { data: amount, template: flow.input('template') });
    const body = flow.script('[a, b]', { a: amount, b: flow.constant({ S: 'x' }) }).output('u');
    flow.use('http_request', { body, headers: text.output('text') }, {
      form: { url: 'https://example.com', method: 'POST' },
    });
    const { status, body: { warnings } } = await deploy(flow, '?strict=true');
    expect(status).toBe(200);
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'effect_may_lack_value', path: 'edges[2]' }));
  });

  it('without nodes gets a warning', async () => {
    const { body } = await deploy(new FlowBuilder());
    expect(body.warnings).toEqual([expect.objectContaining({ code: 'flow_empty', path: 'nodes' })]);
  });

  it('that is edited all the time is deployed as it was read, or refused with flow_changed', async () => {
    const flowId = await storeFlow(owner, textFlow());
    const edit = async () => {
      for (let count = 0; count < 20; count++) {
        await fetch(`${inject('stack').API_URL}/rest/v1/flows?id=eq.${flowId}`, {
          method: 'PATCH',
          headers: {
            apikey: inject('stack').ANON_KEY,
            authorization: `Bearer ${owner.token}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ description: String(count) }),
        });
      }
    };
    const editing = edit();
    for (let count = 0; count < 5; count++) {
      const response = await call(`flow/deploy/${flowId}`, { token: owner.token });
      if (response.status !== 200) {
        expect(await response.json()).toMatchObject({ code: 'flow_changed' });
        expect(response.status).toBe(409);
      }
    }
    await editing;
  });
});
