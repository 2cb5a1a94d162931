import { LosslessNumber } from 'lossless-json';
import { decodeValue, type LosslessJson, type Value } from '../../../types/values/value.ts';
import { fromWireJson, fromWireJsonText } from '../../../types/values/json/wire_json.ts';
import { formMember, formText, NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Returns the value of a constant. For the type JSON, the form holds a JSON text. For the type File, it holds a list of
 * addresses. For every other type, it holds a tagged value.
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
 * Converts lossless numbers to plain numbers. No digits are lost: tagged values write numbers as texts, and their only
 * JSON number is the 0 of `{"N": 0}`.
 */
const toPlainJson = (json: LosslessJson): unknown =>
  JSON.parse(JSON.stringify(json, (_, member) => member instanceof LosslessNumber ? Number(member) : member));

/** Outputs a constant. Older editors saved a text constant as a bare text in form_data. Such a text is the constant. */
export const constNode: NodeModule = {
  definition,
  namesKeys: true,
  run: ({ formData, maxOutputBytes }) => ({
    Source: typeof formData === 'string'
      ? fromWireJson(formData)
      : constValue(formText(formData, 'type'), formMember(formData, 'value'), maxOutputBytes),
  }),
};
