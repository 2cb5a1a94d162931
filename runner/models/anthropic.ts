import { parseLosslessJson } from '../../types/values/json_text.ts';
import { MAX_VALUE_DEPTH } from '../../types/values/value.ts';
import { AnswerParts, asCount, asObject, asText, type EventData, parseEvent, streamedError } from './answer_parts.ts';
import type { ModelUsage } from '../engine/node.ts';
import type { AnswerReader, ModelDialect, ModelImage, ModelMessage } from './model.ts';

// The interface of messages. Source: https://docs.anthropic.com/en/api/messages

/** The interface demands a limit. Every model allows this one. */
const DEFAULT_MAX_TOKENS = 4_096;

/** Answers of this form are read without an option that only some models have. */
const inJson = (schema: object): string =>
  `Answer only with JSON that fits this JSON Schema, without any other text and without a code fence:\n${
    JSON.stringify(schema)
  }`;

const imageSource = (image: ModelImage): EventData =>
  'url' in image
    ? { type: 'url', url: image.url }
    : { type: 'base64', media_type: image.mediaType, data: image.base64 };

/** Makes the block of a text. The interface refuses a block without visible characters. */
const textBlocks = (text: string): EventData[] => text.trim() === '' ? [] : [{ type: 'text', text }];

/** Parses the arguments of an earlier call. The interface takes only an object. */
function parseArguments(text: string): unknown {
  try {
    const limits = { characters: Infinity, depth: MAX_VALUE_DEPTH, members: Infinity };
    const json = parseLosslessJson(text, limits);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
  } catch {
    return {};
  }
}

function blocksOf(message: ModelMessage): EventData[] {
  switch (message.role) {
    case 'user': {
      const images = (message.images ?? []).map((image) => ({ type: 'image', source: imageSource(image) }));
      return [...images, ...textBlocks(message.text)];
    }
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ id, name, arguments: written }) => ({
        type: 'tool_use',
        id,
        name,
        input: parseArguments(written),
      }));
      return [...textBlocks(message.text), ...calls];
    }
    case 'tool': {
      const { callId, text, isError = false } = message;
      return [{ type: 'tool_result', tool_use_id: callId, content: text, ...(isError && { is_error: true }) }];
    }
  }
}

/**
 * Writes the messages. The results of all calls of one answer have to stand in one message of the user. An empty message
 * is left out, because the interface refuses it.
 */
function writeMessages(messages: readonly ModelMessage[]): EventData[] {
  const written: { role: string; content: EventData[] }[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = blocksOf(message);
    const last = written.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else if (blocks.length > 0) written.push({ role, content: blocks });
  }
  return written;
}

const FINISH_REASONS = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
]);

/** Reads the events of an answer: each block of its content has a begin, and parts that follow it. */
function readAnswer(maxBytes: number): AnswerReader {
  const parts = new AnswerParts(maxBytes);
  const usage: ModelUsage = { inputTokens: 0, outputTokens: 0 };
  let finishReason = '';
  let isDone = false;
  /** The numbers of later events replace those of earlier ones. Cached tokens are counted separately. */
  const count = (told: EventData) => {
    const input = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']
      .reduce((sum, name) => sum + asCount(told[name]), 0);
    usage.inputTokens = Math.max(usage.inputTokens, input);
    usage.outputTokens = Math.max(usage.outputTokens, asCount(told['output_tokens']));
  };
  const readDelta = (index: number, delta: EventData) => {
    if (delta['type'] === 'text_delta') parts.addText(asText(delta['text']));
    if (delta['type'] === 'input_json_delta') parts.addToCall(index, { arguments: asText(delta['partial_json']) });
  };
  return {
    event: (data) => {
      const event = parseEvent(data);
      const index = Number(event['index'] ?? 0);
      switch (event['type']) {
        case 'message_start':
          return count(asObject(asObject(event['message'])['usage']));
        case 'content_block_start': {
          const { type, text, id, name } = asObject(event['content_block']);
          if (type === 'text') parts.addText(asText(text));
          if (type === 'tool_use') parts.addToCall(index, { id: asText(id), name: asText(name) });
          return;
        }
        case 'content_block_delta':
          return readDelta(index, asObject(event['delta']));
        case 'message_delta':
          finishReason = asText(asObject(event['delta'])['stop_reason']) || finishReason;
          return count(asObject(event['usage']));
        case 'message_stop':
          isDone = true;
          return;
        case 'error':
          throw streamedError(asObject(event['error']));
      }
    },
    isComplete: () => isDone,
    usage: () => usage,
    answer: () => ({
      text: parts.text,
      toolCalls: parts.calls(),
      usage,
      finishReason: FINISH_REASONS.get(finishReason) ?? (finishReason || 'stop'),
    }),
  };
}

/** The dialect of Anthropic. */
export const anthropic: ModelDialect = {
  path: '/v1/messages',
  headers: [['anthropic-version', '2023-06-01']],
  body: ({ model, temperature, maxTokens }, { system = '', messages, tools = [], responseSchema }) => {
    const instructions = [system, responseSchema === undefined ? '' : inJson(responseSchema)].filter(Boolean);
    return {
      model,
      max_tokens: maxTokens ?? DEFAULT_MAX_TOKENS,
      system: instructions.length > 0 ? instructions.join('\n\n') : undefined,
      messages: writeMessages(messages),
      ...(tools.length > 0 && {
        tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
      }),
      temperature,
      stream: true,
    };
  },
  readAnswer,
};
