/** Reads the preferences of a header `Prefer`, such as `wait=10`, without their parameters. Source: RFC 7240. */
export const readPreferences = (header: string | undefined): string[] =>
  (header ?? '').slice(0, 1_000).split(',').map((preference) => (preference.split(';')[0] ?? '').trim());

/** Tests whether the request prefers an answer as PostgREST gives it: a list of the stored rows. */
export const prefersRepresentation = (header: string | undefined): boolean =>
  readPreferences(header).some((preference) => /^return ?= ?"?representation"?$/i.test(preference));
