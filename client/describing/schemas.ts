import { type DescribedJson, listOf, memberOf, type References } from './documents.ts';

/** The deepest nesting of `allOf`. */
const MAX_DEPTH = 30;

/** The types of a schema, without `null`. */
function typesOf(schema: DescribedJson, references: References): string[] {
  const { type } = schema;
  const types = (Array.isArray(type) ? references.list(type) : [type]).filter((one) => typeof one === 'string');
  if (types.length === 0 && memberOf(schema, 'properties') !== undefined) return ['object'];
  return types.filter((one) => one !== 'null');
}

/** Returns the type of the port for a value of a schema. */
export function portTypeOf(json: unknown, references: References): string {
  const schema = references.resolve(json);
  const [type, ...others] = typesOf(schema, references);
  if (others.length > 0) return 'free';
  const { format, minimum, contentEncoding } = schema;
  switch (type) {
    case 'string':
      return format === 'byte' || format === 'binary' || contentEncoding === 'base64' ? 'bytes' : 'string';
    case 'integer':
      return typeof minimum === 'number' && minimum >= 0 ? 'u64' : 'i64';
    case 'number':
      return format === 'float' || format === 'double' ? 'f64' : 'decimal';
    case 'boolean':
      return 'bool';
    case 'object':
    case 'array':
      return type;
    case 'file':
      return 'bytes';
    default: {
      const part = listOf(memberOf(schema, 'allOf'))[0];
      return part === undefined
        ? 'free'
        : Object.keys(propertiesOf(schema, references).properties).length > 0
        ? 'object'
        : 'free';
    }
  }
}

/** The members of an object. */
interface Properties {
  /** A schema by name; an object without a prototype. */
  properties: { [name: string]: unknown };
  required: Set<string>;
}

/** Collects the properties of an object's schema and of the parts in its `allOf`. Alternatives are not followed. */
export function propertiesOf(json: unknown, references: References): Properties {
  const found: Properties = { properties: Object.create(null), required: new Set() };
  const collect = (part: unknown, depth: number): void => {
    const schema = references.resolve(part);
    for (const [name, property] of references.members(memberOf(schema, 'properties'))) {
      found.properties[name] ??= property;
    }
    for (const name of references.list(memberOf(schema, 'required'))) {
      if (typeof name === 'string') found.required.add(name);
    }
    if (depth < MAX_DEPTH) { for (const one of references.list(memberOf(schema, 'allOf'))) collect(one, depth + 1); }
  };
  collect(json, 0);
  return found;
}
