import type { Limits } from './limit.ts';

const VALUE_LEVELS = 64;

/**
 * The limits of values. They have a file of their own, because the client bundles them without the limits of requests.
 */
export const valueLimits = {
  number_digits: {
    value: 400,
    unit: 'digits',
    meaning: 'a stored number in JSON: its digits before and after the point together',
    beyond: '400, with the place of the number',
    inSql: true,
  },
  value_levels: {
    value: VALUE_LEVELS,
    unit: 'levels',
    meaning: 'arrays and maps within each other, in a value and in JSON from an HTTP response',
    beyond: '400; the node fails',
    inSql: true,
  },
  // Each level of a value is two levels of JSON: the tagged object, and the array or map inside. The 8 further levels
  // are for the JSON around the value.
  json_levels: {
    value: 2 * VALUE_LEVELS + 8,
    unit: 'levels',
    meaning: 'JSON of a body, and of a column',
    beyond: '400 `request_invalid` or `column_invalid`',
    inSql: true,
  },
  number_characters: {
    value: 1_000,
    unit: 'characters',
    meaning: 'text of a number',
    beyond: '400; in JSON from outside, the number becomes a float',
    inSql: true,
  },
} satisfies Limits;
