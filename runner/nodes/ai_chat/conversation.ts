import { base64 } from '@scure/base';
import { ConversionError, readOptionalField, toArray, toMap, toText } from '../../../types/values/conversion.ts';
import { bytesOfValue, type Value, type ValueMap } from '../../../types/values/value.ts';
import { NodeError } from '../../engine/node.ts';
import type { ModelImage, ModelMessage } from '../../models/model.ts';

/** The beginnings of images, with one character for each byte. */
const IMAGES: [isImage: (begin: string) => boolean, mediaType: string][] = [
  [(begin) => begin.startsWith('\x89PNG'), 'image/png'],
  [(begin) => begin.startsWith('\xFF\xD8\xFF'), 'image/jpeg'],
  [(begin) => begin.startsWith('GIF8'), 'image/gif'],
  [(begin) => begin.startsWith('RIFF') && begin.slice(8, 12) === 'WEBP', 'image/webp'],
];

function readImage(value: Value, index: number): ModelImage {
  if ('S' in value) {
    const isAddress = URL.canParse(value.S) && /^https?:$/.test(new URL(value.S).protocol);
    if (!isAddress) throw new NodeError(`images.${index}: must be an http or https address, or bytes`);
    return { url: value.S };
  }
  const bytes = bytesOfValue(value);
  const begin = String.fromCharCode(...bytes?.subarray(0, 12) ?? []);
  const mediaType = IMAGES.find(([isImage]) => isImage(begin))?.[1];
  if (bytes === undefined || mediaType === undefined) {
    throw new NodeError(`images.${index}: must be an address, or the bytes of a PNG, JPEG, GIF or WebP image`);
  }
  return { mediaType, base64: base64.encode(bytes) };
}

function readMessage(value: Value, index: number): ModelMessage {
  try {
    const message = toMap(value);
    const text = readOptionalField(message, 'content', toText) ?? '';
    const role = readOptionalField(message, 'role', toText);
    if (role === 'user' || role === 'assistant') return { role, text };
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    throw new NodeError(`messages.${index}: ${error.message}`);
  }
  throw new NodeError(`messages.${index}: role must be user or assistant`);
}

/** Reads the messages for the model from the inputs. The images belong to the last message. */
export function readMessages(inputs: ValueMap): ModelMessage[] {
  const prompt = readOptionalField(inputs, 'prompt', toText) ?? '';
  const given = readOptionalField(inputs, 'messages', toArray) ?? [];
  const images = (readOptionalField(inputs, 'images', toArray) ?? []).map(readImage);
  if (prompt !== '' && given.length > 0) throw new NodeError('give either prompt or messages, not both');
  if (prompt === '' && given.length === 0) throw new NodeError('give a prompt or messages');
  const messages: ModelMessage[] = prompt === '' ? given.map(readMessage) : [{ role: 'user', text: prompt }];
  const last = messages.at(-1)!;
  if (last.role !== 'user') throw new NodeError('the role of the last message must be user');
  return [...messages.slice(0, -1), { ...last, images }];
}
