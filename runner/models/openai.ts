import { AnswerParts, asCount, asObject, asText, type EventData, parseEvent, streamedError } from './answer_parts.ts';
import type { ModelUsage } from '../engine/node.ts';
import type { AnswerReader, ModelDialect, ModelImage, ModelMessage } from './model.ts';

// The interface of chat completions. Source: https://platform.openai.com/docs/api-reference/chat

const imageUrl = (image: ModelImage): string =>
  'url' in image ? image.url : `data:${image.mediaType};base64,${image.base64}`;

function writeMessage(message: ModelMessage): EventData {
  switch (message.role) {
    case 'user': {
      const { text, images = [] } = message;
      if (images.length === 0) return { role: 'user', content: text };
      const shown = images.map((image) => ({ type: 'image_url', image_url: { url: imageUrl(image) } }));
      return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...shown] };
    }
    case 'assistant': {
      const { text, toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role: 'assistant', content: text };
      const tool_calls = toolCalls.map(({ id, name, arguments: written }) => ({
        id,
        type: 'function',
        function: { name, arguments: written },
      }));
      return { role: 'assistant', content: text || null, tool_calls };
    }
    case 'tool':
      // The interface has no member for a failed call.
      return {
        role: 'tool',
        tool_call_id: message.callId,
        content: message.isError ? `Error: ${message.text}` : message.text,
      };
  }
}

const FINISH_REASONS = new Map([['content_filter', 'refusal'], ['function_call', 'tool_calls']]);

/** Reads the chunks of an answer. The last chunk with a choice has the reason of the end, and a later one the usage. */
function readAnswer(maxBytes: number): AnswerReader {
  const parts = new AnswerParts(maxBytes);
  let usage: ModelUsage = { inputTokens: 0, outputTokens: 0 };
  let finishReason = '';
  let isRefused = false;
  let isDone = false;
  const readChoice = ({ delta, finish_reason }: EventData) => {
    const { content, refusal, tool_calls } = asObject(delta);
    parts.addText(asText(content));
    if (asText(refusal) !== '') {
      isRefused = true;
      parts.addText(asText(refusal));
    }
    for (const [position, one] of (Array.isArray(tool_calls) ? tool_calls : []).entries()) {
      const { index, id, function: called } = asObject(one);
      const { name, arguments: written } = asObject(called);
      parts.addToCall(Number.isInteger(index) ? Number(index) : position, {
        id: asText(id),
        name: asText(name),
        arguments: asText(written),
      });
    }
    finishReason = asText(finish_reason) || finishReason;
  };
  return {
    event: (data) => {
      if (data.trim() === '[DONE]') {
        isDone = true;
        return;
      }
      const chunk = parseEvent(data);
      if (chunk['error'] != null) throw streamedError(asObject(chunk['error']));
      // The chunk with the usage has no choice.
      const [choice] = Array.isArray(chunk['choices']) ? chunk['choices'] : [];
      if (choice !== undefined) readChoice(asObject(choice));
      if (chunk['usage'] != null) {
        const { prompt_tokens, completion_tokens } = asObject(chunk['usage']);
        usage = { inputTokens: asCount(prompt_tokens), outputTokens: asCount(completion_tokens) };
      }
    },
    isComplete: () => isDone || finishReason !== '',
    usage: () => usage,
    answer: () => ({
      text: parts.text,
      toolCalls: parts.calls(),
      usage,
      finishReason: isRefused ? 'refusal' : FINISH_REASONS.get(finishReason) ?? (finishReason || 'stop'),
    }),
  };
}

/** The dialect of OpenAI, which most other providers speak, too. */
export const openai: ModelDialect = {
  path: '/chat/completions',
  headers: [],
  body: ({ model, temperature, maxTokens }, { system = '', messages, tools = [], responseSchema }) => ({
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages.map(writeMessage)],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      })),
    }),
    // Strict mode refuses schemas with optional members or limits of numbers, so the node checks the answer itself.
    ...(responseSchema !== undefined && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: responseSchema } },
    }),
    temperature,
    max_completion_tokens: maxTokens,
    stream: true,
    stream_options: { include_usage: true },
  }),
  readAnswer,
};
