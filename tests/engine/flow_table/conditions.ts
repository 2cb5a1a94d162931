import { d, type FlowRow, list, s } from './row.ts';

/**
 * Flows with nodes that choose an output by a condition. The nodes behind the other outputs are skipped. In a loop,
 * each element is decided separately.
 */
export const conditionRows: FlowRow[] = [
  {
    title: 'a branch runs the nodes behind the output that its condition chooses',
    flow: (flow) => {
      const branch = flow.use('branch', { value: flow.input('a') }, { form: { operator: 'gt', compare_to: 4 } });
      flow.output('more', branch.output('output'));
      flow.output('less', branch.output('rejected'));
    },
    inputs: { a: d(5) },
    output: 'more=5',
    notRun: ['less'],
    runs: ['a#0 a=5 → a=5', 'branch#0 compare_to=4u operator="gt" value=5 → output=5', 'more#0 more=5 → more=5'],
  },
  {
    title: 'a branch in a loop chooses an output for each element, and a collect gets the elements of its output',
    flow: (flow) => {
      const element = flow.foreach(flow.input('a'));
      const branch = flow.use('branch', { value: element }, { form: { operator: 'is_null' } });
      flow.output('nulls', flow.collect(branch.output('output'), 'nulls'));
      flow.output('others', flow.collect(branch.output('rejected'), 'others'));
    },
    inputs: { a: list(d(1), { N: 0 }, d(2)) },
    output: 'nulls=[null] others=[1, 2]',
    runs: [
      'a#0 a=[1, null, 2] → a=[1, null, 2]',
      'foreach#0 array=[1, null, 2] → element=[1, null, 2]',
      'branch#0 operator="is_null" value=1 → rejected=1',
      'branch#1 operator="is_null" value=null → output=null',
      'branch#2 operator="is_null" value=2 → rejected=2',
      'nulls#0 element=[null] → array=[null]',
      'nulls#0 nulls=[null] → nulls=[null]',
      'others#0 element=[1, 2] → array=[1, 2]',
      'others#0 others=[1, 2] → others=[1, 2]',
    ],
  },
  {
    title: 'a gate prevents a node with effects from running, and a filter gives two arrays',
    flow: (flow) => {
      const filter = flow.use('filter', { array: flow.input('a') }, {
        form: { operator: 'starts_with', compare_to: 'x' },
      });
      const gate = flow.use('gate', { condition: flow.constant({ B: false }), value: filter.output('filtered') });
      flow.output('done', flow.use('test_act', { with: gate.output('output') }, { title: 'act' }).output('done'));
      flow.output('held', gate.output('rejected'));
      flow.output('rest', filter.output('rejected'));
    },
    inputs: { a: list(s('xa'), s('b'), s('xc')) },
    output: 'held=["xa", "xc"] rest=["b"]',
    notRun: ['act', 'done'],
    runs: [
      'a#0 a=["xa", "b", "xc"] → a=["xa", "b", "xc"]',
      'filter#0 array=["xa", "b", "xc"] compare_to="x" operator="starts_with" → filtered=["xa", "xc"] rejected=["b"]',
      'const#0 → Source=false',
      'gate#0 condition=false value=["xa", "xc"] → rejected=["xa", "xc"]',
      'held#0 held=["xa", "xc"] → held=["xa", "xc"]',
      'rest#0 rest=["b"] → rest=["b"]',
    ],
  },
  {
    title: 'a switch in a loop chooses a case for each element, and a merge continues behind the branches',
    flow: (flow) => {
      const element = flow.foreach(flow.input('a'));
      const choice = flow.switch(element, [
        { name: 'small', operator: 'lt', compare_to: 10 },
        { name: 'even', operator: 'eq', compare_to: 20 },
      ]);
      const small = flow.wait(choice.output('small'), 1, undefined, 'small');
      const merge = flow.use('merge', { a: small, b: choice.output('even') });
      flow.output('out', flow.collect(merge.output('value')));
      flow.output('rest', flow.collect(choice.output('default'), 'rest'));
    },
    inputs: { a: list(d(1), d(20), d(30)) },
    output: 'out=[1, 20] rest=[30]',
    runs: [
      'a#0 a=[1, 20, 30] → a=[1, 20, 30]',
      'foreach#0 array=[1, 20, 30] → element=[1, 20, 30]',
      'switch#0 value=1 → small=1',
      'switch#1 value=20 → even=20',
      'switch#2 value=30 → default=30',
      'small#0 duration_ms=1u value=1 wait_for=true → value=1 wait_for=true',
      'merge#0 a=1 → value=1',
      'merge#1 b=20 → value=20',
      'collect#0 element=[1, 20] → array=[1, 20]',
      'out#0 out=[1, 20] → out=[1, 20]',
      'rest#0 element=[30] → array=[30]',
      'rest#0 rest=[30] → rest=[30]',
    ],
  },
  {
    title: 'a merge takes the first value in the order of its inputs, and without values does not run',
    flow: (flow) => {
      const none = flow.script('let w = 1', {}, 2, 'none');
      const late = flow.wait(flow.constant(s('late')), 3);
      flow.output(
        'first',
        flow.use('merge', { a: none.output('u'), b: late, c: flow.constant(s('c')) }).output('value'),
      );
      const empty = flow.use('merge', { a: none.output('u'), e: none.output('v') }, { title: 'empty' });
      flow.output('never', empty.output('value'));
    },
    output: 'first="late"',
    notRun: ['empty', 'never'],
    runs: [
      'none#0 source="let w = 1" →',
      'const#0 → Source="late"',
      'wait#0 duration_ms=3u value="late" wait_for=true → value="late" wait_for=true',
      'const#0 → Source="c"',
      'merge#0 b="late" c="c" → value="late"',
      'first#0 first="late" → first="late"',
    ],
  },
];
