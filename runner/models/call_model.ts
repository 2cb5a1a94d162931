import { createParser } from 'eventsource-parser';
import { stringify } from 'lossless-json';
import { withoutTrailingSlashes } from '../../platform/base_url.ts';
import { type AnswerReceiver, type HttpClient, type ModelMeter, NodeError } from '../engine/node.ts';
import { TransientError } from '../engine/failures/transient_error.ts';
import { nodeLimits } from '../../types/limits/nodes.ts';
import { isSuccess, readResponse } from '../values/response_value.ts';
import { mediaTypeOf } from '../values/media_types.ts';
import { anthropic } from './anthropic.ts';
import type { AnswerReader, Dialect, ModelAnswer, ModelDialect, ModelRequest, ModelSettings } from './model.ts';
import { openai } from './openai.ts';

const DIALECT_MODULES: { readonly [dialect in Dialect]: ModelDialect } = { openai, anthropic };

/** The services of a call, and its limits. */
export interface ModelCall {
  http: HttpClient;
  models: ModelMeter;
  signal: AbortSignal;
  /** The most bytes of the texts of the answer. */
  maxBytes: number;
  /** The time limit of the call. Default: `model_call_ms`. */
  timeoutMs?: number | undefined;
  /** The longest time for which the provider may send nothing. Default: `model_silence_ms`. */
  silenceMs?: number | undefined;
}

/** The most bytes of an unsuccessful answer that an error may quote. */
const MAX_REFUSAL_BYTES = 65_536;

function addressOf(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  url.pathname = `${withoutTrailingSlashes(url.pathname)}${path}`;
  return url.href;
}

/** Receives the stream of an answer, or an answer that is none. */
class StreamedAnswer implements AnswerReceiver {
  #head: Parameters<AnswerReceiver['head']>[0] = { status: 0, headers: {} };
  readonly #pieces: Uint8Array[] = [];
  #keptBytes = 0;
  readonly #decoder = new TextDecoder();
  readonly #events: ReturnType<typeof createParser>;

  constructor(reader: AnswerReader) {
    this.#events = createParser({ onEvent: ({ data }) => reader.event(data) });
  }

  get #isStream(): boolean {
    const { status, headers } = this.#head;
    return isSuccess(status) && mediaTypeOf(headers['content-type'] ?? '') === 'text/event-stream';
  }

  // The HTTP client calls both functions on their own.
  readonly head: AnswerReceiver['head'] = (head) => {
    this.#head = head;
  };

  readonly piece: AnswerReceiver['piece'] = (bytes) => {
    if (this.#isStream) return this.#events.feed(this.#decoder.decode(bytes, { stream: true }));
    const kept = bytes.subarray(0, MAX_REFUSAL_BYTES - this.#keptBytes);
    this.#keptBytes += kept.length;
    this.#pieces.push(kept);
  };

  /** Throws the error of an answer that is no stream. */
  check(): void {
    if (this.#isStream) return;
    const body = new Uint8Array(this.#keptBytes);
    let at = 0;
    for (const piece of this.#pieces) {
      body.set(piece, at);
      at += piece.length;
    }
    readResponse({ ...this.#head, body }, MAX_REFUSAL_BYTES);
    throw new NodeError('the provider sends no stream of events (text/event-stream)');
  }
}

/** Replaces the secret in the answer. It may be spread over several events, in which the HTTP client can't find it. */
async function redact(answer: ModelAnswer, { credential }: ModelSettings): Promise<ModelAnswer> {
  if (credential === undefined) return answer;
  const { redaction: { text: clean } } = credential;
  const toolCalls = answer.toolCalls.map(async (call) => ({
    id: await clean(call.id),
    name: await clean(call.name),
    arguments: await clean(call.arguments),
  }));
  return { ...answer, text: await clean(answer.text), toolCalls: await Promise.all(toolCalls) };
}

/**
 * Calls a model once, and returns its whole answer. Throws a TransientError if the same call may succeed later: after
 * 429 and 5xx, an answer that breaks off, and a provider that sends nothing for a minute.
 */
export async function callModel(settings: ModelSettings, request: ModelRequest, call: ModelCall): Promise<ModelAnswer> {
  const dialect = DIALECT_MODULES[settings.dialect];
  const reader = dialect.readAnswer(call.maxBytes);
  const answer = new StreamedAnswer(reader);
  const url = addressOf(settings.baseUrl, dialect.path);
  await call.models.begin();
  await call.http.request({
    method: 'POST',
    url,
    headers: [['content-type', 'application/json'], ['accept', 'text/event-stream'], ...dialect.headers],
    makeBody: () => new TextEncoder().encode(stringify(dialect.body(settings, request))),
    credential: settings.credential,
    // A redirect would turn the request into a GET.
    refusesRedirects: true,
    timeoutMs: call.timeoutMs ?? nodeLimits.model_call_ms.value,
    idleMs: call.silenceMs ?? nodeLimits.model_silence_ms.value,
    receive: answer,
    signal: call.signal,
  }).finally(() => call.models.end(settings.model, reader.usage()));
  answer.check();
  if (!reader.isComplete()) throw new TransientError('the answer of the model breaks off');
  return await redact(reader.answer(), settings);
}
