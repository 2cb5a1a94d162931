import { nodeDefinitionSchema } from '../../types/node_definition.ts';
import { findPlace } from './json_place.ts';

/** A fault of a definition, with its path. */
export interface DefinitionFault {
  /** Such as `targets[0].name`; empty for the whole definition. */
  path: string;
  message: string;
  from: number;
  to: number;
}

const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) => typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`,
    '',
  );

/**
 * Checks a definition by the rules that the database applies when it stores the definition. If the text is not JSON,
 * returns one short fault, because the editor itself shows a more exact message.
 */
export function checkDefinition(text: string): DefinitionFault[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return [{ path: '', message: 'must be JSON', from: 0, to: 1 }];
  }
  const { error } = nodeDefinitionSchema.safeParse(json);
  return (error?.issues ?? []).map(({ path, message }) => ({
    path: pathText(path),
    message,
    ...findPlace(text, path),
  }));
}
