import { base58 } from '@scure/base';
import { d, type FlowRow, s } from './row.ts';

/** A key pair with a secret half of sevens and a public half of zeros. */
const KEYPAIR = base58.encode(new Uint8Array(64).fill(7, 0, 32));

/** Flows that show how edges find their ports, and how nodes pass inputs on. */
export const handleRows: FlowRow[] = [
  {
    title: 'an edge with an unknown source handle is left out with a warning, and its target gets no value',
    flow: (flow) => {
      const text = flow.use('to_string', {}, { title: 'text' });
      flow.connect({ ...flow.constant(s('x')), handle: 'left behind' }, text.input('stringify'));
      flow.output('out', text.output('result'));
    },
    output: 'out=""',
    runs: ['text#0 → result=""', 'const#0 → Source="x"', 'out#0 out="" → out=""'],
    logs: ['Warn: edges[0] from to is left out: no port has the id left behind'],
  },
  {
    title: 'an edge with an unknown target handle, such as null, is left out with a warning',
    flow: (flow) => {
      const text = flow.use('to_string', {}, { title: 'text' });
      flow.edges.push({
        source: text.id,
        sourceHandle: text.output('result').handle,
        target: text.id,
        targetHandle: null,
      });
      flow.output('out', text.output('result'));
    },
    output: 'out=""',
    runs: ['text#0 → result=""', 'out#0 out="" → out=""'],
    logs: ['Warn: edges[0] from to is left out: no port has the id null'],
  },
  {
    title: "a handle of another node's port stands for the port of the same name",
    flow: (flow) => {
      const [one, other] = [flow.use('to_string', {}, { title: 'one' }), flow.use('to_string', {}, { title: 'other' })];
      flow.connect(flow.constant(s('x')), { nodeId: one.id, handle: other.input('stringify').handle });
      flow.output('out', { nodeId: one.id, handle: other.output('result').handle });
    },
    output: 'out="x"',
    runs: [
      'one#0 stringify="x" → result="x"',
      'other#0 → result=""',
      'const#0 → Source="x"',
      'out#0 out="x" → out="x"',
    ],
  },
  {
    title: 'a node with an edge into a port that it does not have fails when it is reached',
    flow: (flow) => {
      const wrong = flow.node('to_string', { inputs: ['stringify?', 'tone'], outputs: ['result'], title: 'wrong' });
      flow.connect(flow.constant(s('x')), wrong.input('tone'));
      flow.output('out', wrong.output('result'));
    },
    output: '',
    errors: ['wrong: there is no input "tone", only stringify'],
    notRun: ['out'],
    runs: ['wrong#0 tone="x" ✗ there is no input "tone", only stringify', 'const#0 → Source="x"'],
  },
  {
    title: 'a node with an edge out of a port that it does not have fails',
    flow: (flow) => {
      const wrong = flow.node('to_string', { inputs: ['stringify?'], outputs: ['result', 'shout'], title: 'wrong' });
      flow.output('out', wrong.output('shout'));
    },
    output: '',
    errors: ['wrong: there is no output "shout", only result'],
    notRun: ['out'],
    runs: ['wrong#0 ✗ there is no output "shout", only result'],
  },
  {
    title: 'a node fails if an edge begins at a passthrough that the node does not have',
    flow: (flow) => {
      const text = flow.use('to_string', { stringify: flow.constant(s('x')) }, { title: 'text' });
      flow.output('out', text.passthrough('stringify'));
    },
    output: '',
    errors: ['text: the input "stringify" is not handed on'],
    notRun: ['out'],
    runs: ['const#0 → Source="x"', 'text#0 stringify="x" ✗ the input "stringify" is not handed on'],
  },
  {
    title: 'an unknown native node fails when it is reached, and only then',
    flow: (flow) => {
      flow.node('teleport', { outputs: ['out'], title: 'now' });
      const later = flow.node('teleport', { inputs: ['in'], title: 'never' });
      flow.connect(flow.field('x', flow.json({})), later.input('in'));
    },
    output: '',
    errors: ['now: node_not_implemented: there is no node teleport', 'x: json_or_string: there is no field "x"'],
    notRun: ['never'],
    runs: [
      'now#0 ✗ node_not_implemented: there is no node teleport',
      'json#0 → Source={}',
      'x#0 field="x" json_or_string={} ✗ json_or_string: there is no field "x"',
    ],
  },
  {
    title: 'mock nodes are left out with the edges to and from them',
    flow: (flow) => {
      const mock = flow.node('mock', { inputs: ['in'], outputs: ['out'], type: 'mock', title: 'mock' });
      flow.connect(flow.constant(s('x')), mock.input('in'));
      const text = flow.use('to_string', {}, { title: 'text' });
      flow.connect(mock.output('out'), text.input('stringify'));
      flow.output('out', text.output('result'));
    },
    output: 'out=""',
    runs: ['const#0 → Source="x"', 'text#0 → result=""', 'out#0 out="" → out=""'],
  },
  {
    title: 'the label names the port of flow_input and flow_output, whatever name the JSON has',
    flow: (flow) => {
      const input = flow.node('flow_input', { outputs: [''], form: { label: 'a' }, title: 'in' });
      const output = flow.node('flow_output', { inputs: ['other'], form: { label: 'b' }, title: 'out' });
      flow.connect(input.output(''), output.input('other'));
    },
    inputs: { a: d(1) },
    output: 'b=1',
    runs: ['in#0 a=1 → a=1', 'out#0 b=1 → b=1'],
  },
  {
    title: 'a node without a name in the editor is shown by its kind',
    flow: (flow) => {
      flow.node('wallet', { outputs: ['pubkey', 'keypair'] });
    },
    output: '',
    errors: ['wallet: failed to decode wallet as base58'],
    runs: ['wallet#0 ✗ failed to decode wallet as base58'],
  },
  {
    title: 'an input that is passed on comes out beside the outputs if the node succeeds',
    flow: (flow) => {
      const print = flow.use('print', { print: flow.constant(d(1)) }, { title: 'print' });
      flow.output('value', print.passthrough('print'));
      flow.output('text', print.output('__print_output'));
    },
    output: 'text="1" value=1',
    runs: [
      'const#0 → Source=1',
      'print#0 print=1 → __print_output="1" print=1',
      'value#0 value=1 → value=1',
      'text#0 text="1" → text="1"',
    ],
    logs: ['Info print#0: 1'],
  },
  {
    title: 'a value from form data is passed on, too',
    flow: (flow) => flow.output('out', flow.use('print', {}, { form: { print: 'form' } }).passthrough('print')),
    output: 'out="form"',
    runs: ['print#0 print="form" → __print_output="form" print="form"', 'out#0 out="form" → out="form"'],
    logs: ['Info print#0: form'],
  },
  {
    title: 'a node that fails passes nothing on',
    flow: (flow) => {
      const insert = flow.use('json_insert', { json_input: flow.json({}), value: flow.constant(d(1)) }, {
        form: { path: '/a/b' },
        title: 'insert',
      });
      flow.output('out', insert.passthrough('json_input'));
    },
    output: '',
    errors: ['insert: failed to insert at "/a/b": there must be a map or an array that the value can go into'],
    notRun: ['out'],
    runs: [
      'json#0 → Source={}',
      'const#0 → Source=1',
      'insert#0 json_input={} path="/a/b" value=1 ✗ failed to insert at "/a/b": there must be a map or an array that the value can go into',
    ],
  },
  {
    title: 'if an input for a public key gets a key pair, its public half is passed on; a text stays a text',
    flow: (flow) => {
      const pair = flow.use('test_key', { key: flow.constant({ B6: KEYPAIR }) }, { title: 'pair' });
      flow.output('pair', pair.passthrough('key'), 'out 1');
      const text = flow.use('test_key', { key: flow.constant(s('text')) }, { title: 'text' });
      flow.output('text', text.passthrough('key'), 'out 2');
    },
    output: `pair=B3:${'1'.repeat(32)} text="text"`,
    runs: [
      'const#0 → Source=B6:99eUso3aSbE9tqGSTXzo3TLfKb9RkMTURrHKQ1K7Zh3B8DmPYfmw8w8Dy4ugk1UR7wYxqz3Vdr1keExrL6n15QB',
      'pair#0 key=B6:99eUso3aSbE9tqGSTXzo3TLfKb9RkMTURrHKQ1K7Zh3B8DmPYfmw8w8Dy4ugk1UR7wYxqz3Vdr1keExrL6n15QB → key=B3:11111111111111111111111111111111 own="own"',
      'out 1#0 pair=B3:11111111111111111111111111111111 → pair=B3:11111111111111111111111111111111',
      'const#0 → Source="text"',
      'text#0 key="text" → key="text" own="own"',
      'out 2#0 text="text" → text="text"',
    ],
  },
  {
    title: 'a required input passes null on, and an optional input does not',
    flow: (flow) => {
      const null_ = flow.constant({ N: 0 }, 'null');
      const node = flow.use('test_key', { key: null_, maybe: null_ }, { title: 'node' });
      flow.output('required', node.passthrough('key'));
      flow.output('optional', node.passthrough('maybe'));
      flow.output('merged', flow.toText(node.passthrough('maybe'), 'text'));
    },
    output: 'merged="" required=null',
    notRun: ['optional'],
    runs: [
      'null#0 → Source=null',
      'node#0 key=null maybe=null → key=null own="own"',
      'required#0 required=null → required=null',
      'text#0 → result=""',
      'merged#0 merged="" → merged=""',
    ],
  },
];
