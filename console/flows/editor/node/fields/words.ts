/** The labels of fields whose name alone does not say it well. */
const LABELS: Record<string, string> = {
  compare_to: 'Compare with',
  url: 'URL',
  base_url: 'Base URL',
  max_tokens: 'Most tokens',
  response_schema: 'JSON Schema of the answer',
  query_params: 'Query parameters',
  basic_auth: 'Basic authentication',
  safe_to_repeat: 'May be sent twice',
  json_schema: 'JSON Schema of the answer',
  stringify: 'Value',
  param_names: 'Names of the parameters',
};

/** The words of choices, by the name of the field. */
const CHOICES: Record<string, Record<string, string>> = {
  operator: {
    is_null: 'is null',
    is_not_null: 'is not null',
    is_true: 'is true',
    is_false: 'is false',
    is_empty: 'is empty',
    is_not_empty: 'is not empty',
    eq: 'equals',
    ne: 'does not equal',
    gt: 'is greater than',
    lt: 'is less than',
    gte: 'is at least',
    lte: 'is at most',
    contains: 'contains',
    starts_with: 'starts with',
    ends_with: 'ends with',
  },
};

/** Makes the label of a field from the name of its input: `max_items` becomes `Max items`. */
export function labelOf(name: string): string {
  if (Object.hasOwn(LABELS, name)) return LABELS[name]!;
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words === '' ? name : `${words[0]!.toUpperCase()}${words.slice(1)}`;
}

/** Returns the words of a field's choices, by their values; undefined if the values are words. */
export const choiceWords = (name: string): Record<string, string> | undefined =>
  Object.hasOwn(CHOICES, name) ? CHOICES[name] : undefined;
