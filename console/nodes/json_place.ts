import { jsonLanguage } from '@codemirror/lang-json';

type SyntaxNode = ReturnType<typeof jsonLanguage.parser.parse>['topNode'];

const VALUES = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']);

/** Iterates over the members of a value in JSON's syntax tree, with their names or indexes. */
function* membersOf(value: SyntaxNode, text: string): Generator<[key: string | number, value: SyntaxNode]> {
  let index = 0;
  for (let child = value.firstChild; child !== null; child = child.nextSibling) {
    if (child.name === 'Property') {
      const name = child.getChild('PropertyName');
      if (name === null || child.lastChild === null) continue;
      yield [JSON.parse(text.slice(name.from, name.to)), child.lastChild];
    } else if (VALUES.has(child.name)) yield [index++, child];
  }
}

/** Finds where a JSON text has the value at a path. If there is no such value, finds the nearest enclosing value. */
export function findPlace(text: string, path: readonly PropertyKey[]): { from: number; to: number } {
  let place = jsonLanguage.parser.parse(text).topNode;
  place = place.firstChild ?? place;
  for (const key of path) {
    const found = membersOf(place, text).find(([known]) => known === key);
    if (found === undefined) break;
    place = found[1];
  }
  // If the value is an object or array, only its first character is marked.
  return { from: place.from, to: ['Object', 'Array'].includes(place.name) ? place.from + 1 : place.to };
}
