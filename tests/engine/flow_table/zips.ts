import type { FlowRow } from './row.ts';

/** Loops that are joined by index. */
export const zipRows: FlowRow[] = [
  {
    title: 'two loops of one length are zipped by index',
    flow: (flow) => {
      const [a, b] = [flow.foreach(flow.json(['a', 'b']), 'each 1'), flow.foreach(flow.json([1, 2]), 'each 2')];
      flow.output('out', flow.collect(flow.use('to_vec', { first: a, second: b }, { title: 'pair' }).output('result')));
    },
    output: 'out=[["a", 1u], ["b", 2u]]',
    runs: [
      'json#0 → Source=["a", "b"]',
      'each 1#0 array=["a", "b"] → element=["a", "b"]',
      'json#0 → Source=[1u, 2u]',
      'each 2#0 array=[1u, 2u] → element=[1u, 2u]',
      'pair#0 first="a" second=1u → result=["a", 1u]',
      'pair#1 first="b" second=2u → result=["b", 2u]',
      'collect#0 element=[["a", 1u], ["b", 2u]] → array=[["a", 1u], ["b", 2u]]',
      'out#0 out=[["a", 1u], ["b", 2u]] → out=[["a", 1u], ["b", 2u]]',
    ],
  },
  {
    title: 'a zip of required inputs ends with the shorter loop',
    flow: (flow) => {
      const [a, b] = [flow.foreach(flow.json(['a', 'b', 'c']), 'each 1'), flow.foreach(flow.json([1, 2]), 'each 2')];
      flow.output('out', flow.collect(flow.use('to_vec', { first: a, second: b }, { title: 'pair' }).output('result')));
    },
    output: 'out=[["a", 1u], ["b", 2u]]',
    runs: [
      'json#0 → Source=["a", "b", "c"]',
      'each 1#0 array=["a", "b", "c"] → element=["a", "b", "c"]',
      'json#0 → Source=[1u, 2u]',
      'each 2#0 array=[1u, 2u] → element=[1u, 2u]',
      'pair#0 first="a" second=1u → result=["a", 1u]',
      'pair#1 first="b" second=2u → result=["b", 2u]',
      'collect#0 element=[["a", 1u], ["b", 2u]] → array=[["a", 1u], ["b", 2u]]',
      'out#0 out=[["a", 1u], ["b", 2u]] → out=[["a", 1u], ["b", 2u]]',
    ],
  },
  {
    title: 'a zip with an optional input goes on without it when its loop is the shorter one',
    flow: (flow) => {
      const [a, b] = [flow.foreach(flow.json(['a', 'b', 'c']), 'each 1'), flow.foreach(flow.json([1]), 'each 2')];
      const node = flow.script('if b == () { a } else { `${a}${b}` }', { a, b }, 1, 'join');
      flow.output('out', flow.collect(node.output('u')));
    },
    output: 'out=["a1", "b", "c"]',
    runs: [
      'json#0 → Source=["a", "b", "c"]',
      'each 1#0 array=["a", "b", "c"] → element=["a", "b", "c"]',
      'json#0 → Source=[1u]',
      'each 2#0 array=[1u] → element=[1u]',
      'join#0 a="a" b=1u source="if b == () { a } else { `${a}${b}` }" → u="a1"',
      'join#1 a="b" source="if b == () { a } else { `${a}${b}` }" → u="b"',
      'join#2 a="c" source="if b == () { a } else { `${a}${b}` }" → u="c"',
      'collect#0 element=["a1", "b", "c"] → array=["a1", "b", "c"]',
      'out#0 out=["a1", "b", "c"] → out=["a1", "b", "c"]',
    ],
  },
  {
    title: 'if one of two zipped loops is empty, no node that needs elements of both runs',
    flow: (flow) => {
      const [a, b] = [flow.foreach(flow.json(['a']), 'each 1'), flow.foreach(flow.json([]), 'each 2')];
      flow.output('out', flow.collect(flow.use('to_vec', { first: a, second: b }, { title: 'pair' }).output('result')));
    },
    output: 'out=[]',
    notRun: ['pair'],
    runs: [
      'json#0 → Source=["a"]',
      'each 1#0 array=["a"] → element=["a"]',
      'json#0 → Source=[]',
      'each 2#0 array=[] → element=[]',
      'collect#0 element=[] → array=[]',
      'out#0 out=[] → out=[]',
    ],
  },
  {
    title: 'two paths from one foreach are joined by index, even if one path is longer',
    flow: (flow) => {
      const each = flow.foreach(flow.json([1, 2, 3]));
      const long = flow.toText(flow.wait(each, 1), 'text');
      flow.output(
        'out',
        flow.collect(flow.use('to_vec', { first: each, second: long }, { title: 'pair' }).output('result')),
      );
    },
    output: 'out=[[1u, "1"], [2u, "2"], [3u, "3"]]',
    runs: [
      'json#0 → Source=[1u, 2u, 3u]',
      'foreach#0 array=[1u, 2u, 3u] → element=[1u, 2u, 3u]',
      'wait#0 duration_ms=1u value=1u wait_for=true → value=1u wait_for=true',
      'wait#1 duration_ms=1u value=2u wait_for=true → value=2u wait_for=true',
      'wait#2 duration_ms=1u value=3u wait_for=true → value=3u wait_for=true',
      'text#0 stringify=1u → result="1"',
      'text#1 stringify=2u → result="2"',
      'text#2 stringify=3u → result="3"',
      'pair#0 first=1u second="1" → result=[1u, "1"]',
      'pair#1 first=2u second="2" → result=[2u, "2"]',
      'pair#2 first=3u second="3" → result=[3u, "3"]',
      'collect#0 element=[[1u, "1"], [2u, "2"], [3u, "3"]] → array=[[1u, "1"], [2u, "2"], [3u, "3"]]',
      'out#0 out=[[1u, "1"], [2u, "2"], [3u, "3"]] → out=[[1u, "1"], [2u, "2"], [3u, "3"]]',
    ],
  },
  {
    title: 'a merge with optional inputs pairs the elements of a slow and a fast loop by index',
    flow: (flow) => {
      const each = flow.foreach(flow.json([1, 2, 3]));
      const slow = flow.toText(flow.wait(each, 1), 'slow');
      const merge = flow.script('`${a} ${b}`', { a: slow, b: flow.toText(each, 'fast') }, 1, 'merge');
      flow.output('out', flow.collect(merge.output('u')));
    },
    output: 'out=["1 1", "2 2", "3 3"]',
    runs: [
      'json#0 → Source=[1u, 2u, 3u]',
      'foreach#0 array=[1u, 2u, 3u] → element=[1u, 2u, 3u]',
      'wait#0 duration_ms=1u value=1u wait_for=true → value=1u wait_for=true',
      'wait#1 duration_ms=1u value=2u wait_for=true → value=2u wait_for=true',
      'wait#2 duration_ms=1u value=3u wait_for=true → value=3u wait_for=true',
      'slow#0 stringify=1u → result="1"',
      'slow#1 stringify=2u → result="2"',
      'slow#2 stringify=3u → result="3"',
      'fast#0 stringify=1u → result="1"',
      'fast#1 stringify=2u → result="2"',
      'fast#2 stringify=3u → result="3"',
      'merge#0 a="1" b="1" source="`${a} ${b}`" → u="1 1"',
      'merge#1 a="2" b="2" source="`${a} ${b}`" → u="2 2"',
      'merge#2 a="3" b="3" source="`${a} ${b}`" → u="3 3"',
      'collect#0 element=["1 1", "2 2", "3 3"] → array=["1 1", "2 2", "3 3"]',
      'out#0 out=["1 1", "2 2", "3 3"] → out=["1 1", "2 2", "3 3"]',
    ],
  },
  {
    title: 'an optional input from an empty loop is missing in every iteration of another loop',
    flow: (flow) => {
      const [a, b] = [flow.foreach(flow.json([1, 2]), 'each 1'), flow.foreach(flow.json([]), 'each 2')];
      flow.output('out', flow.collect(flow.script('[a, b == ()]', { a, b }, 1, 'join').output('u')));
    },
    output: 'out=[[1, true], [2, true]]',
    runs: [
      'json#0 → Source=[1u, 2u]',
      'each 1#0 array=[1u, 2u] → element=[1u, 2u]',
      'json#0 → Source=[]',
      'each 2#0 array=[] → element=[]',
      'join#0 a=1u source="[a, b == ()]" → u=[1, true]',
      'join#1 a=2u source="[a, b == ()]" → u=[2, true]',
      'collect#0 element=[[1, true], [2, true]] → array=[[1, true], [2, true]]',
      'out#0 out=[[1, true], [2, true]] → out=[[1, true], [2, true]]',
    ],
  },
  {
    title: 'a choice in a loop sends each element along its own path, and the paths are joined by index',
    flow: (flow) => {
      const each = flow.foreach(flow.json([1, 2, 3, 4]));
      const choice = flow.script('let u = if a % 2 == 0 { a }; let v = if a % 2 != 0 { a };', { a: each }, 2, 'even');
      const even = flow.use('print', { print: choice.output('u') }, { title: 'even' }).passthrough('print');
      const odd = flow.use('print', { print: choice.output('v') }, { title: 'odd' }).passthrough('print');
      const merge = flow.script('if a != () { `even ${a}` } else { `odd ${b}` }', { a: even, b: odd }, 1, 'merge');
      flow.output('out', flow.collect(merge.output('u')));
    },
    output: 'out=["odd 1", "even 2", "odd 3", "even 4"]',
    runs: [
      'json#0 → Source=[1u, 2u, 3u, 4u]',
      'foreach#0 array=[1u, 2u, 3u, 4u] → element=[1u, 2u, 3u, 4u]',
      'even#0 a=1u source="let u = if a % 2 == 0 { a }; let v = if a % 2 != 0 { a };" → v=1',
      'even#1 a=2u source="let u = if a % 2 == 0 { a }; let v = if a % 2 != 0 { a };" → u=2',
      'even#2 a=3u source="let u = if a % 2 == 0 { a }; let v = if a % 2 != 0 { a };" → v=3',
      'even#3 a=4u source="let u = if a % 2 == 0 { a }; let v = if a % 2 != 0 { a };" → u=4',
      'even#1 print=2 → __print_output="2" print=2',
      'even#3 print=4 → __print_output="4" print=4',
      'odd#0 print=1 → __print_output="1" print=1',
      'odd#2 print=3 → __print_output="3" print=3',
      'merge#0 b=1 source="if a != () { `even ${a}` } else { `odd ${b}` }" → u="odd 1"',
      'merge#1 a=2 source="if a != () { `even ${a}` } else { `odd ${b}` }" → u="even 2"',
      'merge#2 b=3 source="if a != () { `even ${a}` } else { `odd ${b}` }" → u="odd 3"',
      'merge#3 a=4 source="if a != () { `even ${a}` } else { `odd ${b}` }" → u="even 4"',
      'collect#0 element=["odd 1", "even 2", "odd 3", "even 4"] → array=["odd 1", "even 2", "odd 3", "even 4"]',
      'out#0 out=["odd 1", "even 2", "odd 3", "even 4"] → out=["odd 1", "even 2", "odd 3", "even 4"]',
    ],
    logs: ['Info odd#0: 1', 'Info even#1: 2', 'Info odd#2: 3', 'Info even#3: 4'],
  },
];
