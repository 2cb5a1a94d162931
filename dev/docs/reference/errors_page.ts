import { errorEntries } from '../../../types/errors.ts';
import { runErrors } from '../../../types/run_errors.ts';
import { StackError } from '../../stack/stack_error.ts';
import { markdownTable } from '../markdown_table.ts';
import { page, paragraph, sourcesOf } from './page.ts';
import { restErrors } from './rest_errors.ts';

/** Makes docs/reference/errors.md from the table of error codes. */
export function errorsPage(): string {
  const codes = Object.entries(errorEntries).toSorted(([, one], [, other]) => one.status - other.status);
  const sources = ['functions', 'runner', 'platform'].flatMap((folder) => sourcesOf(folder, '.ts'))
    .concat(sourcesOf('sql', '.sql')).join('\n');
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
      "All errors have the shape `{code, message, details, hint}`. Programs look at `code`. `message` and `hint` are for people and may change. On `/rest/v1`, `details` is JSON as a text, and there are also codes of PostgREST and Postgres. On `/functions/v1`, a fifth member `error` repeats the message for clients of other backends, which read it there. There is one exception: the gateway answers a request without the project's key with `{message, hint}`. No answer contains a stack trace. In the sources, `types/errors/` defines the codes, and `types/errors.ts` says where the messages are.",
    ),
    markdownTable([
      ['code', 'status', 'meaning', 'what to do'],
      ...codes.map(([code, { status, meaning, remedy }]) => [`\`${code}\``, String(status), meaning, remedy]),
    ]),
    '## On /rest/v1',
    paragraph(
      'These errors come from PostgREST and Postgres themselves, in the same shape. The message names the table, the column or the constraint.',
    ),
    markdownTable([['code', 'status', 'when', 'what to do'], ...restErrors]),
    '## In the errors of a run',
    paragraph(
      "The column `errors` of a failed run has lines, in the order of the nodes and their executions. A line is `<name> <id of the node>: <code>: <text>`. From the second execution of a node on, `#<times>` follows the id. Errors of the run itself name no node. The code is one of the codes below, or a code `kv_…` above. Other failures have no code. `rpc('flow_run_stats')` counts failures by code. An error about an input begins with the name of the input.",
    ),
    markdownTable([
      ['code', 'when', 'what to do'],
      ...Object.entries(runErrors).map(([code, { meaning, remedy }]) => [`\`${code}\``, meaning, remedy]),
    ]),
  );
}
