import { expect, it } from 'vitest';
import { type ImportRule, importRules } from '../../dev/checks/import_rules.ts';
import { checkImports, checkRows, findCycle, importsOf, ruleOf, wrongImport } from '../../dev/checks/imports.ts';

const targetsOf = (text: string, file = 'a/b/c.ts') => importsOf(file, text).map(({ to }) => to);

/** Returns the faults that the project's rules find in the imports of a file with this text. */
const faultsOf = (file: string, text: string) => importsOf(file, text).flatMap((one) => wrongImport(one) ?? []);

it('imports are found in all their forms, with their positions', () => {
  const text = `import { a } from './a.ts';
import type { B } from '../b.ts';
export * from './c/d.ts';
export { e } from './e.ts';
const f = () => import('./f.ts');
type G = import('./g.ts').G;
new Worker(new URL('./h.ts', import.meta.url));
import definition from './definition.json' with { type: 'json' };`;
  const paths = ['a/b/a.ts', 'a/b.ts', 'a/b/c/d.ts', 'a/b/e.ts', 'a/b/f.ts', 'a/b/g.ts', 'a/b/h.ts'];
  expect(targetsOf(text)).toEqual([...paths, 'a/b/definition.json']);
  expect(importsOf('a/b/c.ts', text).map(({ place }) => place)).toEqual(
    [...text.split('\n').keys()].map((index) => `a/b/c.ts:${index + 1}`),
  );
});

it('a package counts with all its parts, and a path that is built at run time is no file', () => {
  const text =
    "import '@scope/name/part.js'; import 'name/part'; import 'node:net'; import(name); new URL('./x', base);";
  expect(targetsOf(text)).toEqual(['@scope/name', 'name', 'node:net', 'what is only known at run time']);
});

it("the most specific row for a path applies, and a row with a folder's name precedes a row for any folder", () => {
  const row = (files: string): ImportRule => ({ files, mayImport: [], packages: [], why: '' });
  const rules = ['a', 'a/*', 'a/b', 'a/b/c.ts'].map(row);
  expect(['a/x.ts', 'a/x/x.ts', 'a/b/x.ts', 'a/b/c.ts', 'a/b/c/d.ts'].map((file) => ruleOf(file, rules).files))
    .toEqual(['a', 'a/*', 'a/b', 'a/b/c.ts', 'a/b']);
  expect(() => ruleOf('ab/x.ts', rules)).toThrow(
    'ab/x.ts is in no row of dev/checks/import_rules.ts: add a row for it.',
  );
});

it('an import that no row allows is reported with its rule, also an import of a type', () => {
  expect(faultsOf('runner/engine/x.ts', "\nimport type { A } from '../solana/transaction_order.ts';")).toEqual([
    'runner/engine/x.ts:2 imports runner/solana/transaction_order.ts, but runner/engine may ' +
    'import only itself, platform, types, packages but node: and postgres: the engine executes graphs. It receives ' +
    'the parts that settle instructions, store runs and reach outside.',
  ]);
});

const wrong: [file: string, specifier: string][] = [
  ['types/x.ts', '../platform/api_error.ts'],
  ['types/x.ts', 'node:crypto'],
  ['types/x.ts', 'hono'],
  ['types/values/x.ts', '../flow.ts'],
  ['platform/x.ts', '../functions/_shared/app.ts'],
  ['platform/x.ts', '../runner/log_line.ts'],
  ['platform/x.ts', 'node:net'],
  ['functions/_shared/x.ts', '../flow/app.ts'],
  ['functions/_shared/x.ts', '../../runner/log_line.ts'],
  ['functions/_shared/x.ts', 'node:net'],
  ['functions/deployment/x.ts', '../flow/app.ts'],
  ['functions/deployment/x.ts', '../../tests/support/api.ts'],
  ['functions/deployment/x.ts', '../../dev/stack/paths.ts'],
  ['functions/signature/x.ts', 'node:crypto'],
  ['runner/x.ts', 'node:net'],
  ['runner/x.ts', '../functions/flow/app.ts'],
  ['runner/x.ts', '../functions/_shared/body.ts'],
  ['runner/engine/x.ts', '../reach/http_client.ts'],
  ['runner/engine/x.ts', '../nodes/registry.ts'],
  ['runner/engine/graph/x.ts', '../tree/tree.ts'],
  ['runner/engine/x.ts', '../settings.ts'],
  ['runner/engine/x.ts', 'node:crypto'],
  ['runner/solana/x.ts', '../queue/claims.ts'],
  ['runner/queue/x.ts', '../nodes/registry.ts'],
  ['runner/nodes/print/x.ts', '../wait/index.ts'],
  ['runner/nodes/print/x.ts', '../registry.ts'],
  ['runner/nodes/print/x.ts', '../../settings.ts'],
  ['runner/nodes/print/x.ts', '../../rhai/script.ts'],
  ['runner/nodes/print/x.ts', 'node:net'],
  ['runner/rhai/x.ts', '../engine/node.ts'],
  ['runner/rhai/x.ts', '../../types/values/value.ts'],
  ['runner/rhai/x.ts', '@scure/base'],
  ['runner/rhai/library/texts.ts', '@noble/hashes/sha2.js'],
  ['runner/rhai/library/encodings.ts', '../../../types/values/decimal.ts'],
  ['runner/rhai/library/encodings.ts', '@noble/curves/ed25519.js'],
  ['runner/worker/x.ts', '../../tests/support/api.ts'],
  ['runner/worker/x.ts', '../../dev/stack/paths.ts'],
  ['client/shell/x.ts', '../../dev/stack/paths.ts'],
  ['console/shared/x.ts', '../../dev/docs/docs.ts'],
  ['console/flows/x.tsx', '../runs/runs_page.tsx'],
  ['console/runs/x.ts', '../../functions/flow/stop.ts'],
  ['runner/conditions/x.ts', '../rhai/operators.ts'],
  ['runner/threads/x.ts', '../nodes/print/index.ts'],
  ['runner/script/x.ts', '../threads/trial.ts'],
  ['runner/worker/x.ts', 'tsx'],
  ['runner/nodes/print/x.ts', 'postgres'],
  ['functions/mcp/x.ts', '@modelcontextprotocol/server'],
  ['dev/checks/x.ts', '../../tests/support/api.ts'],
];

it.each(wrong)('%s may not import %s', (file, specifier) => {
  expect(faultsOf(file, `import '${specifier}';`)).toHaveLength(1);
});

const right: [file: string, specifier: string][] = [
  ['types/x.ts', './values/value.ts'],
  ['platform/solana_message.ts', '@solana/kit'],
  ['functions/signature/x.ts', '@solana/kit'],
  ['functions/flow/x.ts', '../_shared/app.ts'],
  ['console/inbox/x.ts', '../shared/page.tsx'],
  ['runner/solana/x.ts', '../engine/node.ts'],
  ['runner/nodes/print/x.ts', '../../solana/rpc.ts'],
  ['runner/nodes/print/x.ts', './definition.json'],
  ['runner/nodes/registry.ts', './print/index.ts'],
  ['runner/threads/x.ts', '../rhai/task/evaluate.ts'],
  ['runner/script/x.ts', '@jitl/quickjs-wasmfile-release-sync/ffi'],
  ['runner/reach/x.ts', 'node:net'],
  ['runner/rhai/library/encodings.ts', '@noble/hashes/sha2.js'],
  ['runner/rhai/library/x.ts', '../../../types/values/decimal.ts'],
];

it.each(right)('%s may import %s', (file, specifier) => {
  expect(faultsOf(file, `import '${specifier}';`)).toEqual([]);
});

it('a cycle is found, also through types, and two ways to one file are no cycle', () => {
  const importOf = (pair: string) => {
    const [from = '', to = ''] = pair.split('');
    return { place: from, from, to };
  };
  expect(findCycle(['ab', 'bd', 'ac', 'cd'].map(importOf))).toBeUndefined();
  expect(findCycle(['ab', 'bc', 'cd', 'db'].map(importOf))).toEqual(['b', 'c', 'd', 'b']);
  const sources = [
    { file: 'types/a.ts', text: "import type { B } from './b.ts';" },
    { file: 'types/b.ts', text: "import type { A } from './a.ts';" },
  ];
  expect(() => checkImports(sources)).toThrow('These files import each other: types/a.ts -> types/b.ts -> types/a.ts.');
});

it('no row allows imports from tests/, sql/ or supabase/', () => {
  const allowed = importRules.flatMap((rule) => rule.mayImport);
  expect(allowed).toContain('types');
  expect(allowed.filter((path) => /^(tests|sql|supabase)(\/|$)/.test(path))).toEqual([]);
});

it('a row without files is reported', () => {
  const rules: ImportRule[] = [{ files: 'a', mayImport: [], packages: [], why: '' }];
  expect(() => checkRows(['a/x.ts'], rules)).not.toThrow();
  expect(() => checkRows([], rules)).toThrow('no source file is in a.');
});
