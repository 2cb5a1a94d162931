import { limits } from '../../types/limits.ts';
import type { Limit } from '../../types/limits/limit.ts';
import { quotas } from '../../types/limits/quotas.ts';

/** The limits that SQL checks, as functions, and the quotas of users. */
export const limitsFile = 'sql/100_platform/16_limits.sql';

const MAX_INTEGER = 2 ** 31 - 1;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const typeOf = (value: number): string => value > MAX_INTEGER ? 'bigint' : 'integer';

const inSql = Object.entries<Limit>(limits).filter(([, limit]) => limit.inSql === true);

// The body returns a constant, so the planner replaces the call by the number.
const functionOf = ([name, { value, unit, meaning }]: [string, Limit]): string =>
  `create function private.limit_${name}()
returns ${typeOf(value)}
language sql immutable security invoker
return ${value};
comment on function private.limit_${name}() is
  ${quoted(`Limit in ${unit}: ${meaning}.`)};`;

const grant = `grant execute on function
${inSql.map(([name]) => `  private.limit_${name}()`).join(',\n')}
to authenticated, service_role;`;

const quotaRows = Object.entries<Limit>(quotas).map(([name, { value, meaning }], index) =>
  `    (${quoted(name)}, ${value}${index === 0 ? '::bigint' : ''}, ${quoted(meaning)})`
);

/** The text that the file should have. */
export const limitsText = (): string =>
  `-- Written by npm run db:diff from types/limits/, in which changes are made.

${inSql.map(functionOf).join('\n\n')}

${grant}

create function private.known_quotas()
returns table (name text, default_value bigint, noun text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query values
${quotaRows.join(',\n')};
end;
$$;
comment on function private.known_quotas() is
  'The quotas with their defaults for each user. Bytes are counted as stored, after compression.';
`;
