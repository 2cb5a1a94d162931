/** The most characters of a value on a node. */
const MOST_CHARACTERS = 60;
/** The most characters of a value that are read. */
const READ_CHARACTERS = 200;

/** Returns the beginning of a value as one line of text. */
export function shortText(json: unknown): string {
  const text = typeof json === 'string' ? json.slice(0, READ_CHARACTERS) : JSON.stringify(json) ?? '';
  const line = text.slice(0, READ_CHARACTERS).replace(/\s+/g, ' ').trim();
  if (line === '') return typeof json === 'string' ? '“”' : line;
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
}
