/** Writes JSON with the members of objects in the order of their names, so that equal values have the same text. */
export const sortedJson = (json: unknown): string =>
  JSON.stringify(
    json,
    (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1))
        : value,
  ) ?? '';
