import { integerRange, type IntegerType, PORT_TYPES, type PortTypeName } from '../port_types.ts';

/** A JSON Schema of draft 2020-12. Integers beyond 2^53 are bigints. */
type PortSchema = { readonly [keyword: string]: unknown };

/**
 * The schema of an integer. If the type has integers that a JSON parser may round, the schema also accepts texts of
 * digits.
 */
function integerSchema(type: IntegerType): PortSchema {
  const [minimum, maximum] = integerRange(type);
  const integer = { type: 'integer', minimum, maximum };
  if (maximum < 2n ** 53n) return integer;
  const pattern = `^${minimum < 0n ? '-?' : ''}[0-9]{1,${String(maximum).length}}$`;
  return { anyOf: [integer, { type: 'string', pattern }] };
}

const base58 = (min: number, max: number): PortSchema => ({
  type: 'string',
  pattern: `^[1-9A-HJ-NP-Za-km-z]{${min},${max}}$`,
});

const SCHEMAS: { readonly [type in Exclude<PortTypeName, IntegerType>]: PortSchema } = {
  decimal: { anyOf: [{ type: 'number' }, { type: 'string', pattern: '^-?[0-9]{1,29}([.][0-9]{1,28})?$' }] },
  f32: { type: 'number' },
  f64: { type: 'number' },
  bool: { type: 'boolean' },
  string: { type: 'string' },
  address: base58(32, 44),
  pubkey: base58(32, 44),
  keypair: base58(32, 88),
  signature: base58(64, 88),
  bytes: { type: 'string', contentEncoding: 'base64' },
  object: { type: 'object' },
  array: { type: 'array' },
  json: {},
  free: {},
};

const isInteger = (name: PortTypeName): name is IntegerType => PORT_TYPES[name].field === 'integer';

/** Returns the JSON Schema for readable JSON of a type. */
export const schemaOf = (name: PortTypeName): PortSchema => isInteger(name) ? integerSchema(name) : SCHEMAS[name];
