import type { FlowBuilder } from '../../support/flow_builder.ts';
import { d, type FlowRow, list, s } from './row.ts';

/** A flow that outputs its input n plus one. */
export const plusOne = (flow: FlowBuilder) => {
  flow.output('out', flow.script('a + 1', { a: flow.input('n', 0) }, 1, 'plus one').output('u'));
};

/** A flow that has the id 1 and calls itself with n - 1, until n is 0. It outputs the depth of the calls. */
export const countDown = (flow: FlowBuilder) => {
  const n = flow.input('n');
  const step = flow.script('let u = if a > 0 { a - 1 }; let v = if a == 0 { 0 };', { a: n }, 2, 'step');
  const below = flow.interflow(1, { n: step.output('u') }, ['depth?'], 'below').output('depth');
  const depth = flow.script('if a != () { a + 1 } else { b }', { a: below, b: step.output('v') }, 1, 'depth');
  flow.output('depth', depth.output('u'), 'out');
};

const environmentOf = (name: string) => (flow: FlowBuilder) => {
  flow.output(name, flow.script('ENV', {}, 1, `env ${name}`).output('u'), `out ${name}`);
};

/** Flows that call flows. */
export const interflowRows: FlowRow[] = [
  {
    title: 'a called flow runs with the inputs of its node, and its outputs are those of the node',
    flow: (flow) => flow.output('out', flow.interflow(1, { n: flow.input('n') }, ['out'], 'call').output('out')),
    flows: { 1: plusOne },
    inputs: { n: d(1) },
    output: 'out=2',
    runs: [
      'n#0 n=1 → n=1',
      'call#0 n=1 → out=2',
      'call#0 > n#0 n=1 → n=1',
      'call#0 > plus one#0 a=1 source="a + 1" → u=2',
      'call#0 > out#0 out=2 → out=2',
      'out#0 out=2 → out=2',
    ],
  },
  {
    title: 'a called flow sees the inputs of its node only, never those of its caller',
    flow: (flow) => flow.output('out', flow.interflow(1, {}, ['out'], 'call').output('out')),
    flows: { 1: plusOne },
    inputs: { n: d(41) },
    output: 'out=1',
    runs: [
      'call#0 → out=1',
      'call#0 > n#0 → n=0u',
      'call#0 > plus one#0 a=0u source="a + 1" → u=1',
      'call#0 > out#0 out=1 → out=1',
      'out#0 out=1 → out=1',
    ],
  },
  {
    title: 'a flow that is called twice has two separate runs',
    flow: (flow) => {
      const first = flow.interflow(1, { n: flow.input('n') }, ['out'], 'first').output('out');
      flow.output('out', flow.interflow(1, { n: first }, ['out'], 'second').output('out'));
    },
    flows: { 1: plusOne },
    inputs: { n: d(1) },
    output: 'out=3',
    runs: [
      'n#0 n=1 → n=1',
      'first#0 n=1 → out=2',
      'first#0 > n#0 n=1 → n=1',
      'first#0 > plus one#0 a=1 source="a + 1" → u=2',
      'first#0 > out#0 out=2 → out=2',
      'second#0 n=2 → out=3',
      'second#0 > n#0 n=2 → n=2',
      'second#0 > plus one#0 a=2 source="a + 1" → u=3',
      'second#0 > out#0 out=3 → out=3',
      'out#0 out=3 → out=3',
    ],
  },
  {
    title: 'a flow called in a loop runs once per element',
    flow: (flow) => {
      const call = flow.interflow(1, { n: flow.foreach(flow.input('list')) }, ['out'], 'call');
      flow.output('out', flow.collect(call.output('out')));
    },
    flows: { 1: plusOne },
    inputs: { list: list(d(1), d(2)) },
    output: 'out=[2, 3]',
    runs: [
      'list#0 list=[1, 2] → list=[1, 2]',
      'foreach#0 array=[1, 2] → element=[1, 2]',
      'call#0 n=1 → out=2',
      'call#0 > n#0 n=1 → n=1',
      'call#0 > plus one#0 a=1 source="a + 1" → u=2',
      'call#0 > out#0 out=2 → out=2',
      'call#1 n=2 → out=3',
      'call#1 > n#0 n=2 → n=2',
      'call#1 > plus one#0 a=2 source="a + 1" → u=3',
      'call#1 > out#0 out=3 → out=3',
      'collect#0 element=[2, 3] → array=[2, 3]',
      'out#0 out=[2, 3] → out=[2, 3]',
    ],
  },
  {
    title: 'a flow calls itself until its base case',
    flow: countDown,
    flows: { 1: countDown },
    inputs: { n: d(2) },
    output: 'depth=2i',
    runs: [
      'n#0 n=2 → n=2',
      'step#0 a=2 source="let u = if a > 0 { a - 1 }; let v = if a == 0 { 0 };" → u=1',
      'below#0 n=1 → depth=1i',
      'below#0 > n#0 n=1 → n=1',
      'below#0 > step#0 a=1 source="let u = if a > 0 { a - 1 }; let v = if a == 0 { 0 };" → u=0',
      'below#0 > below#0 n=0 → depth=0i',
      'below#0 > below#0 > n#0 n=0 → n=0',
      'below#0 > below#0 > step#0 a=0 source="let u = if a > 0 { a - 1 }; let v = if a == 0 { 0 };" → v=0i',
      'below#0 > below#0 > depth#0 b=0i source="if a != () { a + 1 } else { b }" → u=0i',
      'below#0 > below#0 > out#0 depth=0i → depth=0i',
      'below#0 > depth#0 a=0i source="if a != () { a + 1 } else { b }" → u=1i',
      'below#0 > out#0 depth=1i → depth=1i',
      'depth#0 a=1i source="if a != () { a + 1 } else { b }" → u=2i',
      'out#0 depth=2i → depth=2i',
    ],
  },
  {
    title: 'a called flow has its own environment',
    flow: (flow) => {
      environmentOf('own')(flow);
      flow.output('called', flow.interflow(1, {}, ['inner'], 'call').output('inner'), 'out');
    },
    flows: { 1: environmentOf('inner') },
    options: { environment: { KEY: 'of the caller' } },
    output: 'called={} own={KEY="of the caller"}',
    runs: [
      'env own#0 source="ENV" → u={KEY="of the caller"}',
      'out own#0 own={KEY="of the caller"} → own={KEY="of the caller"}',
      'call#0 → inner={}',
      'call#0 > env inner#0 source="ENV" → u={}',
      'call#0 > out inner#0 inner={} → inner={}',
      'out#0 called={} → called={}',
    ],
  },
  {
    title: 'an input that a call passes on is an output of the calling node, and not of the called flow',
    flow: (flow) => {
      const call = flow.node('interflow', { inputs: ['n»'], outputs: ['out'], form: { id: 1 }, title: 'call' });
      flow.connect(flow.input('n'), call.input('n'));
      flow.output('n', call.passthrough('n'), 'given');
      flow.output('out', call.output('out'));
    },
    flows: { 1: plusOne },
    inputs: { n: d(1) },
    output: 'n=1 out=2',
    runs: [
      'call#0 n=1 → n=1 out=2',
      'call#0 > n#0 n=1 → n=1',
      'call#0 > plus one#0 a=1 source="a + 1" → u=2',
      'call#0 > out#0 out=2 → out=2',
      'n#0 n=1 → n=1',
      'given#0 n=1 → n=1',
      'out#0 out=2 → out=2',
    ],
  },
  {
    title: 'a loop in a called flow gives an array to its caller, which may loop over it',
    flow: (flow) => {
      const texts = flow.interflow(1, { list: flow.input('list') }, ['texts'], 'call').output('texts');
      flow.output('out', flow.foreach(texts, 'each text'));
    },
    flows: { 1: (flow) => flow.output('texts', flow.toText(flow.foreach(flow.input('list')))) },
    inputs: { list: list(d(1), d(2)) },
    output: 'out=["1", "2"]',
    runs: [
      'list#0 list=[1, 2] → list=[1, 2]',
      'call#0 list=[1, 2] → texts=["1", "2"]',
      'call#0 > list#0 list=[1, 2] → list=[1, 2]',
      'call#0 > foreach#0 array=[1, 2] → element=[1, 2]',
      'call#0 > to_string#0 stringify=1 → result="1"',
      'call#0 > to_string#1 stringify=2 → result="2"',
      'call#0 > texts#0 texts="1" → texts="1"',
      'call#0 > texts#1 texts="2" → texts="2"',
      'each text#0 array=["1", "2"] → element=["1", "2"]',
      'out#0 out="1" → out="1"',
      'out#1 out="2" → out="2"',
    ],
  },
  {
    title: 'log lines of a called flow, also warnings about its edges, belong to its own run',
    flow: (flow) => {
      flow.interflow(1, {}, [], 'call');
    },
    flows: {
      1: (flow) => {
        const print = flow.use('print', { print: flow.constant(s('within')) }, { title: 'print' });
        flow.connect({ ...print.output('__print_output'), handle: 'unknown' }, print.input('print'));
      },
    },
    output: '',
    runs: [
      'call#0 →',
      'call#0 > const#0 → Source="within"',
      'call#0 > print#0 print="within" → __print_output="within" print="within"',
    ],
    logs: ['Warn: edges[1] from to is left out: no port has the id unknown', 'Info call#0 > print#0: within'],
  },
];
