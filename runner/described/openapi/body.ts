import type { RequestBody } from '../../../types/described/openapi.ts';
import { readField } from '../../../types/values/conversion.ts';
import { bytesOfValue, type Value, type ValueMap } from '../../../types/values/value.ts';
import { NodeError } from '../../engine/node.ts';
import { multipartBody, type SentBody, textBody } from '../../values/sent_body.ts';
import { toExactJson, toPlainText } from '../exact_json.ts';
import { encode } from './parameters.ts';

/** Each element of a list is a field of its own. */
const elementsOf = (value: Value): Value[] => 'A' in value ? value.A : [value];

function formText(fields: readonly [string, Value][]): string {
  return fields.flatMap(([name, value]) =>
    elementsOf(value).map((element) => `${encode(name)}=${encode(toPlainText(element))}`)
  ).join('&');
}

/** Makes a multipart body. Bytes become files, and lists one part for each element. */
function multipart(fields: readonly [string, Value][]): SentBody {
  const form = new FormData();
  for (const [name, value] of fields) {
    for (const element of elementsOf(value)) {
      const bytes = 'S' in element || 'A' in element || 'D' in element ? undefined : bytesOfValue(element);
      if (bytes === undefined) form.append(name, toPlainText(element));
      else form.append(name, new Blob([new Uint8Array(bytes)]), name);
    }
  }
  return multipartBody(form);
}

function bytesFrom(value: Value): Uint8Array {
  const bytes = 'S' in value ? new TextEncoder().encode(value.S) : bytesOfValue(value);
  if (bytes === undefined) throw new NodeError('body: must be bytes or a text');
  return bytes;
}

function wholeBody({ kind, type }: RequestBody, value: Value): SentBody {
  if (kind === 'json') return textBody(toExactJson(value), type);
  if (kind === 'text') return textBody(toPlainText(value), type);
  if (kind === 'bytes') return { bytes: () => bytesFrom(value), type };
  if (!('M' in value)) throw new NodeError('body: must be a map of fields');
  return fieldsBody({ kind, type }, Object.entries(value.M));
}

function fieldsBody({ kind, type }: Pick<RequestBody, 'kind' | 'type'>, fields: [string, Value][]): SentBody {
  if (kind === 'multipart') return multipart(fields);
  if (kind === 'form') return textBody(formText(fields), type);
  return textBody(toExactJson({ M: Object.fromEntries(fields) }), type);
}

/** Makes the body of a request from the inputs; undefined if the operation has none, or if no input has a value. */
export function makeBody(body: RequestBody | undefined, inputs: ValueMap): SentBody | undefined {
  if (body === undefined) return undefined;
  if (body.fields === undefined) {
    const port = body.port ?? 'body';
    const value = inputs[port];
    if (value === undefined && !body.required) return undefined;
    return wholeBody(body, readField(inputs, port, (given) => given));
  }
  const fields = body.fields.flatMap(({ port, name }): [string, Value][] => {
    const value = inputs[port];
    return value === undefined ? [] : [[name, value]];
  });
  return fields.length === 0 && !body.required ? undefined : fieldsBody(body, fields);
}
