import { readOptionalField, toMap, toText } from '../../../types/values/conversion.ts';
import { toReadableJson } from '../../../types/values/json/readable_json.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { nodeLimits } from '../../../types/limits/nodes.ts';
import { requestLimits } from '../../../types/limits/requests.ts';
import { type InputWebhook, NodeError } from '../../engine/node.ts';
import { readPairs } from '../../values/pairs.ts';

const MAX_URL_CHARACTERS = requestLimits.url_characters.value;
const MAX_HEADER_BYTES = nodeLimits.input_webhook_header_bytes.value;
const MAX_EXTRA_BYTES = nodeLimits.input_webhook_extra_bytes.value;

/** Headers that the sender of a webhook always sets. A flow can't set them. */
const OWN_HEADERS = new Set([
  'content-type',
  'flow-chain-depth',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
]);

const bytesOf = (json: unknown): number => new TextEncoder().encode(JSON.stringify(json)).length;

function readHeaders(inputs: ValueMap): InputWebhook['headers'] {
  const headers = new Headers();
  for (const [name, value] of readPairs(inputs, 'webhook_headers')) {
    if (OWN_HEADERS.has(name.toLowerCase())) {
      throw new NodeError(`webhook_headers: ${name.toLowerCase()} can't be set`);
    }
    try {
      headers.append(name, value);
    } catch {
      throw new NodeError(`webhook_headers: ${JSON.stringify(name)} has a malformed name or value`);
    }
  }
  const read = Object.fromEntries(headers);
  if (bytesOf(read) > MAX_HEADER_BYTES) {
    throw new NodeError(`webhook_headers: are larger than ${MAX_HEADER_BYTES} bytes`);
  }
  return read;
}

/** Reads the message that informs a server of the pending input. Errors name the wrong input. */
export function readWebhook(inputs: ValueMap): InputWebhook | undefined {
  const url = readOptionalField(inputs, 'webhook_url', toText);
  if (url === undefined) return undefined;
  if (url.length > MAX_URL_CHARACTERS || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new NodeError(
      `webhook_url: must be an http or https address of at most ${MAX_URL_CHARACTERS} characters`,
    );
  }
  const extra = toReadableJson({ M: readOptionalField(inputs, 'extra', toMap) ?? {} });
  if (bytesOf(extra) > MAX_EXTRA_BYTES) {
    throw new NodeError(`extra: is larger than ${MAX_EXTRA_BYTES} bytes as JSON`);
  }
  return { url, headers: readHeaders(inputs), extra };
}
