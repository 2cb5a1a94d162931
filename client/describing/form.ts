import type { DescribedInput } from './ports.ts';

/** The most inputs with fields of their own. A form with more fields would be larger than all else in the definition. */
const MAX_FIELDS = 100;
const MAX_HINT_CHARACTERS = 150;

/** The JSON types of fields by the types of inputs. Fields of other types take any JSON. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'boolean',
  u8: 'integer',
  u16: 'integer',
  u32: 'integer',
  u64: 'integer',
  i8: 'integer',
  i16: 'integer',
  i32: 'integer',
  i64: 'integer',
  f32: 'number',
  decimal: 'number',
  f64: 'number',
};

/** Makes the form of a node: a field for each input, then the settings, each a text with an explanation. */
export function makeForm(
  targets: readonly DescribedInput[],
  settings: readonly [name: string, description: string | undefined][],
): object {
  const fields = targets.slice(0, MAX_FIELDS).map(({ name, type_bounds: [bound = ''], tooltip }) => {
    const type = Object.hasOwn(TYPES, bound) ? TYPES[bound] : undefined;
    const description = tooltip.slice(0, MAX_HINT_CHARACTERS).toWellFormed();
    return [name, { title: name, ...(description !== '' && { description }), ...(type !== undefined && { type }) }];
  });
  const texts = settings.map((
    [name, description],
  ) => [name, { title: name, type: 'string', ...(description !== undefined && { description }) }]);
  return { type: 'object', properties: Object.fromEntries([...fields, ...texts]) };
}
