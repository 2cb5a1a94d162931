import { LosslessNumber } from 'lossless-json';
import { decodeValue, type LosslessJson, type Value } from '../../../types/values/value.ts';
import { fromWireJson, fromWireJsonText } from '../../../types/values/json/wire_json.ts';
import { formMember, formText, NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Returns the value of a constant. The form holds a constant of the type JSON as a JSON text, of the type File as a
 * list of addresses, and of every other type as a tagged value.
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
 * Converts lossless numbers to plain numbers. No digits are lost, because the only JSON number in tagged values is the
 * 0 of `{"N": 0}`; all other numbers are written as texts.
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
