import { type FlowRow } from './row.ts';

/** Flows with loops inside loops, and nodes that collect the elements. */
export const nestedLoopRows: FlowRow[] = [
  {
    title: 'a foreach in a loop gives the elements of all inner arrays, one after another',
    flow: (flow) => {
      const outer = flow.foreach(flow.json([['0,0', '0,1'], ['1,0', '1,1']]), 'outer');
      flow.output('out', flow.toText(flow.foreach(outer, 'inner')));
    },
    output: 'out=["0,0", "0,1", "1,0", "1,1"]',
    runs: [
      'json#0 → Source=[["0,0", "0,1"], ["1,0", "1,1"]]',
      'outer#0 array=[["0,0", "0,1"], ["1,0", "1,1"]] → element=[["0,0", "0,1"], ["1,0", "1,1"]]',
      'inner#0 array=["0,0", "0,1"] → element=["0,0", "0,1"]',
      'inner#1 array=["1,0", "1,1"] → element=["1,0", "1,1"]',
      'to_string#0 stringify="0,0" → result="0,0"',
      'to_string#1 stringify="0,1" → result="0,1"',
      'to_string#2 stringify="1,0" → result="1,0"',
      'to_string#3 stringify="1,1" → result="1,1"',
      'out#0 out="0,0" → out="0,0"',
      'out#1 out="0,1" → out="0,1"',
      'out#2 out="1,0" → out="1,0"',
      'out#3 out="1,1" → out="1,1"',
    ],
  },
  {
    title: 'three levels are flattened in order',
    flow: (flow) => {
      const outer = flow.foreach(flow.json([[[1], [2, 3]], [[4]]]), 'outer');
      const middle = flow.foreach(outer, 'middle');
      flow.output('out', flow.collect(flow.foreach(middle, 'inner')));
    },
    output: 'out=[1u, 2u, 3u, 4u]',
    runs: [
      'json#0 → Source=[[[1u], [2u, 3u]], [[4u]]]',
      'outer#0 array=[[[1u], [2u, 3u]], [[4u]]] → element=[[[1u], [2u, 3u]], [[4u]]]',
      'middle#0 array=[[1u], [2u, 3u]] → element=[[1u], [2u, 3u]]',
      'middle#1 array=[[4u]] → element=[[4u]]',
      'inner#0 array=[1u] → element=[1u]',
      'inner#1 array=[2u, 3u] → element=[2u, 3u]',
      'inner#2 array=[4u] → element=[4u]',
      'collect#0 element=[1u, 2u, 3u, 4u] → array=[1u, 2u, 3u, 4u]',
      'out#0 out=[1u, 2u, 3u, 4u] → out=[1u, 2u, 3u, 4u]',
    ],
  },
  {
    title: 'inner arrays may have any length; they may also be empty, or single values',
    flow: (flow) => {
      const inner = flow.foreach(flow.foreach(flow.json([[], [1], 2, [], [3, 4], []]), 'outer'), 'inner');
      flow.output('out', flow.collect(flow.use('print', { print: inner }, { title: 'print' }).passthrough('print')));
    },
    output: 'out=[1u, 2u, 3u, 4u]',
    runs: [
      'json#0 → Source=[[], [1u], 2u, [], [3u, 4u], []]',
      'outer#0 array=[[], [1u], 2u, [], [3u, 4u], []] → element=[[], [1u], 2u, [], [3u, 4u], []]',
      'inner#0 array=[] → element=[]',
      'inner#1 array=[1u] → element=[1u]',
      'inner#2 array=2u → element=[2u]',
      'inner#3 array=[] → element=[]',
      'inner#4 array=[3u, 4u] → element=[3u, 4u]',
      'inner#5 array=[] → element=[]',
      'print#0 print=1u → __print_output="1" print=1u',
      'print#1 print=2u → __print_output="2" print=2u',
      'print#2 print=3u → __print_output="3" print=3u',
      'print#3 print=4u → __print_output="4" print=4u',
      'collect#0 element=[1u, 2u, 3u, 4u] → array=[1u, 2u, 3u, 4u]',
      'out#0 out=[1u, 2u, 3u, 4u] → out=[1u, 2u, 3u, 4u]',
    ],
    logs: ['Info print#0: 1', 'Info print#1: 2', 'Info print#2: 3', 'Info print#3: 4'],
  },
  {
    title: 'an empty outer array starts no inner loop',
    flow: (flow) => {
      flow.output('out', flow.collect(flow.foreach(flow.foreach(flow.json([]), 'outer'), 'inner')));
    },
    output: 'out=[]',
    notRun: ['inner'],
    runs: [
      'json#0 → Source=[]',
      'outer#0 array=[] → element=[]',
      'collect#0 element=[] → array=[]',
      'out#0 out=[] → out=[]',
    ],
  },
  {
    title: 'outer and inner elements that lead to the same node are zipped by position',
    flow: (flow) => {
      const outer = flow.foreach(flow.json([[1, 2], [3]]), 'outer');
      const pair = flow.use('to_vec', { first: outer, second: flow.foreach(outer, 'inner') }, { title: 'pair' });
      flow.output('out', flow.collect(pair.output('result')));
    },
    output: 'out=[[[1u, 2u], 1u], [[3u], 2u]]',
    runs: [
      'json#0 → Source=[[1u, 2u], [3u]]',
      'outer#0 array=[[1u, 2u], [3u]] → element=[[1u, 2u], [3u]]',
      'inner#0 array=[1u, 2u] → element=[1u, 2u]',
      'inner#1 array=[3u] → element=[3u]',
      'pair#0 first=[1u, 2u] second=1u → result=[[1u, 2u], 1u]',
      'pair#1 first=[3u] second=2u → result=[[3u], 2u]',
      'collect#0 element=[[[1u, 2u], 1u], [[3u], 2u]] → array=[[[1u, 2u], 1u], [[3u], 2u]]',
      'out#0 out=[[[1u, 2u], 1u], [[3u], 2u]] → out=[[[1u, 2u], 1u], [[3u], 2u]]',
    ],
  },
  {
    title: 'a constant is used in every inner iteration',
    flow: (flow) => {
      const inner = flow.foreach(flow.foreach(flow.json([[1, 2], [3]]), 'outer'), 'inner');
      flow.output('out', flow.collect(flow.script('a * b', { a: inner, b: flow.json(10) }, 1, 'times').output('u')));
    },
    output: 'out=[10, 20, 30]',
    runs: [
      'json#0 → Source=[[1u, 2u], [3u]]',
      'outer#0 array=[[1u, 2u], [3u]] → element=[[1u, 2u], [3u]]',
      'inner#0 array=[1u, 2u] → element=[1u, 2u]',
      'inner#1 array=[3u] → element=[3u]',
      'json#0 → Source=10u',
      'times#0 a=1u b=10u source="a * b" → u=10',
      'times#1 a=2u b=10u source="a * b" → u=20',
      'times#2 a=3u b=10u source="a * b" → u=30',
      'collect#0 element=[10, 20, 30] → array=[10, 20, 30]',
      'out#0 out=[10, 20, 30] → out=[10, 20, 30]',
    ],
  },
  {
    title: 'if an outer iteration fails, only its own inner loop does not run',
    flow: (flow) => {
      const rows = flow.foreach(flow.json([{ list: [1, 2] }, {}, { list: [3] }]), 'outer');
      const inner = flow.foreach(flow.field('list', rows), 'inner');
      const print = flow.use('print', { print: inner }, { title: 'print' });
      flow.output('out', flow.collectOthers(print.passthrough('print')));
    },
    output: 'out=[1u, 2u, 3u]',
    errors: ['list#1: json_or_string: there is no field "list"'],
    runs: [
      'json#0 → Source=[{list=[1u, 2u]}, {}, {list=[3u]}]',
      'outer#0 array=[{list=[1u, 2u]}, {}, {list=[3u]}] → element=[{list=[1u, 2u]}, {}, {list=[3u]}]',
      'list#0 field="list" json_or_string={list=[1u, 2u]} → result_json=[1u, 2u] result_string="[1,2]"',
      'list#1 field="list" json_or_string={} ✗ json_or_string: there is no field "list"',
      'list#2 field="list" json_or_string={list=[3u]} → result_json=[3u] result_string="[3]"',
      'inner#0 array=[1u, 2u] → element=[1u, 2u]',
      'inner#2 array=[3u] → element=[3u]',
      'print#0 print=1u → __print_output="1" print=1u',
      'print#1 print=2u → __print_output="2" print=2u',
      'print#3 print=3u → __print_output="3" print=3u',
      'collect#0 element=[1u, 2u, 3u] → array=[1u, 2u, 3u]',
      'out#0 out=[1u, 2u, 3u] → out=[1u, 2u, 3u]',
    ],
    logs: ['Info print#0: 1', 'Info print#1: 2', 'Info print#3: 3'],
  },
  {
    title: 'a collect gives one array and runs once, however deep its loop is',
    flow: (flow) => {
      const inner = flow.foreach(flow.foreach(flow.json([[1, 2], [3]]), 'outer'), 'inner');
      const all = flow.collect(inner);
      flow.output('all', all);
      flow.output('text', flow.toText(flow.foreach(all, 'again')), 'texts');
    },
    output: 'all=[1u, 2u, 3u] text=["1", "2", "3"]',
    runs: [
      'json#0 → Source=[[1u, 2u], [3u]]',
      'outer#0 array=[[1u, 2u], [3u]] → element=[[1u, 2u], [3u]]',
      'inner#0 array=[1u, 2u] → element=[1u, 2u]',
      'inner#1 array=[3u] → element=[3u]',
      'collect#0 element=[1u, 2u, 3u] → array=[1u, 2u, 3u]',
      'all#0 all=[1u, 2u, 3u] → all=[1u, 2u, 3u]',
      'again#0 array=[1u, 2u, 3u] → element=[1u, 2u, 3u]',
      'to_string#0 stringify=1u → result="1"',
      'to_string#1 stringify=2u → result="2"',
      'to_string#2 stringify=3u → result="3"',
      'texts#0 text="1" → text="1"',
      'texts#1 text="2" → text="2"',
      'texts#2 text="3" → text="3"',
    ],
  },
  {
    title: 'a collect of no loop gives an array of the one value',
    flow: (flow) => flow.output('out', flow.collect(flow.constant({ S: 'x' }))),
    output: 'out=["x"]',
    runs: ['const#0 → Source="x"', 'collect#0 element=["x"] → array=["x"]', 'out#0 out=["x"] → out=["x"]'],
  },
  {
    title: 'a collect of the others keeps null, and leaves out what is absent',
    flow: (flow) => {
      const a = flow.field('a', flow.foreach(flow.json([{ a: null }, {}, { a: 1 }])));
      flow.output('out', flow.collectOthers(a));
    },
    output: 'out=[null, 1u]',
    errors: ['a#1: json_or_string: there is no field "a"'],
    runs: [
      'json#0 → Source=[{a=null}, {}, {a=1u}]',
      'foreach#0 array=[{a=null}, {}, {a=1u}] → element=[{a=null}, {}, {a=1u}]',
      'a#0 field="a" json_or_string={a=null} → result_json=null result_string=""',
      'a#1 field="a" json_or_string={} ✗ json_or_string: there is no field "a"',
      'a#2 field="a" json_or_string={a=1u} → result_json=1u result_string="1"',
      'collect#0 element=[null, 1u] → array=[null, 1u]',
      'out#0 out=[null, 1u] → out=[null, 1u]',
    ],
  },
  {
    title: 'a collect whose source does not run because of a failure does not run, unless it leaves out what failed',
    flow: (flow) => {
      const lost = flow.use('print', { print: flow.field('x', flow.json({})) }, { title: 'never' });
      flow.output('none', flow.collect(lost.passthrough('print'), 'all'));
      flow.output('out', flow.collectOthers(lost.passthrough('print')));
    },
    output: 'out=[]',
    errors: ['x: json_or_string: there is no field "x"'],
    notRun: ['never', 'all', 'none'],
    runs: [
      'json#0 → Source={}',
      'x#0 field="x" json_or_string={} ✗ json_or_string: there is no field "x"',
      'collect#0 element=[] → array=[]',
      'out#0 out=[] → out=[]',
    ],
  },
  {
    title: 'a collect of a collect gives an array in an array',
    flow: (flow) => flow.output('out', flow.collect(flow.collect(flow.foreach(flow.json([1, 2])), 'inner'), 'outer')),
    output: 'out=[[1u, 2u]]',
    runs: [
      'json#0 → Source=[1u, 2u]',
      'foreach#0 array=[1u, 2u] → element=[1u, 2u]',
      'inner#0 element=[1u, 2u] → array=[1u, 2u]',
      'outer#0 element=[[1u, 2u]] → array=[[1u, 2u]]',
      'out#0 out=[[1u, 2u]] → out=[[1u, 2u]]',
    ],
  },
  {
    title: 'a collected array is a constant for another loop',
    flow: (flow) => {
      const all = flow.collect(flow.foreach(flow.json([1, 2]), 'each 1'));
      const sum = flow.script('a + b.len()', { a: flow.foreach(flow.json([10, 20, 30]), 'each 2'), b: all }, 1, 'sum');
      flow.output('out', flow.collect(sum.output('u'), 'sums'));
    },
    output: 'out=[12, 22, 32]',
    runs: [
      'json#0 → Source=[1u, 2u]',
      'each 1#0 array=[1u, 2u] → element=[1u, 2u]',
      'collect#0 element=[1u, 2u] → array=[1u, 2u]',
      'json#0 → Source=[10u, 20u, 30u]',
      'each 2#0 array=[10u, 20u, 30u] → element=[10u, 20u, 30u]',
      'sum#0 a=10u b=[1u, 2u] source="a + b.len()" → u=12',
      'sum#1 a=20u b=[1u, 2u] source="a + b.len()" → u=22',
      'sum#2 a=30u b=[1u, 2u] source="a + b.len()" → u=32',
      'sums#0 element=[12, 22, 32] → array=[12, 22, 32]',
      'out#0 out=[12, 22, 32] → out=[12, 22, 32]',
    ],
  },
  {
    title: 'two loops one after the other, of different lengths, each run to their end',
    flow: (flow) => {
      const first = flow.collect(flow.toText(flow.foreach(flow.json([1, 2]), 'each 1'), 'text 1'), 'collect 1');
      const joined = flow.use('to_vec', { first, second: flow.json(['x']) }, { title: 'join' }).output('result');
      flow.output('out', flow.collect(flow.foreach(flow.foreach(joined, 'each 2'), 'each 3'), 'collect 2'));
    },
    output: 'out=["1", "2", "x"]',
    runs: [
      'json#0 → Source=[1u, 2u]',
      'each 1#0 array=[1u, 2u] → element=[1u, 2u]',
      'text 1#0 stringify=1u → result="1"',
      'text 1#1 stringify=2u → result="2"',
      'collect 1#0 element=["1", "2"] → array=["1", "2"]',
      'json#0 → Source=["x"]',
      'join#0 first=["1", "2"] second=["x"] → result=[["1", "2"], ["x"]]',
      'each 2#0 array=[["1", "2"], ["x"]] → element=[["1", "2"], ["x"]]',
      'each 3#0 array=["1", "2"] → element=["1", "2"]',
      'each 3#1 array=["x"] → element=["x"]',
      'collect 2#0 element=["1", "2", "x"] → array=["1", "2", "x"]',
      'out#0 out=["1", "2", "x"] → out=["1", "2", "x"]',
    ],
  },
];
