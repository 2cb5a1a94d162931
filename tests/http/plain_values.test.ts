import { beforeAll, describe, expect, it } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { call, deploy, type Person, signUp, storeFlow } from '../support/people.ts';

let owner: Person;
let flowId: number;
let deploymentId: string;

beforeAll(async () => {
  owner = await signUp();
  const flow = new FlowBuilder();
  flow.use('wait', { value: flow.input('value'), duration_ms: flow.input('ms', 0) });
  flow.use('get_balance', { pubkey: flow.input('key') });
  flow.input('__proto__');
  flowId = await storeFlow(owner, flow);
  deploymentId = await deploy(owner, flowId);
});

/** Sends a start with this text as the body, which may have numbers that JavaScript can't hold. */
const startWith = async (path: string, body: string, headers: Record<string, string> = {}) => {
  const response = await call(path, {
    token: owner.token,
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: response.status, body: await response.json() };
};

const inputsOf = async (flowRunId: string) => {
  const { data } = await owner.client.from('flow_run').select('inputs').eq('id', flowRunId).single().throwOnError();
  return (data as { inputs: { M: object } }).inputs.M;
};

it.each(['mint_token', 'transfer_token', 'transfer_sol'])('an amount for %s keeps all its digits', async (node) => {
  const flow = new FlowBuilder();
  flow.use(node, { amount: flow.input('amount') });
  const id = await deploy(owner, await storeFlow(owner, flow));
  const { body } = await startWith(`deployment/start?id=${id}`, '{"values": {"amount": 9007199254.740993123}}');
  expect(await inputsOf(body.flow_run_id)).toEqual({ amount: { D: '9007199254.740993123' } });
});

describe.each(['deployment', 'flow'])('values of a start of a %s', (target) => {
  const path = () => target === 'flow' ? `flow/start/${flowId}` : `deployment/start?id=${deploymentId}`;

  it('are converted by the types of the inputs, with all digits', async () => {
    const { status, body } = await startWith(
      path(),
      '{"values": {"value": {"a": [1.50, 12345678901234567890.123456789, -1, null]}, "ms": 18446744073709551615, "key": "11111111111111111111111111111111"}}',
    );
    expect([status, body.code]).toEqual([200, undefined]);
    expect(await inputsOf(body.flow_run_id)).toEqual({
      value: { M: { a: { A: [{ D: '1.50' }, { D: '12345678901234567890.123456789' }, { I: '-1' }, { N: 0 }] } } },
      ms: { U: '18446744073709551615' },
      key: { B3: '11111111111111111111111111111111' },
    });
  });

  it('can be combined with inputs of other names', async () => {
    const { body } = await startWith(path(), '{"values": {"ms": "5"}, "inputs": {"value": {"F": "1.5"}}}');
    expect(await inputsOf(body.flow_run_id)).toEqual({ value: { F: '1.5' }, ms: { U: '5' } });
    const both = await startWith(path(), '{"values": {"ms": 5}, "inputs": {"ms": {"U": "5"}}}');
    expect(both).toMatchObject({
      status: 400,
      body: {
        code: 'inputs_invalid',
        details: [{ path: 'values.ms', message: 'is also in inputs: give it only once' }],
      },
    });
  });

  it('are refused with the path of each mismatch', async () => {
    expect(await startWith(path(), '{"values": {"ms": -1, "key": "x", "value": 1, "kee": 1}}')).toEqual({
      status: 400,
      body: {
        code: 'inputs_invalid',
        message: 'values.kee: the flow has no such input.',
        error: 'values.kee: the flow has no such input.',
        details: [
          { path: 'values.kee', message: 'the flow has no such input' },
          { path: 'values.key', message: 'must be pubkey' },
          { path: 'values.ms', message: 'must be u64' },
        ],
        hint: expect.stringMatching(/^The flow has these inputs: .*"key".* GET \/deployment\/read /),
      },
    });
  });

  it.each([
    ['{"values": []}', 'request_invalid'],
    ['{"values": {"value": 1, "value": 2}}', 'request_invalid'],
    ['{"values": {"value": 1e999999}}', 'request_invalid'],
    ['{"values": {"value": 1e9999999999999999999}}', 'request_invalid'],
    ['{"values": {"value": 1e400}}', 'inputs_invalid'],
    ['{"values": {"value": 0e-9999}}', 'inputs_invalid'],
    ['{"values": {"value": "\\u0000"}}', 'request_invalid'],
    [`{"values": {"value": ${'['.repeat(65)}${']'.repeat(65)}}}`, 'inputs_invalid'],
    [`{"values": {"value": ${'['.repeat(200)}${']'.repeat(200)}}}`, 'request_invalid'],
  ])('are bounded: %s is refused', async (json, code) => {
    expect(await startWith(path(), json)).toMatchObject({ status: 400, body: { code } });
  });

  it('may have names of members of JavaScript objects', async () => {
    const { body } = await startWith(path(), '{"values": {"__proto__": {"__proto__": 1}}}');
    expect(JSON.stringify(await inputsOf(body.flow_run_id))).toBe('{"__proto__":{"M":{"__proto__":{"U":"1"}}}}');
  });

  it('are compared as they were sent when a start is repeated', async () => {
    const headers = { 'idempotency-key': `again-${target}` };
    const first = await startWith(path(), '{"values": {"ms": 5, "value": 1.50}}', headers);
    expect(await startWith(path(), '{"values": {"value": 1.50, "ms": 5}}', headers)).toEqual(first);
    expect(await startWith(path(), '{"values": {"ms": 6}}', headers)).toMatchObject({
      status: 409,
      body: { code: 'idempotency_key_reused' },
    });
  });
});

it('the RPC accepts values, too', async () => {
  const { data, error } = await owner.client.rpc('start_deployment', { id: deploymentId, values: { ms: 7 } });
  expect(error).toBeNull();
  expect(await inputsOf((data as { flow_run_id: string }).flow_run_id)).toEqual({ ms: { U: '7' } });
});

it('the maximum number of values is accepted at any depth', async () => {
  const numbers = (count: number) =>
    `{"values": {"value": ${'[1,'.repeat(60)}[${Array.from({ length: count }, () => '1').join(',')}]${
      ']'.repeat(60)
    }}}`;
  expect((await startWith(`deployment/start?id=${deploymentId}`, numbers(40_000))).status).toBe(200);
  expect((await startWith(`deployment/start?id=${deploymentId}`, numbers(140_000))).body.code).toBe('inputs_too_large');
});
