import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from 'recheck';
import ts from 'typescript';
import { runCommand } from '../local/command.ts';
import { projectDir } from '../local/paths.ts';
import { StackError } from '../local/stack_error.ts';

/** A regular expression as it stands in a file. */
export interface Pattern {
  /** Path and line. */
  place: string;
  source: string;
  flags: string;
}

/** Folders whose patterns meet texts that somebody else wrote. Tests match what the project itself has answered. */
const CHECKED_FILES = ['functions/*.ts', 'types/*.ts', 'supabase/*.ts', 'sql/*.sql', 'supabase/*.sql'];

/** How long the analysis of one pattern may take; most take some milliseconds. */
const TIMEOUT_MS = 120_000;

const uncheckable = (place: string, what: string): StackError =>
  new StackError(`${place}: ${what} can't be checked: write the pattern as a literal.`);

/** The regular expressions of a TypeScript file: literals, and `RegExp` of a text. Throws for one that is put together at run time. */
export function typeScriptPatterns(file: string, text: string): Pattern[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const patterns: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    const place = `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      patterns.push({ place, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
      const [given, flags] = node.arguments ?? [];
      if (
        given === undefined || !ts.isStringLiteralLike(given) || flags !== undefined && !ts.isStringLiteralLike(flags)
      ) {
        throw uncheckable(place, 'a RegExp that is made at run time');
      }
      patterns.push({ place, source: given.text, flags: flags?.text ?? '' });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return patterns;
}

/** What Postgres writes otherwise than JavaScript, as far as the project uses it. */
const POSIX_CLASSES: Record<string, string> = {
  '[:space:]': '\\s',
  '[:digit:]': '\\d',
  '[:alpha:]': 'A-Za-z',
  '[:alnum:]': 'A-Za-z0-9',
};

const toJavaScript = (pattern: string): string =>
  Object.entries(POSIX_CLASSES).reduce((text, [posix, script]) => text.replaceAll(posix, script), pattern);

/** A SQL text with its comments blanked out, so that positions stay. */
const withoutComments = (sql: string): string =>
  sql.split('\n').map((line) => line.trimStart().startsWith('--') ? ' '.repeat(line.length) : line).join('\n');

/**
 * The regular expressions of a SQL file, as JavaScript would write them: those of `~` and its kin, and of `substring(… from '…')`.
 * Throws for one that is no literal, and for functions that this does not read.
 */
export function sqlPatterns(file: string, text: string): Pattern[] {
  const sql = withoutComments(text);
  const placeOf = (index: number) => `${file}:${sql.slice(0, index).split('\n').length}`;
  const unread = /\b(?:regexp_\w+|similar to|like_regex)\b/i.exec(sql);
  if (unread !== null) throw uncheckable(placeOf(unread.index), unread[0]);
  return [...sql.matchAll(/(!?~\*?) |\bsubstring\([^()]+ from (?=')/g)].map(({ 0: operator, index }) => {
    const literal = /^'((?:[^']|'')*)'/.exec(sql.slice(index + operator.length))?.[1];
    if (literal === undefined) throw uncheckable(placeOf(index), operator.trim());
    return {
      place: placeOf(index),
      source: toJavaScript(literal.replaceAll("''", "'")),
      flags: operator.includes('*') ? 'i' : '',
    };
  });
}

/** The regular expressions of a file. */
export function filePatterns(file: string): Pattern[] {
  const text = readFileSync(join(projectDir, file), 'utf8');
  return file.endsWith('.sql') ? sqlPatterns(file, text) : typeScriptPatterns(file, text);
}

/** Throws a StackError that names each pattern which takes more than linear time on some text, with such a text. */
export async function checkPatterns(patterns: Pattern[]): Promise<void> {
  const faults: string[] = [];
  for (const { place, source, flags } of patterns) {
    const result = await check(source, flags, { timeout: TIMEOUT_MS });
    if (result.status === 'safe') continue;
    const why = result.status === 'vulnerable'
      ? `${result.complexity.summary}, as on ${result.attack.pattern}`
      : `it can't be told how long it takes (${result.error.kind})`;
    faults.push(`${place}: /${source}/${flags}: ${why}`);
  }
  if (faults.length > 0) {
    throw new StackError(`Patterns must take linear time on every text:\n${faults.join('\n')}`);
  }
}

/** The files whose patterns are checked, as git knows them. */
export async function filesWithPatterns(): Promise<string[]> {
  const listed = await runCommand('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...CHECKED_FILES], {
    name: 'git ls-files',
    cwd: projectDir,
  });
  return listed.trim().split('\n').filter((file) =>
    !file.endsWith('.test.ts') && !file.startsWith('supabase/migrations/')
  );
}
