import { stringify } from 'lossless-json';
import { schemaOf } from '../../types/values/json/readable_schemas.ts';
import {
  acceptsKind,
  CONVERSIONS,
  integerRange,
  type IntegerType,
  type Kind,
  KINDS,
  PORT_TYPES,
  type PortTypeName,
  type Tag,
} from '../../types/values/port_types.ts';

/** The file with the table of port types in SQL. Deploys and descriptions of deployments read this table. */
export const portTypesFile = 'sql/200_values/30_port_types.sql';

/**
 * The bits of the masks `takes` and `makes`. Numbers are distinguished by their size, whatever their tag is. Two bits
 * stand for no values: `free` distinguishes the type free from json, and `string` distinguishes the type string from
 * the texts that bytes accept.
 */
const BITS = {
  whole8: 0,
  whole16: 1,
  whole32: 2,
  whole64: 3,
  whole128: 4,
  negative8: 5,
  negative16: 6,
  negative32: 7,
  negative64: 8,
  negative128: 9,
  fraction: 10,
  f32: 11,
  f64: 12,
  B: 13,
  S: 14,
  'key text': 15,
  B3: 16,
  wallet: 17,
  B6: 18,
  BY: 19,
  M: 20,
  A: 21,
  free: 22,
  string: 23,
} as const;
type Bit = keyof typeof BITS;

const maskOf = (bits: readonly Bit[]): number => bits.reduce((mask, bit) => mask + 2 ** BITS[bit], 0);
const hasBit = (kind: Kind): kind is Kind & Bit => Object.hasOwn(BITS, kind);

const SIZES = [8, 16, 32, 64, 128] as const;

function integersOf(type: IntegerType): Bit[] {
  const [min] = integerRange(type);
  const sizes = SIZES.filter((size) => size <= Number(type.slice(1)));
  return sizes.flatMap((size): Bit[] => min < 0n ? [`whole${size}`, `negative${size}`] : [`whole${size}`]);
}

/** The numbers that a type accepts; undefined for a type without numbers. */
function numbersOf(name: PortTypeName): Bit[] | undefined {
  if (PORT_TYPES[name].field === 'integer') return integersOf(name as IntegerType);
  const decimals: Bit[] = [...integersOf('i64'), 'fraction'];
  if (name === 'decimal') return decimals;
  if (name === 'f32') return [...decimals, 'f32'];
  return name === 'f64' ? [...decimals, 'f32', 'f64'] : undefined;
}

/** The bits for a tag that a type accepts. If only some values with the tag convert, there is no bit. */
function takenOf(tag: Tag, conversion: keyof typeof CONVERSIONS): Bit[] {
  if (conversion === 'base58Key') return ['key text'];
  if (conversion === 'publicKeyMember') return ['wallet'];
  if (CONVERSIONS[conversion] === 'sometimes' || !hasBit(tag)) return [];
  if (tag === 'S') return conversion === 'same' ? ['S', 'key text', 'string'] : ['S', 'key text'];
  return [tag];
}

/** The mask of the values that every port of the type accepts. */
function takes(name: PortTypeName): number {
  const every = maskOf(Object.keys(BITS) as Bit[]);
  if (name === 'free') return every;
  if (name === 'json') return every - maskOf(['free']);
  const accepted = Object.entries(PORT_TYPES[name].accepts) as [Tag, keyof typeof CONVERSIONS][];
  return maskOf(numbersOf(name) ?? accepted.flatMap(([tag, conversion]) => takenOf(tag, conversion)));
}

/** The mask of the values that a port of the type makes from readable JSON, which is JSON without type tags. */
function makes(name: PortTypeName): number {
  if (name === 'free' || name === 'json') return takes(name);
  const { gives }: { gives: readonly Kind[] } = PORT_TYPES[name];
  return maskOf(numbersOf(name) ?? gives.filter(hasBit));
}

const kindMask = (kinds: readonly Kind[]): number => kinds.reduce((mask, kind) => mask + 2 ** KINDS.indexOf(kind), 0);

/** Writes a JSON Schema as jsonb. Each alternative of a choice gets its own line. */
function schemaText(name: PortTypeName): string {
  const schema = schemaOf(name);
  if (!Array.isArray(schema.anyOf)) return `'${stringify(schema)}'::jsonb`;
  return `'{"anyOf":[\n      ${schema.anyOf.map((part) => stringify(part)).join(',\n      ')}]}'::jsonb`;
}

const row = (name: PortTypeName, index: number): string => {
  const accepted = kindMask(KINDS.filter((kind) => acceptsKind(name, kind)));
  const masks = [takes(name), makes(name), accepted, kindMask(PORT_TYPES[name].gives)];
  return `    ('${name}', ${index + 1}, ${masks.map((mask) => `${mask}::bigint`).join(', ')},\n      ${
    schemaText(name)
  })`;
};

/** The text that the file should have. */
export const portTypesText = (): string =>
  `-- Written by npm run db:diff from types/values/port_types.ts, in which changes are made.

create function private.port_types()
returns table (
  name text, place integer, takes bigint, makes bigint, accepts bigint, gives bigint, json_schema jsonb
)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query values
${(Object.keys(PORT_TYPES) as PortTypeName[]).map(row).join(',\n')};
end;
$$;
comment on function private.port_types() is
  'One row for each port type. takes, makes: masks of the values that the type always takes and that its JSON makes; the kinds of private.value_kinds(). accepts, gives: masks of the kinds of values that an input accepts and an output gives; their bits have another order. json_schema: the JSON Schema of the readable JSON.';

create function private.value_kinds()
returns table (name text, mask bigint)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query values
${(Object.keys(BITS) as Bit[]).map((bit) => `    ('${bit}', ${maskOf([bit])}::bigint)`).join(',\n')};
end;
$$;
comment on function private.value_kinds() is
  'The kinds of values in the masks takes and makes of private.port_types(), each with its bit.';
`;
