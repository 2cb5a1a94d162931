import { expect, it } from 'vitest';
import { type FlowScript, warnOfScripts } from './script_warnings.ts';

const script = (source: string | null, index = 0, flow_id = 7, inputs?: string[]): FlowScript => ({
  flow_id,
  index,
  node_id: `node ${index}`,
  language: inputs === undefined ? 'rhai' : 'javascript',
  inputs: inputs ?? [],
  source,
});

const read = (scripts: FlowScript[], left = {}) => ({
  as_of: {},
  scripts,
  scripts_left_out: 0,
  flows_left_out: 0,
  ...left,
});

it('warns of each script that does not parse, with flow, node, line and column', async () => {
  const scripts = [
    script('a + b', 0),
    script('let a = 1;\nlet b = ;', 3),
    script('eval("1")', 1, 8),
    script(null, 2, 8),
  ];
  expect(await warnOfScripts('', 7, read(scripts))).toEqual([
    {
      flow_id: 7,
      code: 'script_invalid',
      path: 'nodes[3].data.targets_form.form_data.source',
      node_id: 'node 3',
      line: 2,
      column: 9,
      message: expect.stringMatching(/^the script is wrong at line 2, column 9: /),
    },
    expect.objectContaining({ flow_id: 8, node_id: 'node 1', line: 1, column: 1 }),
    expect.objectContaining({
      flow_id: 8,
      node_id: 'node 2',
      message: 'the node has no script, so the run fails at it',
    }),
  ]);
});

it('parses JavaScript and TypeScript with the inputs of the node, and runs nothing', async () => {
  const scripts = [
    script('const b: number = a;\nreturn b', 0, 7, ['a']),
    script('const a = 1;', 1, 7, ['a']),
    script('return 1;\nlet b = ;', 2, 7, []),
    script('for (;;) nope()', 3, 7, []),
    // This script uses up the stack of the sandbox.
    script('('.repeat(60_000), 6, 7, []),
    // Parsers put a script into a function. This script ends that function, so a parser that ran its input would run
    // Date.now().
    script('}, Date.now(), function () {', 5, 7, []),
    script(null, 4, 7, []),
  ];
  expect(await warnOfScripts('', 7, read(scripts))).toEqual([
    expect.objectContaining({ code: 'script_invalid', node_id: 'node 1', line: 1 }),
    expect.objectContaining({ node_id: 'node 2', line: 2, column: 9, message: expect.stringContaining('SyntaxError') }),
    expect.objectContaining({ node_id: 'node 6', line: 1, message: expect.stringContaining('stack overflow') }),
    expect.objectContaining({ node_id: 'node 4', message: 'the node has no script, so the run fails at it' }),
  ]);
});

it('stops parsing types that a parser tries again and again', async () => {
  const hostile = `let a: T = ${'<T>('.repeat(30)}1${')'.repeat(30)};`;
  const warnings = await warnOfScripts('', 7, read([script(hostile, 0, 7, []), script('return 1', 1, 7, [])]));
  expect(warnings).toEqual([expect.objectContaining({ code: 'scripts_not_parsed' })]);
  expect(warnings[0]!.message).toContain('2 scripts');
});

it('parses the expressions of edges, and refuses functions whose results differ', async () => {
  const expressions = ['a.b', '1 +', '$map(x, $random)', '$nope()'];
  const scripts = expressions.map((source, index): FlowScript => ({ ...script(source, index), language: 'jsonata' }));
  expect(await warnOfScripts('', 7, read(scripts))).toEqual([
    expect.objectContaining({ code: 'expression_invalid', path: 'edges[1].data.expression', node_id: 'node 1' }),
    expect.objectContaining({
      path: 'edges[2].data.expression',
      message: "the expression is wrong: $random can't be used on an edge (character 15)",
    }),
  ]);
});

it('warns of a schema that no answer can be checked against', async () => {
  const schemas = ['{"type": "object"}', '{"type": "text"}', '"text"'];
  const scripts = schemas.map((source, index): FlowScript => ({ ...script(source, index), language: 'json_schema' }));
  expect(await warnOfScripts('', 7, read(scripts))).toEqual([
    {
      flow_id: 7,
      code: 'answer_schema_invalid',
      path: 'nodes[1].data.targets_form.form_data.json_schema',
      node_id: 'node 1',
      message: expect.stringContaining('the run fails at the node, because of its json_schema.type: must be one of'),
    },
    expect.objectContaining({ node_id: 'node 2' }),
  ]);
});

it('does not warn of scripts that fail only when they run', async () => {
  expect(await warnOfScripts('', 7, read([script('unknown_name + 1'), script('throw "x"'), script('')]))).toEqual([]);
});

it('stops at its time limit and reports how many scripts it did not parse', async () => {
  let time = 0;
  const slow = () => time += 150;
  const scripts = Array.from({ length: 10 }, (_, index) => script('let b = ;', index));
  const warnings = await warnOfScripts('', 7, read(scripts, { scripts_left_out: 2, flows_left_out: 1 }), slow);
  expect(warnings.filter(({ code }) => code === 'script_invalid')).toHaveLength(4);
  expect(warnings.at(-1)).toEqual({
    flow_id: 7,
    code: 'scripts_not_parsed',
    path: 'nodes',
    message: 'not parsed, because there are too many or they are too long: 8 scripts and those of 1 called flow',
  });
});
