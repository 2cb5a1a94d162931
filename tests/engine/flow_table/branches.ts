import { d, type FlowRow, s } from './row.ts';

/**
 * A script that sets the output `u` if the input is true, and the output `v` if not. One of the two outputs stays
 * unset.
 */
const CHOOSE = 'let u = if a { "yes" }; let v = if !a { "no" };';
/** A script that returns the first of two inputs that is not null. */
const MERGE = 'if a != () { a } else { b }';

/**
 * Flows with branches: an unset output stops the nodes that need it, and a merge of optional inputs continues. A failed
 * node has the same effects as an unset output.
 */
export const branchRows: FlowRow[] = [
  {
    title: 'an output that a script leaves unset stops its branch, and the merge takes the value of the other branch',
    flow: (flow) => {
      const choice = flow.script(CHOOSE, { a: flow.input('a') }, 2, 'choice');
      const yes = flow.use('print', { print: choice.output('u') }, { title: 'yes' }).passthrough('print');
      const no = flow.use('print', { print: choice.output('v') }, { title: 'no' }).passthrough('print');
      flow.output('out', flow.script(MERGE, { a: yes, b: no }, 1, 'merge').output('u'));
    },
    inputs: { a: { B: false } },
    output: 'out="no"',
    notRun: ['yes'],
    runs: [
      'a#0 a=false → a=false',
      'choice#0 a=false source="let u = if a { \\"yes\\" }; let v = if !a { \\"no\\" };" → v="no"',
      'no#0 print="no" → __print_output="no" print="no"',
      'merge#0 b="no" source="if a != () { a } else { b }" → u="no"',
      'out#0 out="no" → out="no"',
    ],
    logs: ['Info no#0: no'],
  },
  {
    title: 'a node does not wait for an optional input whose source will not run, however long the branch is',
    flow: (flow) => {
      const choice = flow.script(CHOOSE, { a: flow.input('a') }, 2, 'choice');
      let branch = choice.output('u');
      for (const title of ['one', 'two', 'three']) {
        branch = flow.use('print', { print: branch }, { title }).passthrough('print');
      }
      flow.output('out', flow.script(MERGE, { a: branch, b: choice.output('v') }, 1, 'merge').output('u'));
    },
    inputs: { a: { B: false } },
    output: 'out="no"',
    notRun: ['one', 'two', 'three'],
    runs: [
      'a#0 a=false → a=false',
      'choice#0 a=false source="let u = if a { \\"yes\\" }; let v = if !a { \\"no\\" };" → v="no"',
      'merge#0 b="no" source="if a != () { a } else { b }" → u="no"',
      'out#0 out="no" → out="no"',
    ],
  },
  {
    title: 'a merge waits for a slow branch that may still give a value, and takes both values if both come',
    flow: (flow) => {
      const slow = flow.wait(flow.constant(s('slow')), 5);
      flow.output('out', flow.script('[a, b]', { a: slow, b: flow.constant(s('fast')) }, 1, 'merge').output('u'));
    },
    output: 'out=["slow", "fast"]',
    runs: [
      'const#0 → Source="slow"',
      'wait#0 duration_ms=5u value="slow" wait_for=true → value="slow" wait_for=true',
      'const#0 → Source="fast"',
      'merge#0 a="slow" b="fast" source="[a, b]" → u=["slow", "fast"]',
      'out#0 out=["slow", "fast"] → out=["slow", "fast"]',
    ],
  },
  {
    title: 'a merge does not run if both of its branches end without a value, unless an input lets it run',
    flow: (flow) => {
      const none = flow.script('let w = 1', {}, 2, 'none');
      const merge = flow.script(
        'if a == () && b == () { "neither" }',
        { a: none.output('u'), b: none.output('v') },
        1,
        'merge',
      );
      flow.output('out', merge.output('u'));
      flow.declare(merge, 'b', { when_absent: 'run' });
      flow.output('lost', flow.script('a', { a: none.output('u'), b: none.output('v') }, 1, 'held').output('u'));
    },
    output: 'out="neither"',
    notRun: ['held', 'lost'],
    runs: [
      'none#0 source="let w = 1" →',
      'merge#0 source="if a == () && b == () { \\"neither\\" }" → u="neither"',
      'out#0 out="neither" → out="neither"',
    ],
  },
  {
    title: 'with nested branches, only the nodes on the chosen path run',
    flow: (flow) => {
      const outer = flow.script(CHOOSE, { a: flow.input('a') }, 2, 'outer');
      const inner = flow.script(
        'let u = if b { a + " 1" }; let v = if !b { a + " 2" };',
        {
          a: flow.use('print', { print: outer.output('u') }, { title: 'gate' }).passthrough('print'),
          b: flow.input('b'),
        },
        2,
        'inner',
      );
      const inside = flow.script(MERGE, { a: inner.output('u'), b: inner.output('v') }, 1, 'merge 1').output('u');
      flow.output('out', flow.script(MERGE, { a: inside, b: outer.output('v') }, 1, 'merge 2').output('u'));
    },
    inputs: { a: { B: true }, b: { B: false } },
    output: 'out="yes 2"',
    runs: [
      'a#0 a=true b=false → a=true',
      'outer#0 a=true source="let u = if a { \\"yes\\" }; let v = if !a { \\"no\\" };" → u="yes"',
      'gate#0 print="yes" → __print_output="yes" print="yes"',
      'b#0 a=true b=false → b=false',
      'inner#0 a="yes" b=false source="let u = if b { a + \\" 1\\" }; let v = if !b { a + \\" 2\\" };" → v="yes 2"',
      'merge 1#0 b="yes 2" source="if a != () { a } else { b }" → u="yes 2"',
      'merge 2#0 a="yes 2" source="if a != () { a } else { b }" → u="yes 2"',
      'out#0 out="yes 2" → out="yes 2"',
    ],
    logs: ['Info gate#0: yes'],
  },
  {
    title: 'a flow_output behind a branch that is not taken adds no key to the output',
    flow: (flow) => {
      const choice = flow.script(CHOOSE, { a: flow.input('a') }, 2, 'choice');
      flow.output('yes', choice.output('u'));
      flow.output('no', choice.output('v'));
    },
    inputs: { a: { B: true } },
    output: 'yes="yes"',
    notRun: ['no'],
    runs: [
      'a#0 a=true → a=true',
      'choice#0 a=true source="let u = if a { \\"yes\\" }; let v = if !a { \\"no\\" };" → u="yes"',
      'yes#0 yes="yes" → yes="yes"',
    ],
  },
  {
    title: 'a collect behind a branch that is not taken gives an empty array',
    flow: (flow) => flow.output('out', flow.collect(flow.script('let v = 1', {}, 2, 'choice').output('u'))),
    output: 'out=[]',
    runs: ['choice#0 source="let v = 1" → v=1i', 'collect#0 element=[] → array=[]', 'out#0 out=[] → out=[]'],
  },
  {
    title: 'null is a value: its branch is taken',
    flow: (flow) => flow.output('out', flow.toText(flow.field('x', flow.json({ x: null })), 'text')),
    output: 'out="{\\n  \\"N\\": 0\\n}"',
    runs: [
      'json#0 → Source={x=null}',
      'x#0 field="x" json_or_string={x=null} → result_json=null result_string=""',
      'text#0 stringify=null → result="{\\n  \\"N\\": 0\\n}"',
      'out#0 out="{\\n  \\"N\\": 0\\n}" → out="{\\n  \\"N\\": 0\\n}"',
    ],
  },
  {
    title: 'a failed node stops only the nodes that need its outputs, and gives one error line',
    flow: (flow) => {
      const lost = flow.field('x', flow.json({ y: 1 }));
      flow.output('lost', flow.use('print', { print: lost }, { title: 'follower' }).passthrough('print'));
      flow.output('kept', flow.toText(flow.constant(d(1))));
    },
    output: 'kept="1"',
    errors: ['x: json_or_string: there is no field "x"'],
    notRun: ['follower', 'lost'],
    runs: [
      'json#0 → Source={y=1u}',
      'x#0 field="x" json_or_string={y=1u} ✗ json_or_string: there is no field "x"',
      'const#0 → Source=1',
      'to_string#0 stringify=1 → result="1"',
      'kept#0 kept="1" → kept="1"',
    ],
  },
  {
    title: 'an optional input whose source has failed counts as missing, and its node runs if the flow lets it run',
    flow: (flow) => {
      const lost = flow.field('x', flow.json({ y: 1 }));
      const rescue = flow.script('if a == () { "missing" } else { a }', { a: lost }, 1, 'rescue');
      flow.declare(rescue, 'a', { when_absent: 'run' });
      flow.output('out', rescue.output('u'));
      flow.output('kept', flow.script('b + a', { a: lost }, 1, 'held').output('u'));
    },
    output: 'out="missing"',
    errors: ['x: json_or_string: there is no field "x"'],
    notRun: ['held', 'kept'],
    runs: [
      'json#0 → Source={y=1u}',
      'x#0 field="x" json_or_string={y=1u} ✗ json_or_string: there is no field "x"',
      'rescue#0 source="if a == () { \\"missing\\" } else { a }" → u="missing"',
      'out#0 out="missing" → out="missing"',
    ],
  },
  {
    title: 'a script that throws leaves all its outputs unset, and no node behind it runs',
    flow: (flow) => {
      const script = flow.script('let v = 1; throw "as told"', {}, 2, 'throws');
      flow.output('lost', script.output('v'));
      flow.output('kept', flow.toText(script.output('u'), 'text'));
    },
    output: '',
    errors: ['throws: Runtime error: as told (line 1, position 12)'],
    notRun: ['lost', 'text', 'kept'],
    runs: [
      'throws#0 source="let v = 1; throw \\"as told\\"" ✗ Runtime error: as told (line 1, position 12)',
    ],
  },
  {
    title: 'errors are in the order of the nodes array, not in the order of time',
    flow: (flow) => {
      const last = flow.use('json_get_field', {}, { title: 'last', form: { field: 'x' } });
      flow.field('x', flow.json({}), 'first');
      flow.connect(flow.wait(flow.json({}), 1), last.input('json_or_string'));
    },
    output: '',
    errors: ['last: json_or_string: there is no field "x"', 'first: json_or_string: there is no field "x"'],
    runs: [
      'last#0 field="x" json_or_string={} ✗ json_or_string: there is no field "x"',
      'json#0 → Source={}',
      'first#0 field="x" json_or_string={} ✗ json_or_string: there is no field "x"',
      'json#0 → Source={}',
      'wait#0 duration_ms=1u value={} wait_for=true → value={} wait_for=true',
    ],
  },
  {
    title: 'a node that leaves several mandatory outputs unset fails with one error, and gives no output at all',
    flow: (flow) => {
      const node = flow.use('test_incomplete', {}, { title: 'incomplete', form: { in: 1 } });
      flow.output('given', node.output('given'));
      flow.output('in', node.passthrough('in'));
      flow.output('optional', flow.toText(node.output('optional'), 'text'));
    },
    output: '',
    errors: ['incomplete: output not found: ["missing","also_missing"]'],
    notRun: ['given', 'in', 'text', 'optional'],
    runs: [
      'incomplete#0 in=1u ✗ output not found: ["missing","also_missing"]',
    ],
  },
];
