import type { Value } from '../../../types/values/value.ts';
import { readField, toText } from '../../../types/values/conversion.ts';
import { fromWireJsonText, toWireJson } from '../../../types/values/json/wire_json.ts';
import { NodeError, type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

const NULL: Value = { N: 0 };

/** Reads the member of a map, or of the object in a JSON text. */
function readMember(container: Value, name: string, maxBytes: number): Value {
  if ('S' in container) {
    const object = fromWireJsonText(container.S, maxBytes);
    if (!('M' in object)) throw new NodeError('json_or_string: the text must hold a JSON object');
    return Object.hasOwn(object.M, name) ? object.M[name] ?? NULL : NULL;
  }
  if (!('M' in container)) return NULL;
  const member = Object.hasOwn(container.M, name) ? container.M[name] : undefined;
  if (member === undefined) throw new NodeError(`json_or_string: there is no field ${JSON.stringify(name)}`);
  return member;
}

const asText = (value: Value): string => {
  if ('N' in value) return '';
  return 'S' in value ? value.S : toWireJson(value);
};

/** Outputs a member of a map or JSON text, unchanged and as text. */
export const jsonGetFieldNode: NodeModule = {
  definition,
  run: ({ inputs, maxOutputBytes }) => {
    const container = requireInput(inputs, 'json_or_string');
    const member = readMember(container, readField(inputs, 'field', toText), maxOutputBytes);
    return { result_json: member, result_string: { S: asText(member) } };
  },
};
