import { d, type FlowRow, list, s } from './row.ts';

/** Loops of one level: one iteration for each element, zipped by index. */
export const loopRows: FlowRow[] = [
  {
    title: 'a node behind a foreach runs once per element, in order',
    flow: (flow) => flow.output('out', flow.collect(flow.toText(flow.foreach(flow.input('list'))))),
    inputs: { list: list(d(1), d(2), d(3)) },
    output: 'out=["1", "2", "3"]',
    runs: [
      'list#0 list=[1, 2, 3] → list=[1, 2, 3]',
      'foreach#0 array=[1, 2, 3] → element=[1, 2, 3]',
      'to_string#0 stringify=1 → result="1"',
      'to_string#1 stringify=2 → result="2"',
      'to_string#2 stringify=3 → result="3"',
      'collect#0 element=["1", "2", "3"] → array=["1", "2", "3"]',
      'out#0 out=["1", "2", "3"] → out=["1", "2", "3"]',
    ],
  },
  {
    title: 'a value that is not an array counts as an array of one',
    flow: (flow) => flow.output('out', flow.collect(flow.foreach(flow.input('list')))),
    inputs: { list: s('one') },
    output: 'out=["one"]',
    runs: [
      'list#0 list="one" → list="one"',
      'foreach#0 array="one" → element=["one"]',
      'collect#0 element=["one"] → array=["one"]',
      'out#0 out=["one"] → out=["one"]',
    ],
  },
  {
    title: 'for an empty array, no node that needs an element runs, and a collect gives an empty array',
    flow: (flow) => {
      const loud = flow.use('print', { print: flow.foreach(flow.input('list')) }, { title: 'print' }).passthrough(
        'print',
      );
      flow.output('out', flow.collect(loud));
      flow.output('each', loud);
    },
    inputs: { list: list() },
    output: 'out=[]',
    notRun: ['print', 'each'],
    runs: [
      'list#0 list=[] → list=[]',
      'foreach#0 array=[] → element=[]',
      'collect#0 element=[] → array=[]',
      'out#0 out=[] → out=[]',
    ],
  },
  {
    title: 'for an empty array, a node with an optional input does not run',
    flow: (flow) => flow.output('out', flow.collect(flow.toText(flow.foreach(flow.input('list'))))),
    inputs: { list: list() },
    output: 'out=[]',
    notRun: ['to_string'],
    runs: [
      'list#0 list=[] → list=[]',
      'foreach#0 array=[] → element=[]',
      'collect#0 element=[] → array=[]',
      'out#0 out=[] → out=[]',
    ],
  },
  {
    title: 'a flow_output in a loop gives the array of its values',
    flow: (flow) => flow.output('out', flow.toText(flow.foreach(flow.input('list')))),
    inputs: { list: list(d(1), d(2)) },
    output: 'out=["1", "2"]',
    runs: [
      'list#0 list=[1, 2] → list=[1, 2]',
      'foreach#0 array=[1, 2] → element=[1, 2]',
      'to_string#0 stringify=1 → result="1"',
      'to_string#1 stringify=2 → result="2"',
      'out#0 out="1" → out="1"',
      'out#1 out="2" → out="2"',
    ],
  },
  {
    title: 'a flow_output in a loop of one element gives the value itself',
    flow: (flow) => flow.output('out', flow.foreach(flow.input('list'))),
    inputs: { list: list(list(d(1))) },
    output: 'out=[1]',
    runs: ['list#0 list=[[1]] → list=[[1]]', 'foreach#0 array=[[1]] → element=[[1]]', 'out#0 out=[1] → out=[1]'],
  },
  {
    title: 'a value from outside the loop is used again in each iteration',
    flow: (flow) => {
      const add = flow.script('a + b', { a: flow.foreach(flow.input('list')), b: flow.input('n') }, 1, 'add');
      flow.output('out', flow.collect(add.output('u')));
    },
    inputs: { list: list(d(1), d(2), d(3)), n: d(10) },
    output: 'out=[11, 12, 13]',
    runs: [
      'list#0 list=[1, 2, 3] n=10 → list=[1, 2, 3]',
      'foreach#0 array=[1, 2, 3] → element=[1, 2, 3]',
      'n#0 list=[1, 2, 3] n=10 → n=10',
      'add#0 a=1 b=10 source="a + b" → u=11',
      'add#1 a=2 b=10 source="a + b" → u=12',
      'add#2 a=3 b=10 source="a + b" → u=13',
      'collect#0 element=[11, 12, 13] → array=[11, 12, 13]',
      'out#0 out=[11, 12, 13] → out=[11, 12, 13]',
    ],
  },
  {
    title: 'a loop waits for a value from outside that comes late',
    flow: (flow) => {
      const late = flow.wait(flow.constant(d(10)), 5);
      const add = flow.script('a + b', { a: flow.foreach(flow.json([1, 2])), b: late }, 1, 'add');
      flow.output('out', flow.collect(add.output('u')));
    },
    output: 'out=[11, 12]',
    runs: [
      'const#0 → Source=10',
      'wait#0 duration_ms=5u value=10 wait_for=true → value=10 wait_for=true',
      'json#0 → Source=[1u, 2u]',
      'foreach#0 array=[1u, 2u] → element=[1u, 2u]',
      'add#0 a=1u b=10 source="a + b" → u=11',
      'add#1 a=2u b=10 source="a + b" → u=12',
      'collect#0 element=[11, 12] → array=[11, 12]',
      'out#0 out=[11, 12] → out=[11, 12]',
    ],
  },
  {
    title: 'the array itself may be used beside its elements',
    flow: (flow) => {
      const all = flow.json([1, 2]);
      flow.output(
        'out',
        flow.collect(flow.use('to_vec', { first: flow.foreach(all), second: all }, { title: 'pair' }).output('result')),
      );
    },
    output: 'out=[[1u, [1u, 2u]], [2u, [1u, 2u]]]',
    runs: [
      'json#0 → Source=[1u, 2u]',
      'foreach#0 array=[1u, 2u] → element=[1u, 2u]',
      'pair#0 first=1u second=[1u, 2u] → result=[1u, [1u, 2u]]',
      'pair#1 first=2u second=[1u, 2u] → result=[2u, [1u, 2u]]',
      'collect#0 element=[[1u, [1u, 2u]], [2u, [1u, 2u]]] → array=[[1u, [1u, 2u]], [2u, [1u, 2u]]]',
      'out#0 out=[[1u, [1u, 2u]], [2u, [1u, 2u]]] → out=[[1u, [1u, 2u]], [2u, [1u, 2u]]]',
    ],
  },
  {
    title:
      'a slow node in a loop hands each element on to nodes with optional inputs, and collect waits for all of them',
    flow: (flow) =>
      flow.output('out', flow.collect(flow.toText(flow.wait(flow.foreach(flow.json([1, 2, 3])), 1), 'text'))),
    output: 'out=["1", "2", "3"]',
    runs: [
      'json#0 → Source=[1u, 2u, 3u]',
      'foreach#0 array=[1u, 2u, 3u] → element=[1u, 2u, 3u]',
      'wait#0 duration_ms=1u value=1u wait_for=true → value=1u wait_for=true',
      'wait#1 duration_ms=1u value=2u wait_for=true → value=2u wait_for=true',
      'wait#2 duration_ms=1u value=3u wait_for=true → value=3u wait_for=true',
      'text#0 stringify=1u → result="1"',
      'text#1 stringify=2u → result="2"',
      'text#2 stringify=3u → result="3"',
      'collect#0 element=["1", "2", "3"] → array=["1", "2", "3"]',
      'out#0 out=["1", "2", "3"] → out=["1", "2", "3"]',
    ],
  },
  {
    title: 'a constant that is absent is absent in each iteration',
    flow: (flow) => {
      const none = flow.script('let v = 1', {}, 2, 'none').output('u');
      const node = flow.script('[a, b == ()]', { a: flow.foreach(flow.json([1, 2])), b: none }, 1, 'node');
      flow.output('out', flow.collect(node.output('u')));
    },
    output: 'out=[[1, true], [2, true]]',
    runs: [
      'none#0 source="let v = 1" → v=1i',
      'json#0 → Source=[1u, 2u]',
      'foreach#0 array=[1u, 2u] → element=[1u, 2u]',
      'node#0 a=1u source="[a, b == ()]" → u=[1, true]',
      'node#1 a=2u source="[a, b == ()]" → u=[2, true]',
      'collect#0 element=[[1, true], [2, true]] → array=[[1, true], [2, true]]',
      'out#0 out=[[1, true], [2, true]] → out=[[1, true], [2, true]]',
    ],
  },
  {
    title: 'a required input whose constant is absent skips every iteration',
    flow: (flow) => {
      const none = flow.script('let v = 1', {}, 2, 'none').output('u');
      const pair = flow.use('to_vec', { first: flow.foreach(flow.json([1, 2])), second: none }, { title: 'pair' });
      flow.output('out', flow.collect(pair.output('result')));
    },
    output: 'out=[]',
    notRun: ['pair'],
    runs: [
      'none#0 source="let v = 1" → v=1i',
      'json#0 → Source=[1u, 2u]',
      'foreach#0 array=[1u, 2u] → element=[1u, 2u]',
      'collect#0 element=[] → array=[]',
      'out#0 out=[] → out=[]',
    ],
  },
];
