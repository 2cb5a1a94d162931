import { describe, expect, it } from 'vitest';
import { type NativeNodes, NodeError } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import type { Value } from '../../types/values/value.ts';
import { claimFlow, endOf, executeFlow, recordedBy, ROOT_RUN_ID, stopHalt, testNode } from '../support/execute_flow.ts';
import { FlowBuilder, type Port } from '../support/flow_builder.ts';
import { instructionRegistry, signatureOf } from '../support/scripted_transactions.ts';

const via = (from: Port, expression: string): Port => ({ ...from, expression });

/** Runs a flow in which an edge with this expression leads from a constant to the output. */
async function outputOf(value: Value, expression: string) {
  const flow = new FlowBuilder();
  flow.output('out', via(flow.constant(value), expression));
  return await executeFlow(flow);
}

/** Makes a registry with a node `test_pay` that has effects outside, and records the inputs of that node. */
function withPay(options: { types?: string[]; optional?: boolean } = {}) {
  const paid: (Value | undefined)[] = [];
  const node = testNode([options.optional ? 'amount?' : 'amount'], ['paid'], ({ inputs }) => {
    paid.push(inputs.amount);
    return { paid: { B: true } };
  }, { effects: 'once' });
  for (const target of node.definition.targets) target.type_bounds = options.types ?? ['free'];
  const registry: NativeNodes = (id) => id === 'test_pay' ? node : nodeRegistry(id);
  return { paid, registry };
}

describe('the expression of an edge', () => {
  it.each<[expression: string, value: Value, result: Value]>([
    ['$', { D: '1.50' }, { D: '1.50' }],
    ['"users/" & id', { M: { id: { U: '820982911946154508' } } }, { S: 'users/820982911946154508' }],
    ['$[amount > 10].amount', { A: [{ M: { amount: { D: '12.5' } } }, { M: { amount: { U: '5' } } }] }, { D: '12.5' }],
    ['order.price * 2', { M: { order: { M: { price: { U: '3' } } } } }, { U: '6' }],
    ['$string($)', { B3: '11111111111111111111111111111111' }, { S: '11111111111111111111111111111111' }],
    ['$fromMillis(0)', { N: 0 }, { S: '1970-01-01T00:00:00.000Z' }],
    ['$toMillis("10:00", "[H01]:[m01]")', { N: 0 }, { U: '36000000' }],
    ['null', { S: 'a' }, { N: 0 }],
    ['', { S: 'the same' }, { S: 'the same' }],
  ])('computes %s', async (expression, value, result) => {
    expect(await outputOf(value, expression)).toMatchObject({ status: 'succeeded', output: { M: { out: result } } });
  });

  it.each<[expression: string, error: RegExp]>([
    ['1 +', /Unexpected end|character/],
    ['$nope()', /non-function/],
    ['$now()', /\$now can't be used on an edge \(character 4\)/],
    ['$map([1], function($x) { $millis() })', /\$millis can't/],
    ['($f := $random; $f())', /\$random can't/],
    ['$shuffle([1, 2])', /\$shuffle can't/],
    ['$eval("$n" & "ow()")', /\$eval can't/],
    ['function($x) { $x }', /function/],
    ['$match("' + 'a'.repeat(60) + 'b", /^(a+)+$/)', /node_cpu_limit/],
    [
      '($long := $pad("x", 4000); $longer := $join($map([1..400], function() { $long })); $longer & $longer)',
      /2097152 characters/,
    ],
  ])('fails the node at its target: %s', async (expression, error) => {
    const { status, errors, not_run } = await outputOf({ U: '1' }, expression);
    expect({ status, not_run }).toEqual({ status: 'failed', not_run: [] });
    expect(errors).toEqual([
      expect.stringMatching(/^out [-0-9a-f]{36}: expression_failed: edges\[0\] from "Source" of const to "out": /),
    ]);
    expect(errors![0]).toMatch(error);
  });

  it.each<[types: string[], expression: string, result: Value | RegExp]>([
    [['decimal'], '1.5', { D: '1.5' }],
    [['f64'], '2', { F: '2.0' }],
    [['u64'], '2', { U: '2' }],
    [['pubkey', 'string'], '"11111111111111111111111111111111"', { B3: '11111111111111111111111111111111' }],
    [['u64', 'string'], '"x"', { S: 'x' }],
    [['unknown'], '"x"', { S: 'x' }],
    [['u64'], '"x"', /must be of the type u64/],
    [['bool', 'u64'], '-1', /must be of the type bool or u64/],
    [['array'], '[1, 2, 3][$ > 1]', { A: [{ U: '2' }, { U: '3' }] }],
    [['array'], '[1, 2, 3][$ > 2]', { A: [{ U: '3' }] }],
    [['array', 'object'], '{"a": 1}', { A: [{ M: { a: { U: '1' } } }] }],
    [['array'], 'null', { A: [{ N: 0 }] }],
    [['array'], '[1, 2, 3][$ > 3]', { A: [] }],
    [['array'], 'nothing', { A: [] }],
    [['object', 'array'], '{"a": 1}', { M: { a: { U: '1' } } }],
  ])('converts its result to the types %j of the input', async (types, expression, result) => {
    const { paid, registry } = withPay({ types });
    const flow = new FlowBuilder(registry);
    flow.use('test_pay', { amount: via(flow.constant({ N: 0 }), expression) });
    const { errors } = await executeFlow(flow, {}, { registry });
    if (!(result instanceof RegExp)) return expect(paid).toEqual([result]);
    expect(paid).toEqual([]);
    expect(errors).toEqual([expect.stringMatching(result)]);
  });
});

describe('an expression without a result', () => {
  it('is an absent value: a node that needs it does not run, and the run succeeds', async () => {
    const { paid, registry } = withPay({ optional: true });
    const flow = new FlowBuilder(registry);
    const [none, value] = ['nothing.there', '1'].map((expression) => via(flow.constant({ N: 0 }), expression));
    const skipped = flow.use('test_pay', { amount: none! });
    flow.output('not', skipped.output('paid'));
    flow.output('merged', flow.use('merge', { a: none!, b: value! }).output('value'));
    const result = await executeFlow(flow, {}, { registry });
    expect(result).toMatchObject({ status: 'succeeded', errors: null, output: { M: { merged: { U: '1' } } } });
    expect(result.not_run).toContain(skipped.id);
    expect(paid).toEqual([]);
  });

  it('lets a node with effects run without it, if the flow says so', async () => {
    const { paid, registry } = withPay({ optional: true });
    const flow = new FlowBuilder(registry);
    const node = flow.use('test_pay', { amount: via(flow.constant({ N: 0 }), 'nothing') });
    flow.declare(node, 'amount', { when_absent: 'run' });
    await executeFlow(flow, {}, { registry });
    expect(paid).toEqual([undefined]);
  });

  it('is not evaluated for an output that has no value', async () => {
    const flow = new FlowBuilder();
    flow.output('out', via(flow.script('()', {}, 1).output('u'), '"a value"'));
    expect(await executeFlow(flow)).toMatchObject({ status: 'succeeded', output: { M: {} } });
  });
});

describe('in a loop', () => {
  it('an expression is evaluated for each element, and a failure keeps the positions of the others', async () => {
    const flow = new FlowBuilder();
    const each = flow.foreach(flow.json([1, 2, 0, 4]));
    const divided = flow.toText(via(each, '$ = 0 ? $error("no") : $ = 2 ? nothing : $string($ * 10)'), 'divided');
    flow.output('pairs', flow.collectOthers(flow.use('to_vec', { first: divided, second: each }).output('result')));
    flow.output('few', flow.collect(via(each, '$[$ > 1]'), 'few'));
    const { errors, output } = await executeFlow(flow);
    expect(errors).toEqual([expect.stringMatching(/^divided [-0-9a-f]{36}#2: expression_failed: .*: no/)]);
    expect(output.M.few).toEqual({ A: [{ U: '2' }, { U: '4' }] });
    const text = (digits: string): Value => ({ S: digits });
    expect(output.M.pairs).toEqual({
      A: [{ A: [text('10'), { U: '1' }] }, { A: [text('40'), { U: '4' }] }],
    });
  });

  it('a failure in front of collect fails collect', async () => {
    const flow = new FlowBuilder();
    flow.output('all', flow.collect(via(flow.foreach(flow.json([1, 2])), '$ = 2 ? $error("no") : $')));
    const { status, errors, not_run } = await executeFlow(flow);
    expect({ status, errors: errors?.length, not_run: not_run.length }).toEqual({
      status: 'failed',
      errors: 1,
      not_run: 1,
    });
  });
});

it('passes an input on, calls a flow and handles a failure by expressions', async () => {
  const called = new FlowBuilder();
  called.output('twice', via(called.input('n'), '$ * 2'));
  const flow = new FlowBuilder();
  const print = flow.use('print', { print: flow.json({ n: 4 }) });
  const call = flow.interflow(1, { n: via(print.passthrough('print'), 'n + 1') }, ['twice']);
  flow.output('twice', via(call.output('twice'), '{"is": $}'));
  const failing = flow.use('json_get_field', { json_or_string: via(flow.json(1), '$nope()') }, {
    form: { field: 'x' },
    handlesErrors: true,
  });
  flow.output('code', via(failing.output('error'), 'code'));
  const { errors, output } = await executeFlow(flow, {}, { flows: { 1: called } });
  expect(errors).toBeNull();
  expect(output.M).toEqual({ twice: { M: { is: { U: '10' } } }, code: { S: 'expression_failed' } });
});

/**
 * Makes a flow in which `pay` has effects, the edges behind it have expressions, and the node `later` fails until `fix`
 * is called.
 */
function payThenFail() {
  let [calls, fails] = [0, true];
  const pay = testNode([], ['paid'], () => {
    calls += 1;
    return { paid: { A: [{ U: '1' }, { U: '2' }] } };
  }, { effects: 'once' });
  const later = testNode(['in'], ['out'], ({ inputs }) => {
    if (fails) throw new NodeError('not yet');
    return { out: inputs.in! };
  });
  const registry: NativeNodes = (id) => id === 'test_pay' ? pay : id === 'test_later' ? later : nodeRegistry(id);
  const flow = new FlowBuilder(registry);
  const paid = flow.use('test_pay').output('paid');
  const each = flow.toText(via(flow.foreach(paid), '$ + 1'));
  const all = flow.collect(via(each, '"no " & $'));
  flow.output('out', flow.use('test_later', { in: via(all, '$join($, ", ")') }).output('out'));
  return { flow, registry, calls: () => calls, fix: () => fails = false };
}

it('a redrive takes over the executions before and behind an expression', async () => {
  const { flow, registry, calls, fix } = payThenFail();
  const failed = await executeFlow(flow, {}, { registry });
  expect(failed.errors).toEqual([expect.stringContaining('not yet')]);
  fix();
  const redriven = await claimFlow(flow, {}, {
    registry,
    runId: '01930000-0000-7000-8000-000000000002',
    redrivenFrom: [{ runId: ROOT_RUN_ID, recorded: failed }],
  });
  expect(endOf(redriven.result).output.M).toEqual({ out: { S: 'no 2, no 3' } });
  expect(calls()).toBe(1);
  const ended = redriven.events.flatMap(({ type }) => type === 'nodeEnded' ? [type] : []);
  expect(ended).toHaveLength(2);
});

it('another claim evaluates the expressions of stored executions again', async () => {
  const { flow, registry, calls, fix } = payThenFail();
  fix();
  const { events } = await claimFlow(flow, {}, { registry });
  for (const [index] of events.entries()) {
    const { result } = await claimFlow(flow, {}, { registry, earlier: recordedBy(events.slice(0, index)) });
    if (events.slice(0, index).some(({ type }) => type === 'nodeEnded')) {
      expect(endOf(result).output.M).toEqual({ out: { S: 'no 2, no 3' } });
    }
  }
  expect(calls()).toBe(2);
});

it('a stop ends an expression that is being evaluated, and keeps the output of its source', async () => {
  const stopper = new AbortController();
  const flow = new FlowBuilder();
  const text = flow.toText(flow.json('a'));
  flow.output('out', via(text, '$'));
  const { status, nodeRuns } = await executeFlow(flow, {}, {
    stop: stopper.signal,
    services: {
      evaluateExpression: (_, { signal }) => {
        queueMicrotask(() => stopper.abort(stopHalt('', 0)));
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new NodeError('cancelled'))));
      },
    },
  });
  expect(status).toBe('stopped');
  expect(nodeRuns.find(({ node_id }) => node_id === text.nodeId)).toMatchObject({
    output: { M: { result: { S: 'a' } } },
    errors: null,
  });
});

it('no transaction is made while an expression between its instructions is evaluated', async () => {
  const flow = new FlowBuilder(instructionRegistry);
  flow.bundling = 'Automatic';
  const first = flow.use('test_instruction', {}, { form: { name: 'first' } });
  flow.use('test_instruction', { in: via(first.output('made'), '$') }, { form: { name: 'second' } });
  const members: number[] = [];
  const { errors } = await executeFlow(flow, {}, {
    registry: instructionRegistry,
    services: {
      evaluateExpression: ({ value }) => new Promise((resolve) => setTimeout(() => resolve(value), 1)),
      transactions: {
        execute: (order) => {
          members.push(order.members.length);
          return Promise.resolve({ status: 'confirmed', signature: signatureOf('x'), hasFees: true });
        },
      },
    },
  });
  expect({ errors, members }).toEqual({ errors: null, members: [2] });
});
