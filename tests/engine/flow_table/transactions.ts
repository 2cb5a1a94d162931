import type { BuiltNode, FlowBuilder, FormJson, Port } from '../../support/flow_builder.ts';
import { type FlowRow, list, s } from './row.ts';

/** Adds an instruction node with this title and name. */
const make = (
  flow: FlowBuilder,
  name: string,
  edges: { [input: string]: Port } = {},
  form: { [input: string]: FormJson } = {},
): BuiltNode => flow.use('test_instruction', edges, { form: { name, ...form }, title: name });

const bundled = (build: (flow: FlowBuilder) => void) => (flow: FlowBuilder) => {
  flow.bundling = 'Automatic';
  build(flow);
};

/** Adds two independent nodes, and a third node that needs the signature of the first. */
const threeNodes = (flow: FlowBuilder) => {
  const first = make(flow, 'first');
  make(flow, 'second');
  flow.output('out', make(flow, 'third', { in: first.output('signature') }).output('signature'));
};

/** Outputs the signature of a flow's only transaction. */
const oneTransaction = (flow: FlowBuilder) =>
  flow.output('signature', make(flow, 'inner', { in: flow.input('in', 'x') }).output('signature'), 'out');

/** Flows whose nodes make transactions. */
export const transactionRows: FlowRow[] = [
  {
    title: 'without bundling each node has a transaction of its own, and the fees go into the first',
    flow: threeNodes,
    output: 'out=B6:third',
    runs: [
      'first#0 name="first" → made="made first" signature=B6:first',
      'second#0 name="second" → made="made second" signature=B6:second',
      'third#0 in=B6:first name="third" → in=B6:first made="made third" signature=B6:third',
      'out#0 out=B6:third → out=B6:third',
    ],
    logs: [
      'Info first#0: Ann pays for first and the fees',
      'Info second#0: Ann pays for second',
      'Info third#0: Ann pays for third',
    ],
  },
  {
    title: 'with bundling, nodes share a transaction unless one needs the signature of another',
    flow: bundled(threeNodes),
    output: 'out=B6:third',
    runs: [
      'first#0 name="first" → made="made first" signature=B6:first+second',
      'second#0 name="second" → made="made second" signature=B6:first+second',
      'third#0 in=B6:first+second name="third" → in=B6:first+second made="made third" signature=B6:third',
      'out#0 out=B6:third → out=B6:third',
    ],
    logs: ['Info first#0: Ann pays for first second and the fees', 'Info third#0: Ann pays for third'],
  },
  {
    title: 'instructions follow their edges, whatever order the nodes have',
    flow: bundled((flow) => {
      const late = flow.node('test_instruction', {
        inputs: ['name', 'in?»'],
        outputs: ['made', 'signature'],
        form: { name: 'late' },
        title: 'late',
      });
      const early = make(flow, 'early');
      flow.connect(flow.toText(early.output('made'), 'text'), late.input('in'));
      flow.output('out', late.output('signature'));
    }),
    output: 'out=B6:early+late',
    runs: [
      'late#0 in="made early" name="late" → in="made early" made="made late" signature=B6:early+late',
      'early#0 name="early" → made="made early" signature=B6:early+late',
      'text#0 stringify="made early" → result="made early"',
      'out#0 out=B6:early+late → out=B6:early+late',
    ],
    logs: ['Info early#0: Ann pays for early late and the fees'],
  },
  {
    title: 'another fee payer begins another transaction',
    flow: bundled((flow) => {
      make(flow, 'a');
      make(flow, 'b', {}, { payer: 'Bob' });
      make(flow, 'c', {}, { payer: 'Bob' });
      make(flow, 'd');
    }),
    output: '',
    runs: [
      'a#0 name="a" → made="made a" signature=B6:a',
      'b#0 name="b" payer="Bob" → made="made b" signature=B6:b+c',
      'c#0 name="c" payer="Bob" → made="made c" signature=B6:b+c',
      'd#0 name="d" → made="made d" signature=B6:d',
    ],
    logs: ['Info a#0: Ann pays for a and the fees', 'Info b#0: Bob pays for b c', 'Info d#0: Ann pays for d'],
  },
  {
    title: 'a value that a node passes on before its transaction is available before the transaction',
    flow: bundled((flow) => {
      const first = make(flow, 'first', { in: flow.input('in', 'x') });
      make(flow, 'fails', { in: flow.toText(first.passthrough('in'), 'text') });
    }),
    output: '',
    runs: [
      'in#0 → in="x"',
      'first#0 in="x" name="first" → in="x" made="made first" ✗ transaction simulation failed',
      'text#0 stringify="x" → result="x"',
      'fails#0 in="x" name="fails" → in="x" made="made fails" ✗ it fails',
    ],
    errors: ['first: transaction simulation failed', 'fails: it fails'],
    logs: ['Info first#0: Ann pays for first fails and the fees'],
  },
  {
    title: 'nothing of a group is sent when one of its nodes makes no instructions',
    flow: bundled((flow) => {
      make(flow, 'first');
      make(flow, 'second', { in: flow.constant(s('bad')) });
      flow.output('out', make(flow, 'other').output('signature'));
    }),
    output: '',
    runs: [
      'first#0 name="first" → made="made first" ✗ some node failed to provide instructions',
      'const#0 → Source="bad"',
      'second#0 in="bad" name="second" ✗ there is no instruction',
      'other#0 name="other" → made="made other" ✗ some node failed to provide instructions',
    ],
    errors: [
      'first: some node failed to provide instructions',
      'second: there is no instruction',
      'other: some node failed to provide instructions',
    ],
    notRun: ['out'],
  },
  {
    title: 'a group is complete without a node that is skipped because an earlier output stayed unset',
    flow: bundled((flow) => {
      make(flow, 'first');
      const unset = flow.script('let v = 1', {}, 2).output('u');
      make(flow, 'second', { in: unset });
      make(flow, 'third', { in: flow.use('print', { print: unset }, { title: 'print' }).passthrough('print') });
      make(flow, 'fourth', { submit: unset });
    }),
    output: '',
    runs: ['first#0 name="first" → made="made first" signature=B6:first', 'script#0 source="let v = 1" → v=1i'],
    notRun: ['second', 'print', 'third', 'fourth'],
    logs: ['Info first#0: Ann pays for first and the fees'],
  },
  {
    title: 'nothing of a group is sent when one of its nodes does not run because something before it failed',
    flow: bundled((flow) => {
      make(flow, 'first');
      make(flow, 'second', { in: flow.field('x', flow.json({})) });
    }),
    output: '',
    runs: [
      'first#0 name="first" → made="made first" ✗ some node failed to provide instructions',
      'json#0 → Source={}',
      'x#0 field="x" json_or_string={} ✗ json_or_string: there is no field "x"',
    ],
    errors: ['first: some node failed to provide instructions', 'x: json_or_string: there is no field "x"'],
    notRun: ['second'],
  },
  {
    title: 'in a loop, a group is sent without a node for the elements for which this node is skipped',
    flow: bundled((flow) => {
      const each = flow.foreach(flow.json([1, 2]));
      const first = make(flow, 'first', { in: each });
      const choice = flow.script('if b != () && a == 2 { "go" }', { a: each, b: first.output('made') });
      make(flow, 'second', { in: choice.output('u') });
    }),
    output: '',
    runs: [
      'json#0 → Source=[1u, 2u]',
      'foreach#0 array=[1u, 2u] → element=[1u, 2u]',
      'first#0 in=1u name="first" → in=1u made="made first" signature=B6:first',
      'first#1 in=2u name="first" → in=2u made="made first" signature=B6:first+second',
      'script#0 a=1u b="made first" source="if b != () && a == 2 { \\"go\\" }" →',
      'script#1 a=2u b="made first" source="if b != () && a == 2 { \\"go\\" }" → u="go"',
      'second#1 in="go" name="second" → in="go" made="made second" signature=B6:first+second',
    ],
    logs: ['Info first#0: Ann pays for first and the fees', 'Info first#1: Ann pays for first second'],
  },
  {
    title: 'a group is complete without the nodes of a loop over an empty array',
    flow: bundled((flow) => {
      make(flow, 'first');
      make(flow, 'each', { in: flow.foreach(flow.json([])) });
    }),
    output: '',
    runs: [
      'first#0 name="first" → made="made first" signature=B6:first',
      'json#0 → Source=[]',
      'foreach#0 array=[] → element=[]',
    ],
    notRun: ['each'],
    logs: ['Info first#0: Ann pays for first and the fees'],
  },
  {
    title: 'if a transaction fails, the later transactions of its group fail, too',
    flow: bundled((flow) => {
      make(flow, 'fails', { in: flow.json([1, 2]) });
      make(flow, 'later', {}, { payer: 'Bob' });
    }),
    output: '',
    runs: [
      'json#0 → Source=[1u, 2u]',
      'fails#0 in=[1u, 2u] name="fails" → in=[1u, 2u] made="made fails" ✗ it fails',
      'later#0 name="later" payer="Bob" → made="made later" ✗ transaction simulation failed',
    ],
    errors: ['fails: it fails', 'later: transaction simulation failed'],
    logs: ['Info fails#0: Ann pays for fails and the fees'],
  },
  {
    title: 'without bundling, a failing transaction fails only its own node, and the fees go into the next transaction',
    flow: (flow) => {
      make(flow, 'fails');
      make(flow, 'other');
    },
    output: '',
    runs: [
      'fails#0 name="fails" → made="made fails" ✗ it fails',
      'other#0 name="other" → made="made other" signature=B6:other',
    ],
    errors: ['fails: it fails'],
    logs: ['Info fails#0: Ann pays for fails and the fees', 'Info other#0: Ann pays for other and the fees'],
  },
  {
    title: 'submit = false as a form value: bundled the node succeeds without a signature',
    flow: bundled((flow) => {
      make(flow, 'first');
      flow.output('out', make(flow, 'silent', {}, { submit: false }).output('signature'));
    }),
    output: 'out=null',
    runs: [
      'first#0 name="first" → made="made first" signature=B6:first',
      'silent#0 name="silent" submit=false → made="made silent" signature=null',
      'out#0 out=null → out=null',
    ],
    logs: ['Info first#0: Ann pays for first and the fees'],
  },
  {
    title: 'submit = false as a form value: without bundling the node fails, because the fee payer is no signer',
    flow: (flow) => flow.output('out', make(flow, 'silent', {}, { submit: false }).output('signature')),
    output: '',
    runs: ['silent#0 name="silent" submit=false → made="made silent" ✗ fee payer is not in signers'],
    errors: ['silent: fee payer is not in signers'],
    notRun: ['out'],
  },
  {
    title: 'submit = false by an edge: the node never starts, and its group is sent without it',
    flow: bundled((flow) => {
      make(flow, 'first');
      const held = make(flow, 'held', { submit: flow.constant({ B: false }) });
      flow.output('out', held.output('signature'));
      flow.output('text', flow.toText(held.output('made'), 'text'));
    }),
    output: '',
    runs: [
      'first#0 name="first" → made="made first" signature=B6:first',
      'const#0 → Source=false',
    ],
    notRun: ['held', 'out', 'text', 'text'],
    logs: ['Info first#0: Ann pays for first and the fees'],
  },
  {
    title: 'submit by an edge inside a loop counts for each element',
    flow: bundled((flow) => {
      const submit = flow.foreach(flow.constant(list({ B: true }, { B: false }, { B: true })));
      flow.output('out', flow.collect(make(flow, 'made', { submit }).output('signature')));
    }),
    output: 'out=[B6:made, B6:made]',
    runs: [
      'const#0 → Source=[true, false, true]',
      'foreach#0 array=[true, false, true] → element=[true, false, true]',
      'made#0 name="made" submit=true → made="made made" signature=B6:made',
      'made#2 name="made" submit=true → made="made made" signature=B6:made',
      'collect#0 element=[B6:made, B6:made] → array=[B6:made, B6:made]',
      'out#0 out=[B6:made, B6:made] → out=[B6:made, B6:made]',
    ],
    logs: ['Info made#0: Ann pays for made and the fees', 'Info made#2: Ann pays for made'],
  },
  {
    title: 'inside a loop each iteration has its transaction',
    flow: bundled((flow) => {
      const name = flow.foreach(flow.json(['a', 'fails', 'c']));
      const first = make(flow, 'pay', { name });
      const second = make(flow, 'note', { in: first.output('made') });
      flow.output('out', flow.collectOthers(second.output('signature')));
    }),
    output: 'out=[B6:a+note, B6:c+note]',
    runs: [
      'json#0 → Source=["a", "fails", "c"]',
      'foreach#0 array=["a", "fails", "c"] → element=["a", "fails", "c"]',
      'pay#0 name="a" → made="made a" signature=B6:a+note',
      'pay#1 name="fails" → made="made fails" ✗ it fails',
      'pay#2 name="c" → made="made c" signature=B6:c+note',
      'note#0 in="made a" name="note" → in="made a" made="made note" signature=B6:a+note',
      'note#1 in="made fails" name="note" → in="made fails" made="made note" ✗ transaction simulation failed',
      'note#2 in="made c" name="note" → in="made c" made="made note" signature=B6:c+note',
      'collect#0 element=[B6:a+note, B6:c+note] → array=[B6:a+note, B6:c+note]',
      'out#0 out=[B6:a+note, B6:c+note] → out=[B6:a+note, B6:c+note]',
    ],
    errors: ['pay#1: it fails', 'note#1: transaction simulation failed'],
    logs: [
      'Info pay#0: Ann pays for a note and the fees',
      'Info pay#1: Ann pays for fails note',
      'Info pay#2: Ann pays for c note',
    ],
  },
  {
    title: 'a called flow makes its own transactions, and the whole run pays the fees only once',
    flow: bundled((flow) => {
      const called = flow.interflow(1, {}, ['signature'], 'call').output('signature');
      make(flow, 'before');
      flow.output('out', make(flow, 'after', { in: called }).output('signature'));
    }),
    flows: { 1: oneTransaction },
    output: 'out=B6:before+after',
    runs: [
      'call#0 → signature=B6:inner',
      'call#0 > in#0 → in="x"',
      'call#0 > inner#0 in="x" name="inner" → in="x" made="made inner" signature=B6:inner',
      'call#0 > out#0 signature=B6:inner → signature=B6:inner',
      'before#0 name="before" → made="made before" signature=B6:before+after',
      'after#0 in=B6:inner name="after" → in=B6:inner made="made after" signature=B6:before+after',
      'out#0 out=B6:before+after → out=B6:before+after',
    ],
    logs: ['Info call#0 > inner#0: Ann pays for inner and the fees', 'Info before#0: Ann pays for before after'],
  },
  {
    title: 'a group that is never complete in a called flow fails there, and the caller continues',
    flow: bundled((flow) => {
      flow.interflow(1, {}, ['signature?'], 'call');
      make(flow, 'own');
    }),
    flows: {
      1: bundled((flow) => {
        make(flow, 'bad', { in: flow.constant(s('bad')) });
        make(flow, 'inner');
      }),
    },
    output: '',
    runs: [
      'call#0 ✗ bad 00000000-0000-4000-8000-000000000003: there is no instruction;\n' +
      'inner 00000000-0000-4000-8000-000000000010: some node failed to provide instructions',
      'call#0 > const#0 → Source="bad"',
      'call#0 > bad#0 in="bad" name="bad" ✗ there is no instruction',
      'call#0 > inner#0 name="inner" → made="made inner" ✗ some node failed to provide instructions',
      'own#0 name="own" → made="made own" signature=B6:own',
    ],
    errors: ['call: bad: there is no instruction;\ninner: some node failed to provide instructions'],
    logs: ['Info own#0: Ann pays for own and the fees'],
  },
];
