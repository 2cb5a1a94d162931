import type { OperationInput } from './operation.ts';

/** The most inputs with fields of their own. A form with more fields would be larger than all else in the definition. */
const MAX_FIELDS = 100;
const MAX_HINT_CHARACTERS = 150;

/** The JSON types of fields by the types of inputs. Fields of other types take any JSON. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'boolean',
  u64: 'integer',
  i64: 'integer',
  decimal: 'number',
  f64: 'number',
};

/** Makes the form of a node: a field for each input, then the settings. */
export function makeForm(targets: readonly OperationInput[], connectionHint: string | undefined): object {
  const fields = targets.slice(0, MAX_FIELDS).map(({ name, type_bounds: [bound = ''], tooltip }) => {
    const type = Object.hasOwn(TYPES, bound) ? TYPES[bound] : undefined;
    const description = tooltip.slice(0, MAX_HINT_CHARACTERS).toWellFormed();
    return [name, { title: name, ...(description !== '' && { description }), ...(type !== undefined && { type }) }];
  });
  const settings = [
    ['server', {
      title: 'server',
      type: 'string',
      description: 'An address to use instead of that of the description',
    }],
    ['connection', {
      title: 'connection',
      type: 'string',
      ...(connectionHint !== undefined && { description: connectionHint }),
    }],
  ];
  return { type: 'object', properties: Object.fromEntries([...fields, ...settings]) };
}
