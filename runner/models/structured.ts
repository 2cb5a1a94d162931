import { faultsOfAnswer } from '../../types/check_answer.ts';
import { fromWireJsonText } from '../../types/values/json/wire_json.ts';
import { type Value, ValueError } from '../../types/values/value.ts';
import type { ModelAnswer } from './model.ts';

/** Returns the JSON of an answer. Some models write a code fence around it. */
function jsonText(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```')) return trimmed;
  return trimmed.slice(trimmed.indexOf('\n') + 1, -3).trim();
}

/**
 * Reads an answer that has to fit a schema, as a value without loss of digits. Returns the fault of an answer that does
 * not fit.
 */
export function readStructured(
  { text, finishReason }: ModelAnswer,
  schema: object,
  maxBytes: number,
): { value: Value } | { fault: string } {
  const json = jsonText(text);
  try {
    const value = fromWireJsonText(json, maxBytes);
    const faults = faultsOfAnswer({ json_schema: schema }, JSON.parse(json));
    if (faults.length === 0) return { value };
    return { fault: faults.map(({ path, message }) => path === '' ? message : `${path}: ${message}`).join('; ') };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return { fault: finishReason === 'length' ? 'it was cut off at the limit of tokens' : error.message };
  }
}
