/** Returns the media type of a header `Content-Type`, in lower case and without parameters. */
export const mediaTypeOf = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

/** Returns the charset that a header `Content-Type` names. */
export const charsetOf = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1];

/** Types with `json` in their names whose bodies are texts of another form, such as one JSON value a line. */
const NOT_JSON = [
  'ndjson',
  'jsonl',
  'json-l',
  'json-seq',
  'json-text-seq',
  'json-stream',
  'stream+json',
  'json5',
  'jsonp',
];

/** True if a body of this media type is one JSON value. */
export const isJsonType = (type: string): boolean =>
  type.includes('json') && !type.startsWith('text/') && !NOT_JSON.some((part) => type.includes(part));

/** Types of texts whose names do not begin with `text/`. */
const TEXTS = new Set([
  'application/x-www-form-urlencoded',
  'application/graphql',
  'application/sql',
  'application/toml',
  'application/x-sh',
  'application/x-pem-file',
]);

/** Words that a type of a text has as its name, after `x-`, or behind a plus. */
const TEXT_WORDS = new Set(['xml', 'xml-dtd', 'javascript', 'ecmascript', 'typescript', 'yaml']);

/** True if a body of this media type is text, but not one JSON value. */
export function isTextType(type: string): boolean {
  if (isJsonType(type)) return false;
  if (type.startsWith('text/') || type.includes('json') || TEXTS.has(type)) return true;
  const name = type.slice(type.indexOf('/') + 1);
  return [name, name.replace(/^x-/, ''), name.slice(name.lastIndexOf('+') + 1)].some((word) => TEXT_WORDS.has(word));
}
