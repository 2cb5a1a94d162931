import { d, type FlowRow, s } from './row.ts';

/** Flows that show the order in which nodes start: by edges, and else by their order in the nodes array. */
export const orderRows: FlowRow[] = [
  {
    title: 'a flow of no nodes succeeds with no outputs',
    flow: () => {},
    output: '',
    runs: [],
  },
  {
    title: 'a chain hands its value on from node to node',
    flow: (flow) => flow.output('out', flow.toText(flow.toText(flow.input('n'), 'first'), 'second')),
    inputs: { n: d(7) },
    output: 'out="7"',
    runs: [
      'n#0 n=7 → n=7',
      'first#0 stringify=7 → result="7"',
      'second#0 stringify="7" → result="7"',
      'out#0 out="7" → out="7"',
    ],
  },
  {
    title: 'in a diamond, both sides run once, and the node that joins them runs once with both values',
    flow: (flow) => {
      const n = flow.input('n');
      const left = flow.script('a + 1', { a: n }, 1, 'left').output('u');
      const right = flow.script('a * 2', { a: n }, 1, 'right').output('u');
      flow.output('sum', flow.script('a + b', { a: left, b: right }, 1, 'join').output('u'));
    },
    inputs: { n: d(5) },
    output: 'sum=16',
    runs: [
      'n#0 n=5 → n=5',
      'left#0 a=5 source="a + 1" → u=6',
      'right#0 a=5 source="a * 2" → u=10',
      'join#0 a=6 b=10 source="a + b" → u=16',
      'sum#0 sum=16 → sum=16',
    ],
  },
  {
    title: 'a node waits for the longer of the two paths to it, whatever its position in the nodes array is',
    flow: (flow) => {
      const both = flow.use('rhai_script_2x1', {}, { form: { source: 'a + "," + b' }, title: 'both' });
      const n = flow.input('n');
      flow.connect(n, both.input('a'));
      flow.connect(flow.toText(flow.toText(flow.toText(n))), both.input('b'));
      flow.output('out', both.output('u'));
    },
    inputs: { n: s('n') },
    output: 'out="n,n"',
    runs: [
      'both#0 a="n" b="n" source="a + \\",\\" + b" → u="n,n"',
      'n#0 n="n" → n="n"',
      'to_string#0 stringify="n" → result="n"',
      'to_string#0 stringify="n" → result="n"',
      'to_string#0 stringify="n" → result="n"',
      'out#0 out="n,n" → out="n,n"',
    ],
  },
  {
    title: 'one output feeds many inputs, two of them of the same node',
    flow: (flow) => {
      const n = flow.input('n');
      flow.output('pair', flow.use('to_vec', { first: n, second: n }).output('result'));
      flow.output('alone', n);
    },
    inputs: { n: d(1) },
    output: 'alone=1 pair=[1, 1]',
    runs: [
      'n#0 n=1 → n=1',
      'to_vec#0 first=1 second=1 → result=[1, 1]',
      'pair#0 pair=[1, 1] → pair=[1, 1]',
      'alone#0 alone=1 → alone=1',
    ],
  },
  {
    title: 'nodes without edges run once, notes and collects too',
    flow: (flow) => {
      flow.use('note', {}, { title: 'note', form: { text: 'a remark' } });
      flow.use('collect', {}, { title: 'collect' });
      flow.constant(s('unused'));
      flow.use('flow_run_info', {}, { title: 'info' });
    },
    output: '',
    runs: [
      'note#0 →',
      'collect#0 → array=[]',
      'const#0 → Source="unused"',
      'info#0 → flow_owner="00000000-0000-4000-8000-0000000000aa" solana_net="devnet" started_by="00000000-0000-4000-8000-0000000000bb"',
    ],
  },
  {
    title: 'a node does not wait for a required input without an edge: it starts, and fails without the value',
    flow: (flow) => {
      flow.use('json_get_field', {}, { title: 'get' });
      flow.use('foreach', {}, { title: 'each' });
      flow.use('range', { end: flow.constant(d(3)) }, { title: 'range' });
    },
    output: '',
    errors: ['get: missing field `json_or_string`', 'each: missing field `array`', 'range: missing field `start`'],
    runs: [
      'get#0 ✗ missing field `json_or_string`',
      'each#0 ✗ missing field `array`',
      'const#0 → Source=3',
      'range#0 end=3 ✗ missing field `start`',
    ],
  },
  {
    title: 'nodes that print are started in the order of the nodes array, whatever the order of the edges',
    flow: (flow) => {
      const prints = ['third', 'first', 'second'].map((title) => flow.use('print', {}, { title }));
      const text = flow.constant(s('x'));
      for (const print of prints.toReversed()) flow.connect(text, print.input('print'));
    },
    output: '',
    runs: [
      'third#0 print="x" → __print_output="x" print="x"',
      'first#0 print="x" → __print_output="x" print="x"',
      'second#0 print="x" → __print_output="x" print="x"',
      'const#0 → Source="x"',
    ],
    logs: ['Info third#0: x', 'Info first#0: x', 'Info second#0: x'],
  },
  {
    title: 'wait_for orders nodes that share no value',
    flow: (flow) => {
      const late = flow.use('print', {}, { title: 'late' });
      const early = flow.use('print', { print: flow.constant(s('early')) }, { title: 'early' });
      const waiting = flow.wait(flow.constant(s('late')), 1, early.passthrough('print'));
      flow.connect(waiting, late.input('print'));
    },
    output: '',
    runs: [
      'late#0 print="late" → __print_output="late" print="late"',
      'const#0 → Source="early"',
      'early#0 print="early" → __print_output="early" print="early"',
      'const#0 → Source="late"',
      'wait#0 duration_ms=1u value="late" wait_for="early" → value="late" wait_for="early"',
    ],
    logs: ['Info early#0: early', 'Info late#0: late'],
  },
  {
    title: 'two unconnected parts of a flow run in parallel, and a failure of one does not affect the other',
    flow: (flow) => {
      flow.output('a', flow.field('x', flow.json({})), 'lost');
      flow.output('b', flow.toText(flow.constant(d(2))));
    },
    output: 'b="2"',
    errors: ['x: json_or_string: there is no field "x"'],
    notRun: ['lost'],
    runs: [
      'json#0 → Source={}',
      'x#0 field="x" json_or_string={} ✗ json_or_string: there is no field "x"',
      'const#0 → Source=2',
      'to_string#0 stringify=2 → result="2"',
      'b#0 b="2" → b="2"',
    ],
  },
  {
    title: 'range, foreach, script, collect and print work together',
    flow: (flow) => {
      const squares = flow.script('a * a', { a: flow.foreach(flow.range(flow.input('n'))) }, 1, 'square').output('u');
      const all = flow.collect(squares);
      flow.use('print', { print: all }, { title: 'print' });
      flow.output('squares', all);
    },
    inputs: { n: d(4) },
    output: 'squares=[0, 1, 4, 9]',
    runs: [
      'n#0 n=4 → n=4',
      'range#0 end=4 start=0u → result=[0, 1, 2, 3]',
      'foreach#0 array=[0, 1, 2, 3] → element=[0, 1, 2, 3]',
      'square#0 a=0 source="a * a" → u=0',
      'square#1 a=1 source="a * a" → u=1',
      'square#2 a=2 source="a * a" → u=4',
      'square#3 a=3 source="a * a" → u=9',
      'collect#0 element=[0, 1, 4, 9] → array=[0, 1, 4, 9]',
      'print#0 print=[0, 1, 4, 9] → __print_output="{\\n  \\"A\\": [\\n    {\\n      \\"D\\": \\"0\\"\\n    },\\n    {\\n      \\"D\\": \\"1\\"\\n    },\\n    {\\n      \\"D\\": \\"4\\"\\n    },\\n    {\\n      \\"D\\": \\"9\\"\\n    }\\n  ]\\n}" print=[0, 1, 4, 9]',
      'squares#0 squares=[0, 1, 4, 9] → squares=[0, 1, 4, 9]',
    ],
    logs: [
      'Info print#0: {\n  "A": [\n    {\n      "D": "0"\n    },\n    {\n      "D": "1"\n    },\n    {\n      "D": "4"\n    },\n    {\n      "D": "9"\n    }\n  ]\n}',
    ],
  },
];
