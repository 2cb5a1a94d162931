import JSON5 from 'json5';
import { ZodError } from 'zod';
import { definitionLimits } from '../types/limits/definitions.ts';
import { sizeText } from '../types/limits/limit_text.ts';
import { isTooDeep } from '../types/editor/newer_editor_values.ts';
import { fromNewerDefinition, isNewerDefinition } from '../types/editor/newer_editor_definition.ts';
import type { Database } from '../types/database.types.ts';
import { nodeDefinitionSchema } from '../types/node_definition.ts';
import { FlowError } from './flow_error.ts';
import { valueInvalid } from './value_invalid.ts';

type NodeRow = Database['public']['Tables']['nodes']['Insert'];

/** The longest text that is read, in characters: more than the largest definition, because a text may have comments. */
const MAX_CHARACTERS = 4 * definitionLimits.definition_bytes.value;

const invalid = (fault: string, cause?: unknown) =>
  new FlowError({ code: 'value_invalid', message: `This is not a node definition: ${fault}.`, details: [], cause });

function parseText(text: string): unknown {
  if (text.length > MAX_CHARACTERS) throw invalid(`it is longer than ${sizeText(MAX_CHARACTERS)}`);
  try {
    return JSON5.parse(text);
  } catch (cause) {
    throw invalid(`it is not JSON: ${(cause as Error).message}`, cause);
  }
}

/**
 * Converts a node definition of the editor into a row for the table `nodes`. Accepts the editor's older and newer form,
 * as parsed JSON or as a text. The text may have comments and trailing commas. Throws value_invalid, whose `details`
 * list all faults.
 */
export function editorDefinitionToRow(definition: unknown): NodeRow {
  const json = typeof definition === 'string' ? parseText(definition) : definition;
  if (isTooDeep(json)) throw invalid('it is nested too deep');
  try {
    const read = nodeDefinitionSchema.parse(isNewerDefinition(json) ? fromNewerDefinition(json) : json);
    // SAFETY: the schema accepts JSON only.
    return read as NodeRow;
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    throw valueInvalid('a node definition', error);
  }
}
