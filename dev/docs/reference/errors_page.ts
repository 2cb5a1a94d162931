import { errorEntries } from '../../../types/errors.ts';
import { runErrors } from '../../../types/run_errors.ts';
import { StackError } from '../../stack/stack_error.ts';
import { markdownTable } from '../markdown_table.ts';
import { page, paragraph, sourcesOf } from './page.ts';
import { restErrors } from './rest_errors.ts';

/** Makes docs/reference/errors.md from the table of error codes. */
export function errorsPage(): string {
  const codes = Object.entries(errorEntries).toSorted(([, one], [, other]) => one.status - other.status);
  const sources = [...sourcesOf('functions', '.ts'), ...sourcesOf('runner', '.ts'), ...sourcesOf('sql', '.sql')].join(
    '\n',
  );
  const constraints = restErrors.flatMap(([code]) => code.split(/[` ]/)).filter((word) =>
    /_(?:key|fkey|pkey|idx)$/.test(word)
  );
  const unknownConstraints = constraints.filter((name) =>
    !sources.includes(name) && !sources.includes(`create table public.${name.replace(/_pkey$/, '')} (`)
  );
  if (unknownConstraints.length > 0) {
    throw new StackError(`There is no constraint ${unknownConstraints.join(', ')} (rest_errors.ts).`);
  }
  return page(
    'Errors',
    '`types/errors/`, `types/run_errors.ts` and `dev/docs/reference/rest_errors.ts`',
    paragraph(
      "Errors have one shape, `{code, message, details, hint}`. Programs look at `code`; `message` and `hint` are for people and may change. On `/rest/v1` `details` is that JSON as text, and codes of PostgREST and Postgres appear beside these. On `/functions/v1` a fifth member, `error`, repeats the message, for clients of other backends that read it there. One exception: the gateway answers a request without the project's key with `{message, hint}` only. No answer contains a stack trace. In the code `types/errors/` has them, and `types/errors.ts` says where the messages are.",
    ),
    markdownTable([
      ['code', 'status', 'meaning', 'what to do'],
      ...codes.map(([code, { status, meaning, remedy }]) => [`\`${code}\``, String(status), meaning, remedy]),
    ]),
    '## On /rest/v1',
    paragraph(
      'PostgREST and Postgres answer these themselves, in the same shape. The message names the table, the column or the constraint.',
    ),
    markdownTable([['code', 'status', 'when', 'what to do'], ...restErrors]),
    '## In the errors of a run',
    paragraph(
      "A failed run has lines in `errors`, in the order of its nodes and their executions. A line is `<name> <id of the node>: <code>: <text>`, with `#<times>` after the id from the second execution on; errors of the run itself name no node. The code is one of these or a code `kv_…` above; other failures have none. `rpc('flow_run_stats')` counts failures by code. An error about an input begins with the name of the input.",
    ),
    markdownTable([
      ['code', 'when', 'what to do'],
      ...Object.entries(runErrors).map(([code, { meaning, remedy }]) => [`\`${code}\``, meaning, remedy]),
    ]),
  );
}
