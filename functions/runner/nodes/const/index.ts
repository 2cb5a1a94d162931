import { LosslessNumber } from 'lossless-json';
import { decodeValue, jsonToValue, type LosslessJson, type Value } from '../../../../types/values/value.ts';
import { jsonTextToValue } from '../../../../types/values/json.ts';
import { formMember, formText, NodeError, type NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** The value of a const: type JSON holds a JSON text, File a list of addresses, every other type a tagged value. */
function constValue(
  type: string | undefined,
  value: LosslessJson | undefined,
  maxBytes: number,
): Value {
  if (type === undefined || value === undefined) {
    throw new NodeError('form_data lacks type or value');
  }
  if (type === 'JSON') {
    if (typeof value !== 'string') {
      throw new NodeError('a JSON constant holds its JSON as text');
    }
    return jsonTextToValue(value, maxBytes);
  }
  if (type === 'File') return jsonToValue(value);
  return decodeValue(toPlainJson(value));
}

/** Tagged JSON holds one number only, the 0 of N; the rest of it is text. */
const toPlainJson = (json: LosslessJson): unknown =>
  JSON.parse(JSON.stringify(json, (_, member) => member instanceof LosslessNumber ? Number(member) : member));

/** Gives a constant. Form data that is a bare text, as older editors saved it, is the constant itself. */
export const constNode: NodeModule = {
  definition,
  namesKeys: true,
  run: ({ formData, maxOutputBytes }) => ({
    Source: typeof formData === 'string'
      ? jsonToValue(formData)
      : constValue(formText(formData, 'type'), formMember(formData, 'value'), maxOutputBytes),
  }),
};
