import { errorEntries } from '../../types/errors.ts';
import { isStoreError, runErrors } from '../../types/run_errors.ts';

/** The error codes in SQL: the status of each, and the codes with which runs fail. */
export const errorCodesFile = 'sql/100_platform/15_error_codes.sql';

const codes = Object.entries(errorEntries);

/** Puts items into lines of at most 110 characters. A longer item has a line of its own. */
function wrap(items: readonly string[]): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + item.length <= 110) lines[lines.length - 1] = `${last} ${item}`;
    else lines.push(item);
  }
  return lines;
}

const quoted = (names: readonly string[]): string[] =>
  wrap(names.map((name, index) => `'${name}'${index + 1 < names.length ? ',' : ''}`));

const statuses = [...new Set(codes.map(([, { status }]) => status))].toSorted((one, other) => one - other);
const cases = statuses.flatMap((status) => {
  const names = codes.filter(([, entry]) => entry.status === status).map(([code]) => code);
  return ['when error_status.code in (', ...quoted(names).map((line) => `  ${line}`), `) then ${status}`];
});

const runCodes = [...Object.keys(runErrors), ...codes.map(([code]) => code).filter(isStoreError)].toSorted();

/** The text that the file should have. */
export const errorCodesText = (): string =>
  `-- Written by npm run db:diff from types/errors.ts and types/run_errors.ts, in which changes are made.

create function private.error_status(code text)
returns integer
language sql immutable security invoker
begin atomic
  select case
${cases.map((line) => `    ${line}`).join('\n')}
  end;
end;
comment on function private.error_status(text) is
  'The HTTP status of an error code; null for an unknown code.';
grant execute on function private.error_status(text) to anon, authenticated, service_role;

create function private.run_error_codes()
returns text[]
language sql immutable security invoker
begin atomic
  select array[
${quoted(runCodes).map((line) => `    ${line}`).join('\n')}
  ];
end;
comment on function private.run_error_codes() is
  'The codes with which runs and nodes fail, including those of key-value stores.';
`;
