import type { NodeDefinition } from '../../../types/node_definition.ts';
import type { BuilderName } from '../../postgrest/builders.ts';

/** What distinguishes a node `postgrest_builder_*` from the others. */
interface Builder {
  description: string;
  /** The inputs beside the query. */
  inputs: { name: string; type: 'json' | 'object' | 'string' | 'u64'; tooltip: string }[];
  /** The members of the form. */
  form: { [name: string]: object };
}

const text = (name: string, tooltip: string) => ({ name, type: 'string' as const, tooltip });

const column = text('column', 'The name of the column');

const columnNames = (description: string) => ({
  type: 'array',
  items: { type: 'string' },
  description,
});

const comparing = (description: string, value: string): Builder => ({
  description,
  inputs: [column, text('filter', value)],
  form: { column: { type: 'string' }, filter: { type: 'string' } },
});

const setting = (description: string, columns: string): Builder => ({
  description,
  inputs: [text('columns', columns)],
  form: { columns: { type: 'string' } },
});

const counting = (description: string, count: string): Builder => ({
  description,
  inputs: [{ name: 'count', type: 'u64', tooltip: count }],
  form: { count: { type: 'integer' } },
});

const writing = (description: string, body: string): Builder => ({
  description,
  inputs: [{ name: 'body', type: 'json', tooltip: body }],
  form: {
    columns: columnNames('The columns that body may set. Needed if an edge leads to body.'),
    safe_to_repeat: { type: 'boolean' },
  },
});

const builders: Record<BuilderName, Builder> = {
  eq: comparing('Keeps the rows whose column equals a value.', 'The value'),
  insert: writing('Makes the query insert rows. The result is the inserted rows.', 'A row, or a list of rows'),
  is: comparing(
    'Keeps the rows whose column is null, not_null, true, false or unknown.',
    'null, not_null, true, false or unknown',
  ),
  limit: counting('Limits the number of rows of the result.', 'The number of rows'),
  match: {
    description: 'Keeps the rows whose columns equal these values.',
    inputs: [{
      name: 'filter',
      type: 'object',
      tooltip: 'A value for each column, by name; null keeps the rows in which the column is null',
    }],
    form: {
      columns: columnNames(
        'The columns in filter. Needed if an edge leads to filter; each of them must then have a value.',
      ),
    },
  },
  neq: comparing('Keeps the rows whose column differs from a value.', 'The value'),
  not: {
    description: 'Keeps the rows for which a filter does not hold.',
    inputs: [
      text('operator', 'An operator of PostgREST, such as eq, gt, like or in'),
      column,
      text('filter', 'The value, as the operator takes it, such as (1,2) for in'),
    ],
    form: {
      operator: { type: 'string' },
      column: { type: 'string' },
      filter: { type: 'string' },
    },
  },
  offset: counting('Leaves out the first rows of the result.', 'The number of rows to leave out'),
  order: setting(
    'Orders the rows of the result.',
    'Columns as in the parameter order of PostgREST, such as name.desc,id',
  ),
  select: setting(
    'Chooses the columns of the result.',
    'Columns as in the parameter select of PostgREST, such as id,name',
  ),
  update: writing(
    'Makes the query change the rows that its filters keep. The result is the changed rows.',
    'The new values by column',
  ),
  upsert: writing(
    'Makes the query insert rows. If a row with the primary key exists, it is changed instead. The result is the ' +
      'inserted and changed rows.',
    'A row, or a list of rows',
  ),
};

const makeDefinition = (name: string, { description, inputs, form }: Builder): NodeDefinition => ({
  type: 'native',
  data: {
    node_id: `postgrest_builder_${name}`,
    version: '0.1',
    display_name: `DB ${name}`,
    description,
    effects: 'none',
    tags: ['database', 'postgrest'],
  },
  sources: [{ name: 'query', type: 'object', tooltip: 'The query with this change' }],
  targets: [
    { name: 'query', type: 'object', tooltip: 'A query, as postgrest_new_query or postgrest_new_rpc makes it' },
    ...inputs,
  ].map(({ name, type, tooltip }) => ({ name, type_bounds: [type], required: true, tooltip })),
  'targets_form.json_schema': { type: 'object', properties: form },
  'targets_form.ui_schema': {},
});

/** The definitions of the nodes `postgrest_builder_*`, by the last part of the node's name. */
// SAFETY: the type of `builders` names its members.
export const definitionOfBuilder = Object.entries(builders).map(([name, builder]) =>
  [name as BuilderName, makeDefinition(name, builder)] as const
);

/** What `dev/nodes/publish_nodes.ts` reads from the folder. */
export const definitions: NodeDefinition[] = definitionOfBuilder.map(([, definition]) => definition);
