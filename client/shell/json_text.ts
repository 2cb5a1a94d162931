/** The texts, marks and other words of valid JSON. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Indents valid JSON. Keeps all digits of numbers, which `JSON.parse` would round. */
export function indentJson(text: string): string {
  let depth = 0;
  let indented = '';
  let before = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKENS)) {
    const isEnd = token === '}' || token === ']';
    if (isEnd) depth--;
    const isInside = before === '{' || before === '[';
    if (before === ',' || isInside !== isEnd) indented += line();
    indented += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth++;
    before = token;
  }
  return `${indented}\n`;
}

/** Splits the text of a valid JSON object into the texts of its members, by their names. */
export function membersOf(text: string): Record<string, string> {
  const members: Record<string, string> = Object.create(null);
  let depth = 0;
  let name: string | undefined;
  let value = '';
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '}' || token === ']') depth--;
    const isBetween = depth === 1 && token === ',';
    if (isBetween || depth === 0) {
      if (name !== undefined) members[name] = value;
      [name, value] = [undefined, ''];
    } else if (name === undefined) {
      name = JSON.parse(token) as string;
    } else if (!(value === '' && token === ':')) {
      value += token;
    }
    if (token === '{' || token === '[') depth++;
  }
  return members;
}
