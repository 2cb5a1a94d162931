import type { BuiltNode, FlowBuilder, Port } from '../../support/flow_builder.ts';
import { d, type FlowRow, list, s } from './row.ts';

/** Adds a node that fails for a map without `x`. The flow handles this failure. */
const pick = (flow: FlowBuilder, map: Port, title = 'pick'): BuiltNode =>
  flow.use('json_get_field', { json_or_string: map }, { form: { field: 'x' }, title, handlesErrors: true });

const messageOf = (flow: FlowBuilder, error: Port, title = 'message'): Port => flow.field('message', error, title);

const MISSING = 'json_or_string: there is no field "x"';
const PAY = { name: 'pay' };

const bundled = (build: FlowRow['flow']): FlowRow['flow'] => (flow) => {
  flow.bundling = 'Automatic';
  build(flow);
};

/** Flows that handle failures: a failure becomes the output `error`, and the run goes on. */
export const handledErrorRows: FlowRow[] = [
  {
    title: 'a handled failure gives its message, code, node and attempt, and the run succeeds',
    flow: (flow) => {
      const node = pick(flow, flow.json({ y: 1 }));
      flow.output('out', node.output('result_string'));
      flow.output('error', node.output('error'));
    },
    output: `error={attempt=1u code=null message=${
      JSON.stringify(MISSING)
    } node_id="00000000-0000-4000-8000-000000000003"}`,
    notRun: ['out'],
    runs: [
      'json#0 → Source={y=1u}',
      `pick#0 field="x" json_or_string={y=1u} ⤷ ${MISSING}`,
      `error#0 error={attempt=1u code=null message=${
        JSON.stringify(MISSING)
      } node_id="00000000-0000-4000-8000-000000000003"} → error={attempt=1u code=null message=${
        JSON.stringify(MISSING)
      } node_id="00000000-0000-4000-8000-000000000003"}`,
    ],
  },
  {
    title: 'a node that succeeds leaves its error output unset, and a merge continues behind either output',
    flow: (flow) => {
      const node = pick(flow, flow.json({ x: 'fine' }));
      const message = messageOf(flow, node.output('error'));
      flow.output('out', flow.use('merge', { a: node.output('result_string'), b: message }).output('value'));
      flow.output('again', flow.use('test_act', { with: node.output('error') }, { title: 'act' }).output('done'));
    },
    output: 'out="fine"',
    notRun: ['message', 'act', 'again'],
    runs: [
      'json#0 → Source={x="fine"}',
      'pick#0 field="x" json_or_string={x="fine"} → result_json="fine" result_string="fine"',
      'merge#0 a="fine" → value="fine"',
      'out#0 out="fine" → out="fine"',
    ],
  },
  {
    title: 'in a loop, each failed element gives its own error, and all elements keep their indexes',
    flow: (flow) => {
      const node = pick(flow, flow.foreach(flow.json([{ x: 'a' }, {}, { x: 'c' }])));
      const message = messageOf(flow, node.output('error'));
      flow.output(
        'all',
        flow.collect(flow.use('merge', { a: node.output('result_string'), b: message }).output('value')),
      );
    },
    output: `all=["a", ${JSON.stringify(MISSING)}, "c"]`,
    runs: [
      'json#0 → Source=[{x="a"}, {}, {x="c"}]',
      'foreach#0 array=[{x="a"}, {}, {x="c"}] → element=[{x="a"}, {}, {x="c"}]',
      'pick#0 field="x" json_or_string={x="a"} → result_json="a" result_string="a"',
      `pick#1 field="x" json_or_string={} ⤷ ${MISSING}`,
      'pick#2 field="x" json_or_string={x="c"} → result_json="c" result_string="c"',
      `message#1 field="message" json_or_string={attempt=1u code=null message=${
        JSON.stringify(MISSING)
      } node_id="00000000-0000-4000-8000-000000000006"} → result_json=${JSON.stringify(MISSING)} result_string=${
        JSON.stringify(MISSING)
      }`,
      'merge#0 a="a" → value="a"',
      `merge#1 b=${JSON.stringify(MISSING)} → value=${JSON.stringify(MISSING)}`,
      'merge#2 a="c" → value="c"',
      `collect#0 element=["a", ${JSON.stringify(MISSING)}, "c"] → array=["a", ${JSON.stringify(MISSING)}, "c"]`,
      `all#0 all=["a", ${JSON.stringify(MISSING)}, "c"] → all=["a", ${JSON.stringify(MISSING)}, "c"]`,
    ],
  },
  {
    title: 'a foreach that fails gives one error, and not one for each element',
    flow: (flow) => {
      const loop = flow.use('foreach', {}, { title: 'loop', handlesErrors: true });
      flow.output('each', loop.output('element'));
      flow.output('message', messageOf(flow, loop.output('error')));
    },
    output: 'message="missing field `array`"',
    notRun: ['each'],
    runs: [
      'loop#0 ⤷ missing field `array`',
      'message#0 field="message" json_or_string={attempt=1u code=null message="missing field `array`" node_id="00000000-0000-4000-8000-000000000001"} → result_json="missing field `array`" result_string="missing field `array`"',
      'message#0 message="missing field `array`" → message="missing field `array`"',
    ],
  },
  {
    title: 'a called flow that fails is handled by its caller, and a called flow handles its own failures',
    flow: (flow) => {
      const call = (id: number) =>
        flow.interflow(id, { map: flow.json({}) }, ['out?'], `call ${id}`, { handlesErrors: true });
      flow.output('first', messageOf(flow, call(1).output('error')));
      const second = call(2);
      flow.output('second', second.output('out'));
      flow.output('never', second.output('error'));
    },
    flows: {
      1: (flow) => flow.output('out', flow.field('x', flow.input('map'), 'inner')),
      2: (flow) => flow.output('out', messageOf(flow, pick(flow, flow.input('map'), 'inner').output('error'))),
    },
    output: `first="inner 00000000-0000-4000-8000-000000000003: ${MISSING.replaceAll('"', '\\"')}" second=${
      JSON.stringify(MISSING)
    }`,
    notRun: ['never'],
    runs: [
      'json#0 → Source={}',
      'call 1#0 map={} ⤷ inner 00000000-0000-4000-8000-000000000003: json_or_string: there is no field "x"',
      'call 1#0 > map#0 map={} → map={}',
      'call 1#0 > inner#0 field="x" json_or_string={} ✗ json_or_string: there is no field "x"',
      'message#0 field="message" json_or_string={attempt=1u code=null message="inner 00000000-0000-4000-800 …  → result_json="inner 00000000-0000-4000-8000-000000000003: json_or_string: there is no field \\"x\\"" result_string="inner 00000000-0000-4000-8000-000000000003: json_or_string: there is no field \\"x\\""',
      'first#0 first="inner 00000000-0000-4000-8000-000000000003: json_or_string: there is no field \\"x\\"" → first="inner 00000000-0000-4000-8000-000000000003: json_or_string: there is no field \\"x\\""',
      'json#0 → Source={}',
      'call 2#0 map={} → out="json_or_string: there is no field \\"x\\""',
      'call 2#0 > map#0 map={} → map={}',
      'call 2#0 > inner#0 field="x" json_or_string={} ⤷ json_or_string: there is no field "x"',
      'call 2#0 > message#0 field="message" json_or_string={attempt=1u code=null message="json_or_string: there is no field \\"x\\"" node_id="00000000-0000-4000-8000-000000000003"} → result_json="json_or_string: there is no field \\"x\\"" result_string="json_or_string: there is no field \\"x\\""',
      'call 2#0 > out#0 out="json_or_string: there is no field \\"x\\"" → out="json_or_string: there is no field \\"x\\""',
      'second#0 second="json_or_string: there is no field \\"x\\"" → second="json_or_string: there is no field \\"x\\""',
    ],
  },
  {
    title: 'the error output contains the code of the error, also for a node that does not exist',
    flow: (flow) => {
      const node = flow.node('nothing', { title: 'nothing', handlesErrors: true });
      flow.output('code', flow.field('code', node.output('error'), 'code'));
    },
    output: 'code="node_not_implemented"',
    runs: [
      'nothing#0 ⤷ node_not_implemented: there is no node nothing',
      'code#0 field="code" json_or_string={attempt=1u code="node_not_implemented" message="node_not_implemented: there is no node nothing" node_id="00000000-0000-4000-8000-000000000001"} → result_json="node_not_implemented" result_string="node_not_implemented"',
      'code#0 code="node_not_implemented" → code="node_not_implemented"',
    ],
  },
  {
    title: 'a script does not see the error output, and a passed-on input with the name error keeps its own output',
    flow: (flow) => {
      const script = flow.node('rhai_script_1x1', {
        inputs: ['source', 'a?', 'error?»'],
        outputs: ['u'],
        form: { source: 'let error = 1; let u = a' },
        title: 'script',
        handlesErrors: true,
      });
      flow.connect(flow.constant(s('x')), script.input('a'));
      flow.connect(flow.constant(s('given')), script.input('error'));
      flow.output('u', script.output('u'));
      flow.output('passed', script.passthrough('error'));
      flow.output('never', script.output('error'));
    },
    output: 'passed="given" u="x"',
    notRun: ['never'],
    runs: [
      'script#0 a="x" error="given" source="let error = 1; let u = a" → error="given" u="x"',
      'const#0 → Source="x"',
      'const#0 → Source="given"',
      'u#0 u="x" → u="x"',
      'passed#0 passed="given" → passed="given"',
    ],
  },
  {
    title: 'instructions behind an error output are in the next transaction, which is sent if the first one fails',
    flow: bundled((flow) => {
      const first = flow.use('test_instruction', {}, { form: { name: 'fails' }, title: 'fails', handlesErrors: true });
      const note = flow.use('test_instruction', { in: first.output('signature') }, {
        form: { name: 'note' },
        title: 'note',
      });
      const text = flow.toText(messageOf(flow, first.output('error')), 'text');
      const second = flow.use('test_instruction', { in: text }, { form: { ...PAY }, title: 'second' });
      flow.output('note', note.output('signature'));
      flow.output('paid', second.output('signature'));
    }),
    output: 'paid=B6:pay',
    notRun: ['note', 'note'],
    runs: [
      'fails#0 name="fails" → made="made fails" ⤷ it fails',
      'message#0 field="message" json_or_string={attempt=1u code=null message="it fails" node_id="00000000-0000-4000-8000-000000000001"} → result_json="it fails" result_string="it fails"',
      'text#0 stringify="it fails" → result="it fails"',
      'second#0 in="it fails" name="pay" → in="it fails" made="made pay" signature=B6:pay',
      'paid#0 paid=B6:pay → paid=B6:pay',
    ],
    logs: ['Info fails#0: Ann pays for fails and the fees', 'Info second#0: Ann pays for pay and the fees'],
  },
  {
    title:
      'if a node makes no instructions, the others of its transaction are not sent, even if the failure is handled',
    flow: bundled((flow) => {
      flow.use('test_instruction', {}, { form: { name: 'other' }, title: 'other' });
      const bad = flow.use('test_instruction', { in: flow.constant(s('bad')) }, {
        form: { ...PAY },
        title: 'bad',
        handlesErrors: true,
      });
      flow.output('message', messageOf(flow, bad.output('error')));
    }),
    output: 'message="there is no instruction"',
    errors: ['other: some node failed to provide instructions'],
    runs: [
      'other#0 name="other" → made="made other" ✗ some node failed to provide instructions',
      'const#0 → Source="bad"',
      'bad#0 in="bad" name="pay" ⤷ there is no instruction',
      'message#0 field="message" json_or_string={attempt=1u code=null message="there is no instruction" node_id="00000000-0000-4000-8000-000000000010"} → result_json="there is no instruction" result_string="there is no instruction"',
      'message#0 message="there is no instruction" → message="there is no instruction"',
    ],
  },
  {
    title: 'instructions behind a handled failure are left out, and the rest of the transaction is sent',
    flow: bundled((flow) => {
      const node = pick(flow, flow.json({}));
      flow.use('test_instruction', { in: node.output('result_string') }, { form: { name: 'left' }, title: 'left' });
      flow.output('paid', flow.use('test_instruction', {}, { form: { ...PAY }, title: 'paid' }).output('signature'));
    }),
    output: 'paid=B6:pay',
    notRun: ['left'],
    runs: [
      'json#0 → Source={}',
      'pick#0 field="x" json_or_string={} ⤷ json_or_string: there is no field "x"',
      'paid#0 name="pay" → made="made pay" signature=B6:pay',
      'paid#0 paid=B6:pay → paid=B6:pay',
    ],
    logs: ['Info paid#0: Ann pays for pay and the fees'],
  },
  {
    title: 'a handled failure in a loop of instructions leaves out only its own element',
    flow: (flow) => {
      const name = flow.foreach(flow.constant(list(s('a'), s('fails'), s('c'))));
      const pay = flow.use('test_instruction', { name }, { title: 'pay', handlesErrors: true });
      flow.output('paid', flow.collect(pay.output('signature')));
      flow.output('messages', flow.collect(messageOf(flow, pay.output('error')), 'messages'));
    },
    inputs: { unused: d(1) },
    output: 'messages=["it fails"] paid=[B6:a, B6:c]',
    runs: [
      'const#0 → Source=["a", "fails", "c"]',
      'foreach#0 array=["a", "fails", "c"] → element=["a", "fails", "c"]',
      'pay#0 name="a" → made="made a" signature=B6:a',
      'pay#1 name="fails" → made="made fails" ⤷ it fails',
      'pay#2 name="c" → made="made c" signature=B6:c',
      'collect#0 element=[B6:a, B6:c] → array=[B6:a, B6:c]',
      'paid#0 paid=[B6:a, B6:c] → paid=[B6:a, B6:c]',
      'message#1 field="message" json_or_string={attempt=1u code=null message="it fails" node_id="00000000-0000-4000-8000-000000000006"} → result_json="it fails" result_string="it fails"',
      'messages#0 element=["it fails"] → array=["it fails"]',
      'messages#0 messages=["it fails"] → messages=["it fails"]',
    ],
    logs: ['Info pay#0: Ann pays for a and the fees', 'Info pay#1: Ann pays for fails', 'Info pay#2: Ann pays for c'],
  },
];
