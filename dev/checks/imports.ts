import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { runCommand } from '../stack/command.ts';
import { projectDir } from '../stack/paths.ts';
import { StackError } from '../stack/stack_error.ts';
import { ANY, type ImportRule, importRules, ITSELF, REACHING } from './import_rules.ts';

/** Stands for a specifier that is computed at run time. Only a row with ANY allows it. */
const COMPUTED = 'what is only known at run time';

/** One import of a file, of a value or of a type. */
interface Import {
  /** Path and line. */
  place: string;
  from: string;
  /** A path from the project's root, the name of a package or of a Node module, or COMPUTED. */
  to: string;
}

/** Returns the package of a specifier, without the path in the package: `@scope/name` for `@scope/name/part`. */
const packageOf = (specifier: string): string =>
  specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');

/**
 * True for a path. A package's name may end like a script (`decimal.js`), but only a name with a scope contains a
 * slash.
 */
const isFile = (to: string): boolean =>
  /\.(tsx?|json|css)$/.test(to) || (to.endsWith('.js') && to.includes('/') && !to.startsWith('@'));

/** Resolves a specifier to a path, a package's name or a module of Node. */
function resolve(file: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier.startsWith('node:') ? specifier : packageOf(specifier);
  return posix.normalize(posix.join(dirname(file), specifier));
}

/**
 * Lists all imports of a TypeScript file: `import` and `export … from` (of values and of types), `import(…)`, the type
 * `import('…')`, and `new URL('…', import.meta.url)`, which names the file of a worker thread.
 */
export function importsOf(file: string, text: string): Import[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new StackError(`${file} can't be read: ${errors[0]!.message}`);
  const imports: Import[] = [];
  const add = ({ start }: { start: number }, specifier: unknown) => {
    const place = `${file}:${text.slice(0, start).split('\n').length}`;
    imports.push({ place, from: file, to: typeof specifier === 'string' ? resolve(file, specifier) : COMPUTED });
  };
  const textOf = (expression: { type: string; value?: unknown } | undefined) =>
    expression?.type === 'Literal' ? expression.value : undefined;
  new Visitor({
    ImportDeclaration: (node) => add(node, node.source.value),
    ExportAllDeclaration: (node) => add(node, node.source.value),
    ExportNamedDeclaration(node) {
      if (node.source !== null) add(node, node.source.value);
    },
    ImportExpression: (node) => add(node, textOf(node.source)),
    TSImportType: (node) => add(node, textOf(node.source)),
    NewExpression(node) {
      const [path, base] = node.arguments;
      const isUrl = node.callee.type === 'Identifier' && node.callee.name === 'URL';
      if (isUrl && base?.type === 'MemberExpression' && base.object.type === 'MetaProperty') add(node, textOf(path));
    },
  }).visit(program);
  return imports;
}

/** True if a row names this file, or a folder that contains it; `*` is any one folder. */
function holds(name: string, file: string): boolean {
  const parts = file.split('/');
  return name.split('/').every((part, index) => part === '*' ? index < parts.length - 1 : part === parts[index]);
}

/** Returns the row that applies to a file: of the matching rows, the one with the longest path. */
export function ruleOf(file: string, rules: readonly ImportRule[] = importRules): ImportRule {
  // At the same depth, a row that names a folder takes precedence over one with `*`.
  const depth = (rule: ImportRule) => rule.files.split('/').length - (rule.files.includes('*') ? 0.5 : 0);
  const [rule] = rules.filter(({ files }) => holds(files, file)).sort((a, b) => depth(b) - depth(a));
  if (rule === undefined) throw new StackError(`${file} is in no row of dev/checks/import_rules.ts: add a row for it.`);
  return rule;
}

/** Returns the folder or file for which ITSELF stands in the row of this file. */
const itself = ({ files }: ImportRule, file: string): string =>
  file.split('/').slice(0, files.split('/').length).join('/');

/** Describes the rule that an import breaks; undefined if the import is allowed. */
export function wrongImport(
  { place, from, to }: Import,
  rules: readonly ImportRule[] = importRules,
): string | undefined {
  const rule = ruleOf(from, rules);
  const name = to.startsWith('node:') ? 'node:' : to;
  const mayStand = isFile(to)
    ? rule.mayImport.some((path) => holds(path === ITSELF ? itself(rule, from) : path, to))
    : rule.packages === undefined
    ? ![...REACHING, COMPUTED].includes(name)
    : rule.packages.includes(ANY) || rule.packages.includes(name);
  if (mayStand) return undefined;
  const allowed = [...rule.mayImport, ...rule.packages ?? [`packages but ${REACHING.join(' and ')}`]].join(', ');
  return `${place} imports ${to}, but ${rule.files} may import only ${allowed}: ${rule.why}`;
}

/** Finds a cycle of imports and returns its files; undefined if there is none. */
export function findCycle(imports: readonly Import[]): string[] | undefined {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...targets.get(from) ?? [], to]);
  const done = new Set<string>();
  const path: string[] = [];
  const search = (file: string): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    path.push(file);
    for (const to of targets.get(file) ?? []) {
      const cycle = search(to);
      if (cycle !== undefined) return cycle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of targets.keys()) {
    const cycle = search(file);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** A source file and its text. */
export interface Source {
  file: string;
  text: string;
}

/** Lists the source files that need rules, by `git ls-files`. Tests may import anything. */
export async function sourcesWithImportRules(): Promise<Source[]> {
  const folders = [
    'functions/*.ts',
    'types/*.ts',
    'runner/*.ts',
    'platform/*.ts',
    'client/*.ts',
    'console/*.ts',
    'console/*.tsx',
    'dev/*.ts',
    'dev/*.js',
    'platform/*.js',
  ];
  const listed = await runCommand('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], {
    name: 'git ls-files',
    cwd: projectDir,
  });
  const files = listed.trim().split('\n').filter((file) => !file.endsWith('.test.ts'));
  return files.filter((file) => existsSync(join(projectDir, file)))
    .map((file) => ({ file, text: readFileSync(join(projectDir, file), 'utf8') }));
}

/** Throws a StackError that names each forbidden import and an import cycle. Imports of types also count. */
export function checkImports(sources: readonly Source[], rules: readonly ImportRule[] = importRules): void {
  const imports = sources.flatMap(({ file, text }) => importsOf(file, text));
  const faults = imports.flatMap((one) => wrongImport(one, rules) ?? []);
  const cycle = findCycle(imports);
  if (cycle !== undefined) faults.push(`These files import each other: ${cycle.join(' -> ')}.`);
  if (faults.length > 0) throw new StackError(faults.join('\n'));
}

/** Throws a StackError for a file without a row, and for a row without a file. */
export function checkRows(files: readonly string[], rules: readonly ImportRule[] = importRules): void {
  const used = new Set(files.map((file) => ruleOf(file, rules)));
  const unused = rules.filter((rule) => !used.has(rule)).map((rule) => rule.files);
  if (unused.length > 0) {
    throw new StackError(`dev/checks/import_rules.ts: no source file is in ${unused.join(', ')}.`);
  }
}
