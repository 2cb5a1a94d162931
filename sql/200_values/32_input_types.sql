-- Written by npm run db:diff from types/values/input_types.ts, in which changes are made.

create function private.input_types()
returns table (name text, port_type text, tags text[], format text, words text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query values
    ('text', 'string', '{S}'::text[], null, 'a text'),
    ('number', 'decimal', '{U,I,U1,I1,F,D}'::text[], null, 'a number'),
    ('integer', 'i128', '{U,I,U1,I1}'::text[], null, 'a whole number'),
    ('boolean', 'bool', '{B}'::text[], null, 'true or false'),
    ('date', 'string', '{S}'::text[], 'date', 'a date such as 2026-11-29'),
    ('email', 'string', '{S}'::text[], 'email', 'an e-mail address'),
    ('url', 'string', '{S}'::text[], 'uri', 'an http or https address'),
    ('list', 'array', '{A}'::text[], null, 'a list'),
    ('object', 'object', '{M}'::text[], null, 'an object'),
    ('public_key', 'pubkey', '{B3,S}'::text[], null, 'a public key: base58 of 32 bytes'),
    ('json', 'json', null::text[], null, 'JSON');
end;
$$;
comment on function private.input_types() is
  'The types that an author may choose for an input of a flow. port_type: the type of ports as which the input counts. tags: the tags that its values may have; null for any. format: the format of its JSON Schema. words: what an error says after "must be".';
