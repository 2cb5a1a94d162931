import { INPUT_TYPES, inputTypeNamed } from '../../types/values/input_types.ts';

/** The file with the table of input types in SQL. Deploys and starts read this table. */
export const inputTypesFile = 'sql/200_values/32_input_types.sql';

const text = (value: string | undefined): string => value === undefined ? 'null' : `'${value.replaceAll("'", "''")}'`;

const rowOf = (name: string): string => {
  const { portType, tags, format, words } = inputTypeNamed(name)!;
  const list = tags === undefined ? 'null' : `'{${tags.join(',')}}'`;
  return `    ('${name}', '${portType}', ${list}::text[], ${text(format)}, ${text(words)})`;
};

/** Returns the content of the file. */
export const inputTypesText = (): string =>
  `-- Written by npm run db:diff from types/values/input_types.ts, in which changes are made.

create function private.input_types()
returns table (name text, port_type text, tags text[], format text, words text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query values
${Object.keys(INPUT_TYPES).map(rowOf).join(',\n')};
end;
$$;
comment on function private.input_types() is
  'The types that an author may choose for an input of a flow. port_type: the type of ports as which the input counts. tags: the tags that its values may have; null for any. format: the format of its JSON Schema. words: what an error says after "must be".';
`;
