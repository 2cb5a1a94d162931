import { z } from 'zod';
import { nodeDefinitionSchema } from '../../../../types/node_definition.ts';
import { annotate, type JsonSchema, titled } from './json_schema.ts';
import { output, timeSchema } from './zod_schemas.ts';

/** Columns of `nodes` that only the database sets. A write can't change them. */
const keptNodeColumns: Record<string, JsonSchema> = {
  id: output(z.uuid()),
  user_id: titled('The user who posted the definition; null for the service role.', output(z.uuid().nullable())),
  is_public: titled(
    'Whether everybody may read the definition. True if it was posted with the secret key or by a publisher.',
    { type: 'boolean' },
  ),
  owner_key: titled('user_id, and zeros for null: a part of the primary key.', output(z.uuid())),
  node_id: titled('data.node_id: a part of the primary key.', { type: 'string' }),
  version: titled('data.version: a part of the primary key.', { type: 'string' }),
  created_at: output(timeSchema),
  updated_at: output(timeSchema),
};

/** The record to post. It may also hold the columns that the database sets; their values are ignored. */
export function nodeDefinition(): JsonSchema {
  const schema = annotate(output(nodeDefinitionSchema), {
    type: 'native, or the name of another kind of nodes; neither true nor false.',
    data: 'About the node. Further members are kept.',
    'data/node_id': {
      description: 'With the version, the name by which nodes of a flow refer to the definition.',
      minLength: 1,
      maxLength: 200,
    },
    'data/version': { minLength: 1, maxLength: 100 },
    'data/display_name': 'The name of the node that front-ends show.',
    sources: "The node's outputs. Their names are unique, and further members are kept.",
    targets: "The node's inputs. Their names are unique, and further members are kept.",
    'targets/items/type_bounds': 'The types that the input takes.',
    'targets_form.json_schema': "The form for the node's settings; needs targets_form.ui_schema.",
    'targets_form.ui_schema': 'The look of the form; without targets_form.json_schema there is no form.',
  });
  const kept = Object.keys(keptNodeColumns).map((name) => [
    name,
    { description: 'Set by the database: ignored in a post.', readOnly: true },
  ]);
  return {
    ...schema,
    description: 'The texts and settings of the node for front-ends; at most 256 KiB and 64 levels.',
    properties: { ...schema.properties as object, ...Object.fromEntries(kept) },
  };
}

/** A row of `nodes`, or the columns of it that the request selects. */
export function nodeRow(): JsonSchema {
  const { properties, additionalProperties } = output(nodeDefinitionSchema);
  return {
    type: 'object',
    description: 'The columns of a row of `nodes` that `select` names; by default, all columns.',
    properties: { ...properties as object, ...keptNodeColumns },
    additionalProperties,
  };
}
