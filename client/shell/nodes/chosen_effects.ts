import type { Described } from '../../describing/index.ts';
import type { DefinitionToStore } from '../../flow_client.ts';
import type { CommandCall } from '../command.ts';
import { UsageError } from '../usage_error.ts';

interface Choice {
  operation: string;
  effects: string;
}

/** Reads `operation=effects`. An operation may have the character = in its path. */
function readChoice(text: string): Choice {
  const at = text.lastIndexOf('=');
  if (at < 1) throw new UsageError(`--effects ${text} must be operation=effects.`);
  return { operation: text.slice(0, at), effects: text.slice(at + 1) };
}

/** Tests whether an operation is named by its node_id, with or without the prefix, or by method and path. */
function isNamed({ data }: DefinitionToStore, operation: string, prefix: string): boolean {
  const { method, path } = (data.implementation ?? {}) as { method?: unknown; path?: unknown };
  return data.node_id === operation || data.node_id === prefix + operation || `${method} ${path}` === operation;
}

/** Gives definitions the effects that the options of a call choose. Throws a UsageError for an unknown operation. */
export async function withChosenEffects(described: Described, { all, option }: CommandCall): Promise<Described> {
  const choices = all('effects').map(readChoice);
  if (choices.length === 0) return described;
  const { isEffects } = await import('../../../types/node_definition.ts');
  const prefix = option('prefix') ?? '';
  for (const { operation, effects } of choices) {
    if (!isEffects(effects)) {
      throw new UsageError(`--effects ${operation}: ${effects} must be none, idempotent or once.`);
    }
    if (!described.definitions.some((definition) => isNamed(definition, operation, prefix))) {
      throw new UsageError(`--effects ${operation}: the document gives no such node.`);
    }
  }
  const definitions = described.definitions.map((definition) => {
    const chosen = choices.findLast(({ operation }) => isNamed(definition, operation, prefix));
    return chosen === undefined ? definition : { ...definition, data: { ...definition.data, effects: chosen.effects } };
  });
  return { ...described, definitions };
}
