import { parseSync, Visitor } from 'oxc-parser';
import { StackError } from '../stack/stack_error.ts';
import type { Source } from './imports.ts';
import { withoutComments } from './patterns.ts';

/** SQL that the gateway of Multigres refuses, because it would change the server or reach out of the database. */
interface BlockedSql {
  name: string;
  pattern: RegExp;
}

/** Multigres decides itself how many servers a commit waits for; so it refuses changes of `synchronous_commit`. */
export const BLOCKED_SQL: readonly BlockedSql[] = [
  { name: 'synchronous_commit', pattern: /\bsynchronous_commit\b/i },
  { name: 'dblink', pattern: /\bdblink/i },
  { name: 'a foreign server', pattern: /\bcreate\s+(?:server|foreign)\b|\bimport\s+foreign\b/i },
  { name: 'LOAD', pattern: /\bload\s'/i },
  { name: 'ALTER SYSTEM', pattern: /\balter\s+system\b/i },
  { name: 'a large object', pattern: /\blo_\w+\s?\(|\blo(?:read|write)\b|\bpg_largeobject/i },
  {
    name: "a function that reads the server's files",
    pattern: /\bpg_(?:read_file|read_binary_file|ls_dir|stat_file)\b/i,
  },
];

/** Returns the SQL in a file, each text with its line. In TypeScript it may be in any literal or template. */
function textsOf(file: string, text: string): [line: number, sql: string][] {
  if (file.endsWith('.sql')) return [[1, withoutComments(text)]];
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new StackError(`${file} can't be read: ${errors[0]!.message}`);
  const texts: [number, string][] = [];
  const add = (start: number, value: unknown) => {
    if (typeof value === 'string') texts.push([text.slice(0, start).split('\n').length, value]);
  };
  new Visitor({
    Literal: ({ start, value }) => add(start, value),
    TemplateElement: ({ start, value }) => add(start, value.cooked),
  }).visit(program);
  return texts;
}

/** Throws a StackError that names each place with SQL that Multigres refuses. */
export function checkMultigres(sources: readonly Source[]): void {
  const faults = sources.flatMap(({ file, text }) =>
    textsOf(file, text).flatMap(([line, sql]) =>
      BLOCKED_SQL.flatMap(({ name, pattern }) => {
        const found = pattern.exec(sql);
        if (found === null) return [];
        return [`${file}:${line + sql.slice(0, found.index).split('\n').length - 1}: Multigres refuses ${name}.`];
      })
    )
  );
  if (faults.length > 0) throw new StackError(faults.join('\n'));
}
