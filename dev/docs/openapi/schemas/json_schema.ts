/** A JSON Schema of draft 2020-12, as in OpenAPI 3.1. */
export type JsonSchema = { [keyword: string]: unknown };

/** Makes a reference to a schema of the document. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Adds a description to a schema, as its first member. */
export const titled = (description: string, schema: JsonSchema): JsonSchema => ({ description, ...schema });

function findMember(schema: JsonSchema, path: string[]): JsonSchema {
  const [step, ...rest] = path;
  if (step === undefined) return schema;
  const properties = schema.properties as Record<string, JsonSchema> | undefined;
  const next = step === 'items' ? schema.items as JsonSchema | undefined : properties?.[step];
  if (next === undefined) throw new Error(`The schema has no member ${path.join('/')}.`);
  return findMember(next, rest);
}

/**
 * Adds notes to members of a schema, by paths such as `data/node_id` or `sources/items/name`. A note is a description,
 * or keywords of JSON Schema that zod can't derive from a refinement. Throws if a note names a missing member, because
 * such a note was left behind when its member was removed.
 */
export function annotate(schema: JsonSchema, notes: Record<string, string | JsonSchema>): JsonSchema {
  const annotated = structuredClone(schema);
  for (const [path, note] of Object.entries(notes)) {
    Object.assign(findMember(annotated, path.split('/')), typeof note === 'string' ? { description: note } : note);
  }
  return annotated;
}
