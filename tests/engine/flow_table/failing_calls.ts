import type { FormJson } from '../../support/flow_builder.ts';
import { countDown, plusOne } from './interflow.ts';
import { d, type FlowRow } from './row.ts';

/** Flows that call other flows. The called flow fails, or lacks a requested output. */
export const failingCallRows: FlowRow[] = [
  {
    title: 'a call beyond the depth limit fails, and each caller reports its error',
    flow: countDown,
    flows: { 1: countDown },
    inputs: { n: d(9) },
    options: { limits: { interflowDepth: 2 } },
    output: '',
    errors: ['below: below: below: recursive depth reached: calls of flows may be nested 2 deep'],
    notRun: ['depth', 'out'],
    runs: [
      'n#0 n=9 → n=9',
      'step#0 a=9 source="let u = if a > 0 { a - 1 }; let v = if a == 0 { 0 };" → u=8',
      'below#0 n=8 ✗ below 00000000-0000-4000-8000-000000000008: below 00000000-0000-4000-8000-000000000008: recursive depth reached: calls of flows may be nested 2 deep',
      'below#0 > n#0 n=8 → n=8',
      'below#0 > step#0 a=8 source="let u = if a > 0 { a - 1 }; let v = if a == 0 { 0 };" → u=7',
      'below#0 > below#0 n=7 ✗ below 00000000-0000-4000-8000-000000000008: recursive depth reached: calls of flows may be nested 2 deep',
      'below#0 > below#0 > n#0 n=7 → n=7',
      'below#0 > below#0 > step#0 a=7 source="let u = if a > 0 { a - 1 }; let v = if a == 0 { 0 };" → u=6',
      'below#0 > below#0 > below#0 n=6 ✗ recursive depth reached: calls of flows may be nested 2 deep',
    ],
  },
  {
    title:
      'the errors of a called flow, joined line by line, are the error of the calling node, which gives no outputs',
    flow: (flow) => flow.output('out', flow.interflow(1, {}, ['kept'], 'call').output('kept')),
    flows: {
      1: (flow) => {
        flow.field('x', flow.json({}));
        flow.field('y', flow.json({}));
        flow.output('kept', flow.constant(d(1)));
      },
    },
    output: '',
    errors: [
      'call: x: json_or_string: there is no field "x";\ny: json_or_string: there is no field "y"',
    ],
    notRun: ['out'],
    runs: [
      'call#0 ✗ x 00000000-0000-4000-8000-000000000003: json_or_string: there is no field "x";\ny 00000000-0000-4000-8000-000000000010: json_or_string: there is no field "y"',
      'call#0 > json#0 → Source={}',
      'call#0 > x#0 field="x" json_or_string={} ✗ json_or_string: there is no field "x"',
      'call#0 > json#0 → Source={}',
      'call#0 > y#0 field="y" json_or_string={} ✗ json_or_string: there is no field "y"',
      'call#0 > const#0 → Source=1',
      'call#0 > kept#0 kept=1 → kept=1',
    ],
  },
  {
    title: 'a call of a flow in a loop may fail for one element alone',
    flow: (flow) => {
      const call = flow.interflow(1, { map: flow.foreach(flow.json([{ x: 1 }, {}, { x: 3 }])) }, ['out'], 'call');
      flow.output('out', flow.collectOthers(call.output('out')));
    },
    flows: { 1: (flow) => flow.output('out', flow.field('x', flow.input('map'))) },
    output: 'out=[1u, 3u]',
    errors: ['call#1: x: json_or_string: there is no field "x"'],
    runs: [
      'json#0 → Source=[{x=1u}, {}, {x=3u}]',
      'foreach#0 array=[{x=1u}, {}, {x=3u}] → element=[{x=1u}, {}, {x=3u}]',
      'call#0 map={x=1u} → out=1u',
      'call#0 > map#0 map={x=1u} → map={x=1u}',
      'call#0 > x#0 field="x" json_or_string={x=1u} → result_json=1u result_string="1"',
      'call#0 > out#0 out=1u → out=1u',
      'call#1 map={} ✗ x 00000000-0000-4000-8000-000000000003: json_or_string: there is no field "x"',
      'call#1 > map#0 map={} → map={}',
      'call#1 > x#0 field="x" json_or_string={} ✗ json_or_string: there is no field "x"',
      'call#2 map={x=3u} → out=3u',
      'call#2 > map#0 map={x=3u} → map={x=3u}',
      'call#2 > x#0 field="x" json_or_string={x=3u} → result_json=3u result_string="3"',
      'call#2 > out#0 out=3u → out=3u',
      'collect#0 element=[1u, 3u] → array=[1u, 3u]',
      'out#0 out=[1u, 3u] → out=[1u, 3u]',
    ],
  },
  {
    title: 'an optional output that the called flow does not give is absent: its branch ends, and a merge continues',
    flow: (flow) => {
      const call = flow.interflow(1, { a: flow.input('a') }, ['yes?', 'no?'], 'call');
      flow.output(
        'out',
        flow.script('if a != () { a } else { b }', { a: call.output('yes'), b: call.output('no') }).output('u'),
      );
      flow.output('yes', call.output('yes'));
    },
    flows: {
      1: (flow) => {
        const choice = flow.script(
          'let u = if a { "yes" }; let v = if !a { "no" };',
          { a: flow.input('a') },
          2,
          'choice',
        );
        flow.output('yes', choice.output('u'));
        flow.output('no', choice.output('v'));
      },
    },
    inputs: { a: { B: false } },
    output: 'out="no"',
    notRun: ['yes'],
    runs: [
      'a#0 a=false → a=false',
      'call#0 a=false → no="no"',
      'call#0 > a#0 a=false → a=false',
      'call#0 > choice#0 a=false source="let u = if a { \\"yes\\" }; let v = if !a { \\"no\\" };" → v="no"',
      'call#0 > no#0 no="no" → no="no"',
      'script#0 b="no" source="if a != () { a } else { b }" → u="no"',
      'out#0 out="no" → out="no"',
    ],
  },
  {
    title: 'a mandatory output that the called flow does not give fails the call',
    flow: (flow) => flow.output('out', flow.interflow(1, {}, ['other'], 'call').output('other')),
    flows: { 1: plusOne },
    output: '',
    errors: ['call: output not found: ["other"]'],
    notRun: ['out'],
    runs: [
      'call#0 ✗ output not found: ["other"]',
      'call#0 > n#0 → n=0u',
      'call#0 > plus one#0 a=0u source="a + 1" → u=1',
      'call#0 > out#0 out=1 → out=1',
    ],
  },
  {
    title: 'a flow that is not in the snapshot cannot be called',
    flow: (flow) => {
      flow.interflow(7, {}, ['out?'], 'call');
    },
    output: '',
    errors: ['call: the snapshot of the run has no flow 7'],
    runs: ['call#0 ✗ the snapshot of the run has no flow 7'],
  },
  {
    title: 'a call names its flow by the id as a number, or by a text of its digits',
    flow: (flow) => {
      for (const id of ['1', 'one', null, 1.5, -1] as FormJson[]) {
        flow.node('interflow', { outputs: ['out'], form: { id }, title: `call ${JSON.stringify(id)}` });
      }
    },
    flows: { 1: plusOne },
    output: '',
    errors: ['one', null, 1.5, -1].map((id) =>
      `call ${JSON.stringify(id)}: form_data.id must be the integer id of a flow`
    ),
    runs: [
      'call "1"#0 → out=1',
      'call "1"#0 > n#0 → n=0u',
      'call "1"#0 > plus one#0 a=0u source="a + 1" → u=1',
      'call "1"#0 > out#0 out=1 → out=1',
      'call "one"#0 ✗ form_data.id must be the integer id of a flow',
      'call null#0 ✗ form_data.id must be the integer id of a flow',
      'call 1.5#0 ✗ form_data.id must be the integer id of a flow',
      'call -1#0 ✗ form_data.id must be the integer id of a flow',
    ],
  },
];
