import { OperationRefused } from '../documents.ts';

/** Converts a name of an IDL to snake case, in which native nodes name their ports. Throws if nothing is left. */
export function snakeCase(name: string): string {
  const words = name.slice(0, 200).replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_').replace(
    /[^A-Za-z0-9]+/g,
    '_',
  );
  const snake = words.replace(/^_|_$/g, '').toLowerCase();
  if (!/^[a-z]/.test(snake)) throw new OperationRefused('a part of the IDL has no name of letters and digits');
  return snake;
}

/** Writes a name in snake case as words, such as `Transfer checked`. */
export const wordsOf = (snake: string): string => snake.charAt(0).toUpperCase() + snake.slice(1).replaceAll('_', ' ');
