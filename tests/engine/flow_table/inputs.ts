import { d, type FlowRow, s } from './row.ts';

const mergeText = 'if a == () { "none" } else { a }';

/** Sources of a node's inputs: edges, form data, the inputs of the run. */
export const inputRows: FlowRow[] = [
  {
    title: 'the value of an edge wins over form data, and form data serves inputs without an edge',
    flow: (flow) => {
      const form = { stringify: 'form' };
      const wired = flow.use('to_string', { stringify: flow.constant(s('edge')) }, { form, title: 'wired' });
      flow.output('wired', wired.output('result'), 'out 1');
      flow.output('bare', flow.use('to_string', {}, { form, title: 'bare' }).output('result'), 'out 2');
    },
    output: 'bare="form" wired="edge"',
    runs: [
      'const#0 → Source="edge"',
      'wired#0 stringify="edge" → result="edge"',
      'out 1#0 wired="edge" → wired="edge"',
      'bare#0 stringify="form" → result="form"',
      'out 2#0 bare="form" → bare="form"',
    ],
  },
  {
    title: 'the inputs and outputs of a script are those that the flow names, from edges and from form data',
    flow: (flow) => {
      const tea = flow.constant(s('tea '));
      const script = flow.node('rhai_script', {
        inputs: ['name?', 'price?', 'rest?'],
        outputs: ['text', 'total', 'unset'],
        form: { source: 'let total = price * 2; let text = name + (rest == ());', price: 21, name: 'form' },
        title: 'script',
      });
      flow.connect(tea, script.input('name'));
      for (const name of ['text', 'total', 'unset']) flow.output(name, script.output(name), `out ${name}`);
    },
    output: 'text="tea true" total=42',
    runs: [
      'const#0 → Source="tea "',
      'script#0 name="tea " price=21u → text="tea true" total=42',
      'out text#0 text="tea true" → text="tea true"',
      'out total#0 total=42 → total=42',
    ],
    notRun: ['out unset'],
  },
  {
    title: 'null in form data is the value null, not a missing input',
    flow: (flow) => {
      flow.output('null', flow.use('to_string', {}, { form: { stringify: null }, title: 'null' }).output('result'));
      flow.output('none', flow.use('to_string', {}, { title: 'none' }).output('result'));
    },
    output: 'none="" null="{\\n  \\"N\\": 0\\n}"',
    runs: [
      'null#0 stringify=null → result="{\\n  \\"N\\": 0\\n}"',
      'null#0 null="{\\n  \\"N\\": 0\\n}" → null="{\\n  \\"N\\": 0\\n}"',
      'none#0 → result=""',
      'none#0 none="" → none=""',
    ],
  },
  {
    title: 'null over an edge is a value: it satisfies a required input and hides form data',
    flow: (flow) => {
      const null_ = flow.constant({ N: 0 }, 'null');
      flow.output(
        'first',
        flow.use('to_vec', { first: null_, second: null_ }, { form: { first: 1 } }).output('result'),
      );
    },
    output: 'first=[null, null]',
    runs: [
      'null#0 → Source=null',
      'to_vec#0 first=null second=null → result=[null, null]',
      'first#0 first=[null, null] → first=[null, null]',
    ],
  },
  {
    title: 'form data of plain JSON becomes values: integers U and I, fractions D, objects M, texts never keys',
    flow: (flow) => {
      const form = {
        first: { whole: 3, below: -3, part: 1.5, list: [true, null] },
        second: '11111111111111111111111111111111',
      };
      flow.output('out', flow.use('to_vec', {}, { form }).output('result'));
    },
    output: 'out=[{below=-3i list=[true, null] part=1.5 whole=3u}, "11111111111111111111111111111111"]',
    runs: [
      'to_vec#0 first={below=-3i list=[true, null] part=1.5 whole=3u} second="11111111111111111111111111111111" → result=[{below=-3i list=[true, null] part=1.5 whole=3u}, "11111111111111111111111111111111"]',
      'out#0 out=[{below=-3i list=[true, null] part=1.5 whole=3u}, "11111111111111111111111111111111"] → out=[{below=-3i list=[true, null] part=1.5 whole=3u}, "11111111111111111111111111111111"]',
    ],
  },
  {
    title: 'form data that names no input is ignored',
    flow: (flow) => {
      const form = { stringify: 'x', result: 'forged', other: 1 };
      flow.output('out', flow.use('to_string', {}, { form }).output('result'));
    },
    output: 'out="x"',
    runs: ['to_string#0 stringify="x" → result="x"', 'out#0 out="x" → out="x"'],
  },
  {
    title: "a port's defaultValue is never applied",
    flow: (flow) => {
      const text = flow.use('to_string', {}, { title: 'text' });
      for (const { data } of flow.nodes) Object.assign(data.targets[0]!, { defaultValue: 'never' });
      flow.output('out', text.output('result'));
    },
    output: 'out=""',
    runs: ['text#0 → result=""', 'out#0 out="" → out=""'],
  },
  {
    title: 'form data applies if the edge into an optional input gives no value and the node runs',
    flow: (flow) => {
      const choice = flow.script('let v = "other"', {}, 2, 'choice');
      const text = flow.use('to_string', { stringify: choice.output('u') }, {
        form: { stringify: 'form' },
        title: 'text',
      });
      flow.declare(text, 'stringify', { when_absent: 'run' });
      flow.output('out', text.output('result'));
    },
    output: 'out="form"',
    runs: [
      'choice#0 source="let v = \\"other\\"" → v="other"',
      'text#0 stringify="form" → result="form"',
      'out#0 out="form" → out="form"',
    ],
  },
  {
    title: 'form data does not replace the missing value of an edge into a required input',
    flow: (flow) => {
      const choice = flow.script('let v = "other"', {}, 2, 'choice');
      const get = flow.use('json_get_field', { json_or_string: choice.output('u') }, {
        form: { json_or_string: '{"x":1}', field: 'x' },
        title: 'get',
      });
      flow.output('out', get.output('result_json'));
    },
    output: '',
    notRun: ['get', 'out'],
    runs: ['choice#0 source="let v = \\"other\\"" → v="other"'],
  },
  {
    title: 'a node sees only its own inputs, a flow_input all inputs of the run, and unknown inputs are ignored',
    flow: (flow) => flow.output('out', flow.toText(flow.input('a'))),
    inputs: { a: d(1), b: d(2) },
    output: 'out="1"',
    runs: ['a#0 a=1 b=2 → a=1', 'to_string#0 stringify=1 → result="1"', 'out#0 out="1" → out="1"'],
  },
  {
    title: 'a flow_input takes the given value, even null; without one, it takes its default, or else null',
    flow: (flow) => {
      flow.output('a', flow.input('given', 1));
      flow.output('b', flow.input('null', 2));
      flow.output('c', flow.input('default', 3));
      flow.output('d', flow.input('nothing'));
      flow.output('e', flow.input('no default', null));
    },
    inputs: { given: s('x'), null: { N: 0 } },
    output: 'a="x" b=null c=3u d=null e=null',
    runs: [
      'given#0 given="x" null=null → given="x"',
      'a#0 a="x" → a="x"',
      'null#0 given="x" null=null → null=null',
      'b#0 b=null → b=null',
      'default#0 given="x" null=null → default=3u',
      'c#0 c=3u → c=3u',
      'nothing#0 given="x" null=null → nothing=null',
      'd#0 d=null → d=null',
      'no default#0 given="x" null=null → no default=null',
      'e#0 e=null → e=null',
    ],
  },
  {
    title: 'the error of a node that got null names a flow_input without a value, but not one that was given null',
    flow: (flow) => {
      const end = flow.input('end');
      flow.output('empty', flow.use('range', { end }, { form: { start: 0 }, title: 'empty' }).output('result'));
      const given = flow.input('given');
      flow.output('null', flow.use('range', { end: given }, { form: { start: 0 }, title: 'null' }).output('result'));
    },
    inputs: { given: { N: 0 } },
    output: '',
    errors: [
      'empty: end: invalid type: unit value, expected a decimal (flow input `end` had no value)',
      'null: end: invalid type: unit value, expected a decimal',
    ],
    notRun: ['empty', 'null'],
    runs: [
      'end#0 given=null → end=null',
      'empty#0 end=null start=0u ✗ end: invalid type: unit value, expected a decimal (flow input `end` had no value)',
      'given#0 given=null → given=null',
      'null#0 end=null start=0u ✗ end: invalid type: unit value, expected a decimal',
    ],
  },
  {
    title: 'the error of a script names each flow_input without a value; a default counts as a value',
    flow: (flow) => {
      const edges = { a: flow.input('first'), b: flow.input('second'), c: flow.input('third', 3) };
      flow.output('out', flow.script('a + b + c', edges).output('u'));
    },
    output: '',
    errors: [
      'script: Function not found: + ((), ()) (line 1, position 3) (flow inputs `first`, `second` had no value)',
    ],
    notRun: ['out'],
    runs: [
      'first#0 → first=null',
      'second#0 → second=null',
      'third#0 → third=3u',
      'script#0 a=null b=null c=3u source="a + b + c" ✗ Function not found: + ((), ()) (line 1, position 3) (flow inputs `first`, `second` had no value)',
    ],
  },
  {
    title: 'a default of a flow_input is plain JSON, never a tagged value',
    flow: (flow) => flow.output('out', flow.input('in', { D: '1', more: [1.5] })),
    output: 'out={D="1" more=[1.5]}',
    runs: ['in#0 → in={D="1" more=[1.5]}', 'out#0 out={D="1" more=[1.5]} → out={D="1" more=[1.5]}'],
  },
  {
    title: 'two flow_inputs with the same label give the same value, but each has its own default',
    flow: (flow) => {
      flow.output('a', flow.input('n', 1));
      flow.output('b', flow.input('n', 2));
      flow.output('c', flow.input('m', 3));
      flow.output('d', flow.input('m', 4));
    },
    inputs: { n: d(9) },
    output: 'a=9 b=9 c=3u d=4u',
    runs: [
      'n#0 n=9 → n=9',
      'a#0 a=9 → a=9',
      'n#0 n=9 → n=9',
      'b#0 b=9 → b=9',
      'm#0 n=9 → m=3u',
      'c#0 c=3u → c=3u',
      'm#0 n=9 → m=4u',
      'd#0 d=4u → d=4u',
    ],
  },
  {
    title: "labels may be any text: the name of an object's own member, an empty text, a text with dots",
    flow: (flow) => {
      for (const label of ['constructor', '__proto__', '', 'a.b', 'toString']) {
        flow.output(label, flow.input(label, 'default'), `out ${label}`);
      }
    },
    inputs: { 'a.b': s('dots') },
    output: '="default" __proto__="default" a.b="dots" constructor="default" toString="default"',
    runs: [
      'constructor#0 a.b="dots" → constructor="default"',
      'out constructor#0 constructor="default" → constructor="default"',
      '__proto__#0 a.b="dots" → __proto__="default"',
      'out __proto__#0 __proto__="default" → __proto__="default"',
      '#0 a.b="dots" → ="default"',
      'out #0 ="default" → ="default"',
      'a.b#0 a.b="dots" → a.b="dots"',
      'out a.b#0 a.b="dots" → a.b="dots"',
      'toString#0 a.b="dots" → toString="default"',
      'out toString#0 toString="default" → toString="default"',
    ],
  },
  {
    title: 'a flow_output without an edge fails, and gives no output',
    flow: (flow) => {
      flow.node('flow_output', { inputs: ['out'], form: { label: 'out' }, title: 'out' });
    },
    output: '',
    errors: ['out: missing field `out`'],
    runs: ['out#0 ✗ missing field `out`'],
  },
  {
    title: 'one value may go to many flow_outputs',
    flow: (flow) => {
      const n = flow.input('n');
      for (const label of ['a', 'b', 'c']) flow.output(label, n);
    },
    inputs: { n: d(1) },
    output: 'a=1 b=1 c=1',
    runs: ['n#0 n=1 → n=1', 'a#0 a=1 → a=1', 'b#0 b=1 → b=1', 'c#0 c=1 → c=1'],
  },
  {
    title: 'a value passes through the flow as it is, whatever its tag',
    flow: (flow) => flow.output('out', flow.input('in')),
    inputs: {
      in: { A: [{ U1: '5' }, { I1: '-5' }, { F: '1e+300' }, { D: '1.50' }, { BY: 'AQI=' }, { M: { N: { N: 0 } } }] },
    },
    output: 'out=[U1:5, I1:-5, 1e+300f, 1.50, BY:AQI=, {N=null}]',
    runs: [
      'in#0 in=[U1:5, I1:-5, 1e+300f, 1.50, BY:AQI=, {N=null}] → in=[U1:5, I1:-5, 1e+300f, 1.50, BY:AQI=, {N=null}]',
      'out#0 out=[U1:5, I1:-5, 1e+300f, 1.50, BY:AQI=, {N=null}] → out=[U1:5, I1:-5, 1e+300f, 1.50, BY:AQI=, {N=null}]',
    ],
  },
  {
    title:
      'a node without effects waits for a value of its only edge, optional or not, unless the flow says to run without it',
    flow: (flow) => {
      const lost = flow.field('x', flow.json({}));
      const use = (title: string, members: object) =>
        flow.declare(flow.use('to_string', { stringify: lost }, { title }), 'stringify', members);
      use('optional', { required: false });
      use('required', { required: true });
      use('both', { required: true, when_absent: 'run' });
    },
    output: '',
    errors: ['x: json_or_string: there is no field "x"'],
    notRun: ['optional', 'required'],
    runs: [
      'json#0 → Source={}',
      'x#0 field="x" json_or_string={} ✗ json_or_string: there is no field "x"',
      'both#0 → result=""',
    ],
  },
  {
    title:
      "the flow can't make a required input optional, and a node does not wait for a required input without an edge",
    flow: (flow) => {
      const lost = flow.field('x', flow.json({}));
      const print = flow.use('print', { print: lost }, { title: 'print' });
      flow.declare(print, 'print', { required: false, when_absent: 'run' });
      flow.declare(flow.use('to_string', {}, { title: 'text' }), 'stringify', { required: true });
    },
    output: '',
    errors: ['x: json_or_string: there is no field "x"'],
    notRun: ['print'],
    runs: [
      'json#0 → Source={}',
      'x#0 field="x" json_or_string={} ✗ json_or_string: there is no field "x"',
      'text#0 → result=""',
    ],
  },
  {
    title: 'an optional input without edge and form data is missing, not null',
    flow: (flow) => {
      const bare = flow.use('rhai_script_1x1', {}, { form: { source: mergeText }, title: 'bare' });
      flow.output('out', bare.output('u'));
    },
    output: 'out="none"',
    runs: ['bare#0 source="if a == () { \\"none\\" } else { a }" → u="none"', 'out#0 out="none" → out="none"'],
  },
];
