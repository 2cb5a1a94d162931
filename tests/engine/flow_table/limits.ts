import type { FlowBuilder, FormJson, Port } from '../../support/flow_builder.ts';
import { d, type FlowRow, s } from './row.ts';

/** Makes nested arrays. */
const nestedJson = (levels: number): FormJson => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

/** Nests the value in this many arrays. Each array is made by its own node. */
const nest = (flow: FlowBuilder, value: Port, levels: number): Port => {
  let nested = value;
  for (let level = 1; level <= levels; level++) nested = flow.collect(nested, `level ${level}`);
  return nested;
};

/** The limits of a run and of a value. */
export const limitRows: FlowRow[] = [
  {
    title: 'a run with the greatest allowed number of node executions succeeds',
    flow: (flow) => flow.output('out', flow.collect(flow.toText(flow.foreach(flow.input('list'))))),
    inputs: { list: { A: [d(1), d(2)] } },
    options: { limits: { nodeExecutions: 6 } },
    output: 'out=["1", "2"]',
    runs: [
      'list#0 list=[1, 2] → list=[1, 2]',
      'foreach#0 array=[1, 2] → element=[1, 2]',
      'to_string#0 stringify=1 → result="1"',
      'to_string#1 stringify=2 → result="2"',
      'collect#0 element=["1", "2"] → array=["1", "2"]',
      'out#0 out=["1", "2"] → out=["1", "2"]',
    ],
  },
  {
    title: 'the first execution beyond the limit does not begin, and the run fails and keeps its outputs',
    flow: (flow) => {
      flow.output('early', flow.constant(s('early')));
      flow.output('out', flow.toText(flow.toText(flow.input('n'), 'text 1'), 'text 2'));
    },
    inputs: { n: d(1) },
    options: { limits: { nodeExecutions: 4 } },
    output: 'early="early"',
    errors: ['node_executions_limit: more than 4 node executions in one run'],
    notRun: ['text 2', 'out'],
    runs: [
      'const#0 → Source="early"',
      'early#0 early="early" → early="early"',
      'n#0 n=1 → n=1',
      'text 1#0 stringify=1 → result="1"',
    ],
  },
  {
    title: 'the executions of called flows are counted with those of their caller',
    flow: (flow) => {
      const call = flow.interflow(1, { n: flow.foreach(flow.range(flow.constant(d(5)))) }, ['out'], 'call');
      flow.output('out', flow.collect(call.output('out')));
    },
    flows: { 1: (flow) => flow.output('out', flow.toText(flow.input('n'))) },
    options: { limits: { nodeExecutions: 9 } },
    output: '',
    errors: [
      'node_executions_limit: more than 9 node executions in one run',
      'call#1: node_executions_limit: more than 9 node executions in one run',
    ],
    notRun: ['collect', 'out'],
    runs: [
      'const#0 → Source=5',
      'range#0 end=5 start=0u → result=[0, 1, 2, 3, 4]',
      'foreach#0 array=[0, 1, 2, 3, 4] → element=[0, 1, 2, 3, 4]',
      'call#0 n=0 → out="0"',
      'call#0 > n#0 n=0 → n=0',
      'call#0 > to_string#0 stringify=0 → result="0"',
      'call#0 > out#0 out="0" → out="0"',
      'call#1 n=1 ✗ node_executions_limit: more than 9 node executions in one run',
      'call#1 > n#0 n=1 → n=1',
    ],
  },
  {
    title: 'a node fails if its outputs, with its passed-on inputs, are larger than allowed',
    flow: (flow) => {
      const text = flow.constant(s('x'.repeat(60)), 'x');
      flow.output('out', flow.use('print', { print: text }, { title: 'print' }).passthrough('print'));
    },
    options: { limits: { outputBytes: 100 } },
    output: '',
    errors: ['print: output_too_large: the outputs of a node may hold 100 bytes, but these hold 138'],
    notRun: ['out'],
    runs: [
      'x#0 → Source="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
      'print#0 print="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" ✗ output_too_large: the outputs of a node may hold 100 bytes, but these hold 138',
    ],
    logs: ['Info print#0: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'],
  },
  {
    title: 'if all outputs together are larger than allowed, the node whose outputs exceed the limit fails',
    flow: (flow) => {
      const text = flow.constant(s('x'.repeat(40)), 'x');
      flow.output('out', flow.toText(flow.toText(text, 'text 1'), 'text 2'));
    },
    options: { limits: { allOutputBytes: 240 } },
    output: '',
    errors: [
      'text 2: run_outputs_limit: the outputs of all nodes of a run may hold 240 bytes; with these outputs they would hold 243',
    ],
    notRun: ['out'],
    runs: [
      'x#0 → Source="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
      'text 1#0 stringify="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" → result="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
      'text 2#0 stringify="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" ✗ run_outputs_limit: the outputs of all nodes of a run may hold 240 bytes; with these outputs they would hold 243',
    ],
  },
  {
    title: 'a NUL in an output fails its node',
    flow: (flow) => flow.output('out', flow.use('test_nul', {}, { title: 'nul' }).output('out')),
    output: '',
    errors: ['nul: output out: a text holds NUL or half a surrogate pair'],
    notRun: ['out'],
    runs: ['nul#0 ✗ output out: a text holds NUL or half a surrogate pair'],
  },
  {
    title: 'a NUL in a text or a name of a JSON constant fails the constant',
    flow: (flow) => {
      flow.json(['a\0b'], 'value');
      flow.json({ 'a\0b': 1 }, 'name');
    },
    output: '',
    errors: [
      'value: output Source: a text holds NUL or half a surrogate pair',
      'name: output Source: a name holds NUL or half a surrogate pair',
    ],
    runs: [
      'value#0 ✗ output Source: a text holds NUL or half a surrogate pair',
      'name#0 ✗ output Source: a name holds NUL or half a surrogate pair',
    ],
  },
  {
    title: 'a value may have at most 64 levels, even if each node adds only one',
    // The constant has 61 levels, and each collect adds one more.
    flow: (flow) => flow.output('out', nest(flow, flow.json(nestedJson(61)), 4)),
    output: '',
    errors: ['level 4: output array: is nested deeper than 64 levels'],
    notRun: ['out'],
    runs: [
      'json#0 → Source=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]',
      'level 1#0 element=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]] → array=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]',
      'level 2#0 element=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]] → array=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]',
      'level 3#0 element=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]] → array=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]',
      'level 4#0 element=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]] ✗ output array: is nested deeper than 64 levels',
    ],
  },
  {
    title: 'form data that is nested deeper than the limit fails only its own node',
    flow: (flow) => {
      flow.use('to_string', {}, { form: { stringify: nestedJson(65) }, title: 'deep' });
      flow.output('kept', flow.constant(d(1)));
    },
    output: 'kept=1',
    errors: [
      'deep: form_data.stringify.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0: is nested deeper than 64 levels',
    ],
    runs: [
      'deep#0 ✗ form_data.stringify.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0: is nested deeper than 64 levels',
      'const#0 → Source=1',
      'kept#0 kept=1 → kept=1',
    ],
  },
  {
    title: 'a long error keeps its beginning and its end',
    flow: (flow) => {
      flow.use('test_long_error', {}, { title: 'long' });
    },
    output: '',
    errors: [`long: ${'x'.repeat(1_000)} … (6000 characters left out) … ${'x'.repeat(3_000)}`],
    runs: [
      'long#0 ✗ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx … xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    ],
  },
];
