import { type ArgumentType, quoteName, quoteText } from './literals.ts';

/** A function of schema public, as the catalogue describes it. */
export interface Signature {
  arguments: (ArgumentType & { name: string; isRequired: boolean })[];
  /** The form of PostgREST's answer: nothing, JSON unchanged, a value as JSON, or an array of values or rows. */
  returns: 'nothing' | 'json' | 'value' | 'values' | 'rows';
}

/** Makes the statement whose `result` is an array with the signatures of all functions of this name. */
export const signaturesQuery = (name: string): string => `
  select coalesce(json_agg(json_build_object(
    'arguments', (
      select coalesce(json_agg(json_build_object(
        'name', i.name, 'type', format_type(i.type, null), 'isArray', t.typcategory = 'A',
        'isJson', coalesce(nullif(t.typelem, 0), t.oid) in ('json'::regtype, 'jsonb'::regtype),
        'isRequired', i.position <= p.pronargs - p.pronargdefaults
      ) order by i.position), '[]')
      from (
        select a.name, a.type, row_number() over (order by a.position) as position
        from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes)
          with ordinality as a (type, name, mode, position)
        where a.mode is null or a.mode in ('i', 'b', 'v')
      ) as i
      join pg_catalog.pg_type as t on t.oid = i.type
    ),
    'returns', case
      when p.prorettype = 'void'::regtype then 'nothing'
      when p.proretset and (p.proallargtypes is not null or r.typtype in ('c', 'p')) then 'rows'
      when p.proretset then 'values'
      when p.prorettype in ('json'::regtype, 'jsonb'::regtype) then 'json'
      else 'value'
    end
  )), '[]') as result
  from pg_catalog.pg_proc as p
  join pg_catalog.pg_type as r on r.oid = p.prorettype
  where p.pronamespace = 'public'::regnamespace and p.proname = ${quoteText(name)} and p.prokind = 'f'`;

/** Finds the signature that takes arguments of these names; undefined if no signature takes them. */
export const matchSignature = (signatures: readonly Signature[], given: readonly string[]): Signature | undefined =>
  signatures.find(({ arguments: known }) =>
    given.every((name) => known.some((argument) => argument.name === name)) &&
    known.every(({ name, isRequired }) => !isRequired || given.includes(name))
  );

/**
 * Makes the statement that calls a function. `place` returns the SQL expression for an argument: a parameter or literal
 * that holds the text of the value.
 */
export function callStatement(
  name: string,
  { arguments: known, returns }: Signature,
  given: readonly string[],
  place: (index: number) => string,
): string {
  const passed = given.map((argumentName, index) => {
    const { type } = known.find((argument) => argument.name === argumentName)!;
    return `${quoteName(argumentName)} => ${place(index)}::text::${type}`;
  });
  const call = `public.${quoteName(name)}(${passed.join(', ')})`;
  switch (returns) {
    case 'nothing':
    case 'json':
      return `select ${call} as result`;
    case 'value':
      return `select to_json(${call}) as result`;
    case 'values':
      return `select coalesce(json_agg(answer.value), '[]') as result from ${call} as answer (value)`;
    case 'rows':
      return `select coalesce(json_agg(answer.*), '[]') as result from ${call} as answer`;
  }
}
