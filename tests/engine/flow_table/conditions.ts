import { d, type FlowRow, list, s } from './row.ts';

/** Nodes that choose an output by a condition: the other branch is skipped, also for one element of a loop. */
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
    title: 'a branch in a loop chooses for each element, and a collect gets those that came through',
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
    title: 'a gate holds a node with effects back, and a filter gives two arrays',
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
];
