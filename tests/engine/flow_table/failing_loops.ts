import type { FormJson } from '../../support/flow_builder.ts';
import type { FlowRow } from './row.ts';

const ROWS: FormJson = [{ a: 1, b: 1 }, { b: 2 }, { a: 3 }, { a: 4, b: 4 }];

/**
 * Loops with failed or skipped iterations. The results have no element at the indexes of these iterations; the other
 * elements keep their indexes.
 */
export const failingLoopRows: FlowRow[] = [
  {
    title: 'a failed iteration has no result at its index, and the later results keep their indexes',
    flow: (flow) => {
      const each = flow.foreach(flow.json(ROWS));
      const pair = flow.use('to_vec', { first: flow.field('a', each), second: each }, { title: 'pair' });
      flow.output('out', flow.collectOthers(pair.output('result')));
    },
    output: 'out=[[1u, {a=1u b=1u}], [3u, {a=3u}], [4u, {a=4u b=4u}]]',
    errors: ['a#1: json_or_string: there is no field "a"'],
    runs: [
      'json#0 → Source=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'foreach#0 array=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}] → element=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'a#0 field="a" json_or_string={a=1u b=1u} → result_json=1u result_string="1"',
      'a#1 field="a" json_or_string={b=2u} ✗ json_or_string: there is no field "a"',
      'a#2 field="a" json_or_string={a=3u} → result_json=3u result_string="3"',
      'a#3 field="a" json_or_string={a=4u b=4u} → result_json=4u result_string="4"',
      'pair#0 first=1u second={a=1u b=1u} → result=[1u, {a=1u b=1u}]',
      'pair#2 first=3u second={a=3u} → result=[3u, {a=3u}]',
      'pair#3 first=4u second={a=4u b=4u} → result=[4u, {a=4u b=4u}]',
      'collect#0 element=[[1u, {a=1u b=1u}], [3u, {a=3u}], [4u, {a=4u b=4u}]] → array=[[1u, {a=1u b=1u}], [3u, {a=3u}], [4u, {a=4u b=4u}]]',
      'out#0 out=[[1u, {a=1u b=1u}], [3u, {a=3u}], [4u, {a=4u b=4u}]] → out=[[1u, {a=1u b=1u}], [3u, {a=3u}], [4u, {a=4u b=4u}]]',
    ],
  },
  {
    title: 'a collect does not run if an element of its loop failed, and neither do the nodes behind it',
    flow: (flow) => {
      const a = flow.field('a', flow.foreach(flow.json(ROWS)));
      flow.use('test_act', { with: flow.toText(flow.collect(a), 'sum') }, { title: 'pays' });
    },
    output: '',
    errors: ['a#1: json_or_string: there is no field "a"'],
    notRun: ['collect', 'sum', 'pays'],
    runs: [
      'json#0 → Source=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'foreach#0 array=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}] → element=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'a#0 field="a" json_or_string={a=1u b=1u} → result_json=1u result_string="1"',
      'a#1 field="a" json_or_string={b=2u} ✗ json_or_string: there is no field "a"',
      'a#2 field="a" json_or_string={a=3u} → result_json=3u result_string="3"',
      'a#3 field="a" json_or_string={a=4u b=4u} → result_json=4u result_string="4"',
    ],
  },
  {
    title: 'a collect runs if the failure of an element was handled, and leaves that element out',
    flow: (flow) => {
      const each = flow.foreach(flow.json([{ a: 1 }, {}]));
      const a = flow.use('json_get_field', { json_or_string: each }, {
        form: { field: 'a' },
        title: 'a',
        handlesErrors: true,
      });
      flow.output('out', flow.collect(a.output('result_json')));
    },
    output: 'out=[1u]',
    runs: [
      'json#0 → Source=[{a=1u}, {}]',
      'foreach#0 array=[{a=1u}, {}] → element=[{a=1u}, {}]',
      'a#0 field="a" json_or_string={a=1u} → result_json=1u result_string="1"',
      'a#1 field="a" json_or_string={} ⤷ json_or_string: there is no field "a"',
      'collect#0 element=[1u] → array=[1u]',
      'out#0 out=[1u] → out=[1u]',
    ],
  },
  {
    title: 'two nodes that fail at different indices leave only the iterations in which both succeed',
    flow: (flow) => {
      const each = flow.foreach(flow.json(ROWS));
      const pair = flow.use('to_vec', { first: flow.field('a', each), second: flow.field('b', each) }, {
        title: 'pair',
      });
      flow.output('out', flow.collectOthers(pair.output('result')));
    },
    output: 'out=[[1u, 1u], [4u, 4u]]',
    errors: ['a#1: json_or_string: there is no field "a"', 'b#2: json_or_string: there is no field "b"'],
    runs: [
      'json#0 → Source=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'foreach#0 array=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}] → element=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'a#0 field="a" json_or_string={a=1u b=1u} → result_json=1u result_string="1"',
      'a#1 field="a" json_or_string={b=2u} ✗ json_or_string: there is no field "a"',
      'a#2 field="a" json_or_string={a=3u} → result_json=3u result_string="3"',
      'a#3 field="a" json_or_string={a=4u b=4u} → result_json=4u result_string="4"',
      'b#0 field="b" json_or_string={a=1u b=1u} → result_json=1u result_string="1"',
      'b#1 field="b" json_or_string={b=2u} → result_json=2u result_string="2"',
      'b#2 field="b" json_or_string={a=3u} ✗ json_or_string: there is no field "b"',
      'b#3 field="b" json_or_string={a=4u b=4u} → result_json=4u result_string="4"',
      'pair#0 first=1u second=1u → result=[1u, 1u]',
      'pair#3 first=4u second=4u → result=[4u, 4u]',
      'collect#0 element=[[1u, 1u], [4u, 4u]] → array=[[1u, 1u], [4u, 4u]]',
      'out#0 out=[[1u, 1u], [4u, 4u]] → out=[[1u, 1u], [4u, 4u]]',
    ],
  },
  {
    title: 'if a node skips an iteration, all nodes that need its output skip the same iteration',
    flow: (flow) => {
      const a = flow.field('a', flow.foreach(flow.json(ROWS)));
      const loud = flow.use('print', { print: a }, { title: 'loud' }).passthrough('print');
      flow.output('out', flow.use('print', { print: loud }, { title: 'louder' }).passthrough('print'));
    },
    output: 'out=[1u, 3u, 4u]',
    errors: ['a#1: json_or_string: there is no field "a"'],
    runs: [
      'json#0 → Source=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'foreach#0 array=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}] → element=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'a#0 field="a" json_or_string={a=1u b=1u} → result_json=1u result_string="1"',
      'a#1 field="a" json_or_string={b=2u} ✗ json_or_string: there is no field "a"',
      'a#2 field="a" json_or_string={a=3u} → result_json=3u result_string="3"',
      'a#3 field="a" json_or_string={a=4u b=4u} → result_json=4u result_string="4"',
      'loud#0 print=1u → __print_output="1" print=1u',
      'loud#2 print=3u → __print_output="3" print=3u',
      'loud#3 print=4u → __print_output="4" print=4u',
      'louder#0 print=1u → __print_output="1" print=1u',
      'louder#2 print=3u → __print_output="3" print=3u',
      'louder#3 print=4u → __print_output="4" print=4u',
      'out#0 out=1u → out=1u',
      'out#2 out=3u → out=3u',
      'out#3 out=4u → out=4u',
    ],
    logs: [
      'Info loud#0: 1',
      'Info louder#0: 1',
      'Info loud#2: 3',
      'Info loud#3: 4',
      'Info louder#2: 3',
      'Info louder#3: 4',
    ],
  },
  {
    title:
      'for a failed iteration, a node runs if its flow lets it run without the value, and a collect gets all elements',
    flow: (flow) => {
      const a = flow.field('a', flow.foreach(flow.json(ROWS)));
      const rescue = flow.script('if a == () { "none" } else { a }', { a }, 1, 'rescue');
      flow.declare(rescue, 'a', { when_absent: 'run' });
      flow.output('out', flow.collect(rescue.output('u')));
    },
    output: 'out=[1, "none", 3, 4]',
    errors: ['a#1: json_or_string: there is no field "a"'],
    runs: [
      'json#0 → Source=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'foreach#0 array=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}] → element=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'a#0 field="a" json_or_string={a=1u b=1u} → result_json=1u result_string="1"',
      'a#1 field="a" json_or_string={b=2u} ✗ json_or_string: there is no field "a"',
      'a#2 field="a" json_or_string={a=3u} → result_json=3u result_string="3"',
      'a#3 field="a" json_or_string={a=4u b=4u} → result_json=4u result_string="4"',
      'rescue#0 a=1u source="if a == () { \\"none\\" } else { a }" → u=1',
      'rescue#1 source="if a == () { \\"none\\" } else { a }" → u="none"',
      'rescue#2 a=3u source="if a == () { \\"none\\" } else { a }" → u=3',
      'rescue#3 a=4u source="if a == () { \\"none\\" } else { a }" → u=4',
      'collect#0 element=[1, "none", 3, 4] → array=[1, "none", 3, 4]',
      'out#0 out=[1, "none", 3, 4] → out=[1, "none", 3, 4]',
    ],
  },
  {
    title: 'the error line of the first iteration contains its index, as for the others',
    flow: (flow) => flow.output('out', flow.field('b', flow.foreach(flow.json([{}, { b: 1 }])))),
    output: 'out=1u',
    errors: ['b#0: json_or_string: there is no field "b"'],
    runs: [
      'json#0 → Source=[{}, {b=1u}]',
      'foreach#0 array=[{}, {b=1u}] → element=[{}, {b=1u}]',
      'b#0 field="b" json_or_string={} ✗ json_or_string: there is no field "b"',
      'b#1 field="b" json_or_string={b=1u} → result_json=1u result_string="1"',
      'out#1 out=1u → out=1u',
    ],
  },
  {
    title:
      'if every iteration of a loop fails, a collect of the others gives an empty array, and all other nodes behind the loop do not run',
    flow: (flow) => {
      const a = flow.field('a', flow.foreach(flow.json([{}, {}])));
      flow.output('others', flow.collectOthers(a));
      flow.output('all', flow.collect(a, 'all elements'));
      flow.output('each', a);
    },
    output: 'others=[]',
    errors: ['a#0: json_or_string: there is no field "a"', 'a#1: json_or_string: there is no field "a"'],
    notRun: ['all elements', 'all', 'each'],
    runs: [
      'json#0 → Source=[{}, {}]',
      'foreach#0 array=[{}, {}] → element=[{}, {}]',
      'a#0 field="a" json_or_string={} ✗ json_or_string: there is no field "a"',
      'a#1 field="a" json_or_string={} ✗ json_or_string: there is no field "a"',
      'collect#0 element=[] → array=[]',
      'others#0 others=[] → others=[]',
    ],
  },
  {
    title: 'a foreach that does not run because of a failure starts no loop, and a collect behind it does not run',
    flow: (flow) => {
      const a = flow.foreach(flow.field('x', flow.json({})));
      flow.output('out', flow.collect(flow.use('print', { print: a }, { title: 'print' }).passthrough('print')));
    },
    output: '',
    errors: ['x: json_or_string: there is no field "x"'],
    notRun: ['foreach', 'print', 'collect', 'out'],
    runs: [
      'json#0 → Source={}',
      'x#0 field="x" json_or_string={} ✗ json_or_string: there is no field "x"',
    ],
  },
  {
    title: 'two loops of which one has failures are paired by index, and not in the order of successes',
    flow: (flow) => {
      const names = flow.foreach(flow.json(['w', 'x', 'y', 'z']), 'names');
      const a = flow.field('a', flow.foreach(flow.json(ROWS), 'rows'));
      flow.output(
        'out',
        flow.collectOthers(flow.use('to_vec', { first: names, second: a }, { title: 'pair' }).output('result')),
      );
    },
    output: 'out=[["w", 1u], ["y", 3u], ["z", 4u]]',
    errors: ['a#1: json_or_string: there is no field "a"'],
    runs: [
      'json#0 → Source=["w", "x", "y", "z"]',
      'names#0 array=["w", "x", "y", "z"] → element=["w", "x", "y", "z"]',
      'json#0 → Source=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'rows#0 array=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}] → element=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'a#0 field="a" json_or_string={a=1u b=1u} → result_json=1u result_string="1"',
      'a#1 field="a" json_or_string={b=2u} ✗ json_or_string: there is no field "a"',
      'a#2 field="a" json_or_string={a=3u} → result_json=3u result_string="3"',
      'a#3 field="a" json_or_string={a=4u b=4u} → result_json=4u result_string="4"',
      'pair#0 first="w" second=1u → result=["w", 1u]',
      'pair#2 first="y" second=3u → result=["y", 3u]',
      'pair#3 first="z" second=4u → result=["z", 4u]',
      'collect#0 element=[["w", 1u], ["y", 3u], ["z", 4u]] → array=[["w", 1u], ["y", 3u], ["z", 4u]]',
      'out#0 out=[["w", 1u], ["y", 3u], ["z", 4u]] → out=[["w", 1u], ["y", 3u], ["z", 4u]]',
    ],
  },
  {
    title: 'if the last iteration of the shorter loop fails, the zip still ends with that loop',
    flow: (flow) => {
      const a = flow.field('a', flow.foreach(flow.json([{ a: 1 }, {}]), 'rows'));
      const names = flow.foreach(flow.json(['x', 'y', 'z']), 'names');
      flow.output(
        'out',
        flow.collectOthers(flow.use('to_vec', { first: a, second: names }, { title: 'pair' }).output('result')),
      );
    },
    output: 'out=[[1u, "x"]]',
    errors: ['a#1: json_or_string: there is no field "a"'],
    runs: [
      'json#0 → Source=[{a=1u}, {}]',
      'rows#0 array=[{a=1u}, {}] → element=[{a=1u}, {}]',
      'a#0 field="a" json_or_string={a=1u} → result_json=1u result_string="1"',
      'a#1 field="a" json_or_string={} ✗ json_or_string: there is no field "a"',
      'json#0 → Source=["x", "y", "z"]',
      'names#0 array=["x", "y", "z"] → element=["x", "y", "z"]',
      'pair#0 first=1u second="x" → result=[1u, "x"]',
      'collect#0 element=[[1u, "x"]] → array=[[1u, "x"]]',
      'out#0 out=[[1u, "x"]] → out=[[1u, "x"]]',
    ],
  },
  {
    title: 'a slow loop with failures pairs with a fast one',
    flow: (flow) => {
      const each = flow.foreach(flow.json(ROWS));
      const slow = flow.field('a', flow.wait(each, 1));
      const merge = flow.script('[a, b]', { a: flow.field('b', each), b: slow }, 1, 'merge').output('u');
      flow.output('out', flow.collect(merge));
    },
    output: 'out=[[1, 1], [2, null], [null, 3], [4, 4]]',
    errors: ['a#1: json_or_string: there is no field "a"', 'b#2: json_or_string: there is no field "b"'],
    runs: [
      'json#0 → Source=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'foreach#0 array=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}] → element=[{a=1u b=1u}, {b=2u}, {a=3u}, {a=4u b=4u}]',
      'wait#0 duration_ms=1u value={a=1u b=1u} wait_for=true → value={a=1u b=1u} wait_for=true',
      'wait#1 duration_ms=1u value={b=2u} wait_for=true → value={b=2u} wait_for=true',
      'wait#2 duration_ms=1u value={a=3u} wait_for=true → value={a=3u} wait_for=true',
      'wait#3 duration_ms=1u value={a=4u b=4u} wait_for=true → value={a=4u b=4u} wait_for=true',
      'a#0 field="a" json_or_string={a=1u b=1u} → result_json=1u result_string="1"',
      'a#1 field="a" json_or_string={b=2u} ✗ json_or_string: there is no field "a"',
      'a#2 field="a" json_or_string={a=3u} → result_json=3u result_string="3"',
      'a#3 field="a" json_or_string={a=4u b=4u} → result_json=4u result_string="4"',
      'b#0 field="b" json_or_string={a=1u b=1u} → result_json=1u result_string="1"',
      'b#1 field="b" json_or_string={b=2u} → result_json=2u result_string="2"',
      'b#2 field="b" json_or_string={a=3u} ✗ json_or_string: there is no field "b"',
      'b#3 field="b" json_or_string={a=4u b=4u} → result_json=4u result_string="4"',
      'merge#0 a=1u b=1u source="[a, b]" → u=[1, 1]',
      'merge#1 a=2u source="[a, b]" → u=[2, null]',
      'merge#2 b=3u source="[a, b]" → u=[null, 3]',
      'merge#3 a=4u b=4u source="[a, b]" → u=[4, 4]',
      'collect#0 element=[[1, 1], [2, null], [null, 3], [4, 4]] → array=[[1, 1], [2, null], [null, 3], [4, 4]]',
      'out#0 out=[[1, 1], [2, null], [null, 3], [4, 4]] → out=[[1, 1], [2, null], [null, 3], [4, 4]]',
    ],
  },
];
