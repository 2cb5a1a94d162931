import { NodeError, outputTooLarge } from '../engine/node.ts';
import { TransientError } from '../engine/failures/transient_error.ts';
import { utf8Length } from '../../types/values/utf8_length.ts';
import type { ToolCall } from './model.ts';

/** An object of JSON from a provider, whose members may be anything. */
export type EventData = { [name: string]: unknown };

/** Reads an object. Any other JSON counts as an empty one. */
export const asObject = (json: unknown): EventData =>
  typeof json === 'object' && json !== null && !Array.isArray(json) ? json as EventData : {};

/** Reads a text. Any other JSON counts as an empty one. */
export const asText = (json: unknown): string => typeof json === 'string' ? json : '';

/** More tokens than an answer can have. The database adds the tokens of many answers in 64 bits. */
const MOST_TOKENS = 1_000_000_000;

/** Reads a number of tokens. A provider may leave it out. */
export const asCount = (json: unknown): number =>
  Number.isSafeInteger(json) && Number(json) > 0 ? Math.min(Number(json), MOST_TOKENS) : 0;

/** Parses the data of an event. */
export function parseEvent(data: string): EventData {
  let json: unknown;
  try {
    json = JSON.parse(data);
  } catch {
    throw new TransientError('the answer of the model has an event that is not JSON');
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new NodeError('the answer of the model has an event that is not an object');
  }
  return json as EventData;
}

/** The types of errors inside a stream after which the same request may succeed. */
const PASSING = new Set(['overloaded_error', 'api_error', 'rate_limit_error', 'timeout_error', 'server_error']);

/** Makes the error that a provider reports inside a stream. */
export function streamedError(error: EventData): NodeError {
  const type = asText(error['type']) || asText(error['code']);
  const message = `the provider reports an error: ${[type, asText(error['message'])].filter(Boolean).join(': ')}`;
  return PASSING.has(type) ? new TransientError(message) : new NodeError(message);
}

/** The least bytes that count for a call. Otherwise an answer could have hundreds of thousands of empty calls. */
const CALL_BYTES = 100;

/** Collects the parts of an answer in the order of their arrival. */
export class AnswerParts {
  text = '';
  readonly #calls = new Map<number, ToolCall>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  addText(text: string): void {
    this.#count(utf8Length(text));
    this.text += text;
  }

  /** Adds a part of the call at this index of the answer. */
  addToCall(index: number, part: Partial<ToolCall>): void {
    const call = this.#calls.get(index) ?? { id: '', name: '', arguments: '' };
    if (!this.#calls.has(index)) this.#count(CALL_BYTES);
    this.#calls.set(index, call);
    for (const text of Object.values(part)) this.#count(utf8Length(text));
    // Providers that repeat an id or a name mean the same call.
    call.id ||= part.id ?? '';
    call.name ||= part.name ?? '';
    call.arguments += part.arguments ?? '';
  }

  /** Returns the calls in their order. A call without arguments has an empty object. */
  calls(): ToolCall[] {
    return [...this.#calls].sort(([a], [b]) => a - b).map(([index, call]) => ({
      ...call,
      id: call.id || `call_${index}`,
      arguments: call.arguments || '{}',
    }));
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) throw outputTooLarge('the answer of the model does not', this.#maxBytes);
  }
}
