import type { BodyField, RequestBody } from '../../../types/described/openapi.ts';
import { readField } from '../../../types/values/conversion.ts';
import { bytesOfValue, type Value, type ValueMap } from '../../../types/values/value.ts';
import { NodeError } from '../../engine/node.ts';
import { multipartBody, type SentBody, textBody } from '../../values/sent_body.ts';
import { toExactJson, toPlainText } from '../exact_json.ts';
import { encode, joinPlain, queryParts } from './parameters.ts';

/** A field of a body with its value. */
type FilledField = readonly [field: Omit<BodyField, 'port'>, value: Value];

/** Each element of a list is a field of its own. */
const elementsOf = (value: Value): Value[] => 'A' in value ? value.A : [value];

function formParts([{ name, style, explode = false }, value]: FilledField): string[] {
  if (style !== undefined) return queryParts({ name, style, explode }, value);
  return elementsOf(value).map((element) => `${encode(name)}=${encode(toPlainText(element))}`);
}

/** Returns the parts of a multipart body for one field: one for each element, or one text if a style joins them. */
function multipartElements([{ style, explode = false }, value]: FilledField): Value[] {
  const isJoined = style !== undefined && style !== 'json' && style !== 'deepObject' && !explode;
  return isJoined && 'A' in value ? [{ S: joinPlain(value.A, style) }] : elementsOf(value);
}

/** Makes a multipart body. Bytes become files. */
function multipart(fields: readonly FilledField[]): SentBody {
  const form = new FormData();
  for (const field of fields) {
    const [{ name }] = field;
    for (const element of multipartElements(field)) {
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
  return fieldsBody({ kind, type }, Object.entries(value.M).map(([name, member]) => [{ name }, member]));
}

function fieldsBody({ kind, type }: Pick<RequestBody, 'kind' | 'type'>, fields: readonly FilledField[]): SentBody {
  if (kind === 'multipart') return multipart(fields);
  if (kind === 'form') return textBody(fields.flatMap(formParts).join('&'), type);
  return textBody(toExactJson({ M: Object.fromEntries(fields.map(([{ name }, value]) => [name, value])) }), type);
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
  const fields = body.fields.flatMap((field): FilledField[] => {
    const value = inputs[field.port];
    return value === undefined ? [] : [[field, value]];
  });
  return fields.length === 0 && !body.required ? undefined : fieldsBody(body, fields);
}
