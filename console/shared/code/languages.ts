/** The languages of code in a flow. */
export type CodeLanguage = 'rhai' | 'javascript' | 'jsonata' | 'json';

/** The name of each language, and the page of the documentation that explains it. */
export const CODE_LANGUAGES: Record<CodeLanguage, { name: string; docs: string | undefined }> = {
  rhai: { name: 'Rhai', docs: 'reference/rhai' },
  javascript: { name: 'JavaScript', docs: 'guides/javascript' },
  jsonata: { name: 'JSONata', docs: 'reference/flows' },
  json: { name: 'JSON', docs: undefined },
};
