import { LosslessNumber } from 'lossless-json';
import { decodeValue, type LosslessJson, type Value } from '../../../types/values/value.ts';
import { fromWireJson, fromWireJsonText } from '../../../types/values/json/wire_json.ts';
import { formMember, formText, NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Returns the value of a constant. The type JSON holds a JSON text, the type File a list of addresses, and every other
 * type a tagged value.
 */
function constValue(
  type: string | undefined,
  value: LosslessJson | undefined,
  maxBytes: number,
): Value {
  if (type === undefined || value === undefined) {
    throw new NodeError('form_data must have the members type and value');
  }
  if (type === 'JSON') {
    if (typeof value !== 'string') {
      throw new NodeError('form_data.value of a JSON constant must be a text that holds JSON');
    }
    return fromWireJsonText(value, maxBytes);
  }
  if (type === 'File') return fromWireJson(value);
  return decodeValue(toPlainJson(value));
}

/**
 * Converts lossless numbers to plain numbers. No digits are lost, because in tagged JSON only the 0 of N is a number
 * and all other numbers are texts.
 */
const toPlainJson = (json: LosslessJson): unknown =>
  JSON.parse(JSON.stringify(json, (_, member) => member instanceof LosslessNumber ? Number(member) : member));

/** Outputs a constant. If form_data is a bare text, as older editors saved it, that text is the constant. */
export const constNode: NodeModule = {
  definition,
  namesKeys: true,
  run: ({ formData, maxOutputBytes }) => ({
    Source: typeof formData === 'string'
      ? fromWireJson(formData)
      : constValue(formText(formData, 'type'), formMember(formData, 'value'), maxOutputBytes),
  }),
};
