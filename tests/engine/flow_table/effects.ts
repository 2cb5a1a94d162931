import type { BuiltNode, FlowBuilder, FormJson, Port } from '../../support/flow_builder.ts';
import { type FlowRow, s } from './row.ts';

/** A node that changes something outside. */
const act = (flow: FlowBuilder, edges: { [input: string]: Port }, form: FormJson = {}, title = 'act'): BuiltNode =>
  flow.use('test_act', edges, { form, title });

/** An output that a script leaves unset. */
const unset = (flow: FlowBuilder): Port => flow.script('let v = 1', {}, 2, 'script').output('u');

/** The output of a node that fails. */
const lost = (flow: FlowBuilder): Port => flow.field('x', flow.json({ y: 1 }), 'fails');

const UNSET_RUN = 'script#0 source="let v = 1" → v=1i';
const LOST_RUNS = [
  'json#0 → Source={y=1u}',
  'fails#0 field="x" json_or_string={y=1u} ✗ json_or_string: there is no field "x"',
];
const ONE = 'json#0 → Source=1u';
const LOST_ERROR = 'fails: json_or_string: there is no field "x"';

/** Flows with a node that has effects. The node acts only if its input has a value. */
export const effectRows: FlowRow[] = [
  {
    title: 'a node with effects does not run if the source of its input has failed, even if the input is optional',
    flow: (flow) => flow.output('out', act(flow, { with: lost(flow) }).output('done')),
    output: '',
    errors: [LOST_ERROR],
    notRun: ['act', 'out'],
    runs: LOST_RUNS,
  },
  {
    title: 'a node with effects does not run if the output before it stays unset, and the run succeeds',
    flow: (flow) => act(flow, { with: unset(flow) }),
    output: '',
    notRun: ['act'],
    runs: [UNSET_RUN],
  },
  {
    title: 'a node with effects does not run behind a skipped node, even with a value for another input',
    flow: (flow) => {
      const print = flow.use('print', { print: unset(flow) }, { title: 'print' }).passthrough('print');
      act(flow, { with: flow.constant(s('x')), also: print });
    },
    output: '',
    notRun: ['print', 'act'],
    runs: [UNSET_RUN, 'const#0 → Source="x"'],
  },
  {
    title: 'a form value does not replace the missing value of an edge into a node with effects',
    flow: (flow) => act(flow, { with: unset(flow) }, { with: 'form' }),
    output: '',
    notRun: ['act'],
    runs: [UNSET_RUN],
  },
  {
    title: 'null is a value, so a node with effects runs',
    flow: (flow) => act(flow, { with: flow.json(null) }),
    output: '',
    runs: ['json#0 → Source=null', 'act#0 with=null → done=null'],
  },
  {
    title: 'when_absent = run: the node with effects runs without a value for that input, or with the form value',
    flow: (flow) => {
      for (const [title, form] of [['bare', {}], ['form', { with: 'form' }]] as const) {
        const node = act(flow, { with: lost(flow) }, form, title);
        flow.declare(node, 'with', { when_absent: 'run' });
      }
    },
    output: '',
    errors: [LOST_ERROR, LOST_ERROR],
    runs: [...LOST_RUNS, 'bare#0 → done="nothing"', ...LOST_RUNS, 'form#0 with="form" → done="form"'],
  },
  {
    title: 'when_absent = run_unless_failed: the node runs without a value of a branch, but not after a failure',
    flow: (flow) => {
      for (const source of [unset, lost]) {
        flow.declare(act(flow, { with: source(flow) }, {}, 'acts'), 'with', { when_absent: 'run_unless_failed' });
        const text = flow.use('to_string', { stringify: source(flow) }, { title: 'text' });
        flow.declare(text, 'stringify', { when_absent: 'run_unless_failed' });
      }
    },
    output: '',
    errors: [LOST_ERROR, LOST_ERROR],
    notRun: ['acts', 'text'],
    runs: [UNSET_RUN, 'acts#0 → done="nothing"', UNSET_RUN, 'text#0 → result=""', ...LOST_RUNS, ...LOST_RUNS],
  },
  {
    title: 'when_absent = run applies only to its own input',
    flow: (flow) => {
      flow.declare(act(flow, { with: lost(flow), also: unset(flow) }), 'with', { when_absent: 'run' });
    },
    output: '',
    errors: [LOST_ERROR],
    notRun: ['act'],
    runs: [...LOST_RUNS, UNSET_RUN],
  },
  {
    title: 'a passed-on input that has no value does not prevent the next node with effects from running',
    flow: (flow) => {
      const first = act(flow, {}, {}, 'first');
      const second = act(flow, { also: first.passthrough('passed') }, {}, 'second');
      act(flow, { also: flow.use('test_act', { passed: flow.json(null) }, { title: 'null' }).passthrough('passed') });
      flow.output('out', second.output('done'));
    },
    output: 'out="nothing"',
    runs: [
      'first#0 → done="nothing"',
      'second#0 → done="nothing"',
      'json#0 → Source=null',
      'null#0 passed=null → done="nothing"',
      'act#0 → done="nothing"',
      'out#0 out="nothing" → out="nothing"',
    ],
  },
  {
    title: 'if a node does not run, it passes no input on, so the next node with effects does not run either',
    flow: (flow) => {
      const first = act(flow, { with: unset(flow) }, { passed: 'x' }, 'first');
      act(flow, { also: first.passthrough('passed') }, {}, 'second');
    },
    output: '',
    notRun: ['first', 'second'],
    runs: [UNSET_RUN],
  },
  {
    title: 'in a loop, a node with effects skips only the elements that lack a value',
    flow: (flow) => {
      const each = flow.foreach(flow.json([{ a: 1 }, { b: 2 }, { a: 3 }]));
      flow.output('out', flow.collectOthers(act(flow, { with: flow.field('a', each) }).output('done')));
    },
    output: 'out=[1u, 3u]',
    errors: ['a#1: json_or_string: there is no field "a"'],
    runs: [
      'json#0 → Source=[{a=1u}, {b=2u}, {a=3u}]',
      'foreach#0 array=[{a=1u}, {b=2u}, {a=3u}] → element=[{a=1u}, {b=2u}, {a=3u}]',
      'a#0 field="a" json_or_string={a=1u} → result_json=1u result_string="1"',
      'a#1 field="a" json_or_string={b=2u} ✗ json_or_string: there is no field "a"',
      'a#2 field="a" json_or_string={a=3u} → result_json=3u result_string="3"',
      'act#0 with=1u → done=1u',
      'act#2 with=3u → done=3u',
      'collect#0 element=[1u, 3u] → array=[1u, 3u]',
      'out#0 out=[1u, 3u] → out=[1u, 3u]',
    ],
  },
  {
    title:
      'a node with effects does not run for an empty array, and with two loops it stops at the end of the shorter one',
    flow: (flow) => {
      act(flow, { with: flow.foreach(flow.json([], 'none'), 'each of none') }, {}, 'none acts');
      const [two, one] = [
        flow.foreach(flow.json([1, 2], 'two'), 'each of two'),
        flow.foreach(flow.json([3], 'one'), 'each of one'),
      ];
      act(flow, { with: two, also: one });
    },
    output: '',
    notRun: ['none acts'],
    runs: [
      'none#0 → Source=[]',
      'each of none#0 array=[] → element=[]',
      'two#0 → Source=[1u, 2u]',
      'each of two#0 array=[1u, 2u] → element=[1u, 2u]',
      'one#0 → Source=[3u]',
      'each of one#0 array=[3u] → element=[3u]',
      'act#0 also=3u with=1u → done=1u',
    ],
  },
  {
    title:
      'without one of its values, a flow is not called if it or a flow that it calls has effects or asks a person; other flows are called',
    flow: (flow) => {
      const titles = ['acts', 'calls', 'calls itself', 'computes', 'asks'];
      for (const [index, title] of titles.entries()) {
        flow.interflow(index + 1, { in: unset(flow), also: flow.json(1) }, ['out?'], title);
      }
      // The flow builder makes every input of a call required, so change that here.
      for (const node of flow.nodes.filter(({ data }) => data.node_id === 'interflow')) {
        node.data.targets = node.data.targets.map((target) => ({ ...target, required: false }));
      }
    },
    flows: {
      1: (flow) => act(flow, {}),
      2: (flow) => flow.interflow(3, {}, [], 'round'),
      3: (flow) => {
        flow.interflow(2, {}, [], 'and round');
        flow.interflow(1, {}, [], 'inner');
      },
      4: (flow) => flow.output('out', flow.toText(flow.input('in', 'default'), 'text')),
      5: (flow) => flow.use('api_input'),
    },
    output: '',
    notRun: ['acts', 'calls', 'calls itself', 'asks'],
    runs: [
      UNSET_RUN,
      ONE,
      UNSET_RUN,
      ONE,
      UNSET_RUN,
      ONE,
      UNSET_RUN,
      ONE,
      'computes#0 also=1u → out="default"',
      'computes#0 > in#0 also=1u → in="default"',
      'computes#0 > text#0 stringify="default" → result="default"',
      'computes#0 > out#0 out="default" → out="default"',
      UNSET_RUN,
      ONE,
    ],
  },
];
