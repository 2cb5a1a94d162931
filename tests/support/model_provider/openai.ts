import { callIdOf, DEFAULT_USAGE, finishOf, piecesOf, type ProviderDialect, type ScriptedAnswer } from './scripts.ts';

// Chat completions, as https://github.com/openai/openai-openapi describes them.

type Json = { [name: string]: unknown };

const FINISH = { stop: 'stop', length: 'length', tool_calls: 'tool_calls', refusal: 'stop' };
const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];

const usageOf = ({ usage = DEFAULT_USAGE }: ScriptedAnswer) => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
});

const chunk = (model: string, choices: Json[], more: Json = {}): { data: Json } => ({
  data: {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_764_000_000,
    model,
    choices,
    usage: null,
    ...more,
  },
});

const delta = (model: string, part: Json, finish_reason: string | null = null) =>
  chunk(model, [{ index: 0, delta: part, logprobs: null, finish_reason }]);

function faultOfMessages(messages: unknown): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return "'messages' must be a list with a message";
  const open = new Set<string>();
  for (const [index, { role, content, tool_calls = [], tool_call_id }] of messages.entries()) {
    if (!ROLES.includes(role)) return `messages[${index}].role is not one of ${ROLES.join(', ')}`;
    const isContent = typeof content === 'string' || Array.isArray(content) ||
      (role === 'assistant' && tool_calls.length > 0);
    if (!isContent) return `messages[${index}].content is missing`;
    if (role === 'tool') {
      if (!open.delete(tool_call_id)) return `messages[${index}].tool_call_id answers no tool call`;
    } else if (open.size > 0) return 'a tool call has no tool message after it';
    for (const { id, type, function: called } of tool_calls) {
      if (type !== 'function' || typeof called.arguments !== 'string') {
        return `messages[${index}].tool_calls is invalid`;
      }
      open.add(id);
    }
  }
  return open.size > 0 ? 'a tool call has no tool message after it' : undefined;
}

export const openaiProvider: ProviderDialect = {
  path: '/v1/chat/completions',
  faultOf: ({ model, messages, tools = [], response_format, temperature, max_completion_tokens }) => {
    if (typeof model !== 'string') return "you must provide a 'model' parameter";
    if (temperature !== undefined && typeof temperature !== 'number') return "'temperature' must be a number";
    if (max_completion_tokens !== undefined && !Number.isInteger(max_completion_tokens)) {
      return "'max_completion_tokens' must be an integer";
    }
    if (!(tools as Json[]).every(({ type, function: one }) => type === 'function' && (one as Json)['name'])) {
      return "'tools' is invalid";
    }
    const format = response_format as Json | undefined;
    if (format !== undefined && (format['type'] !== 'json_schema' || !(format['json_schema'] as Json)['name'])) {
      return "'response_format' is invalid";
    }
    return faultOfMessages(messages);
  },
  errorBody: (type, message) => ({ error: { message, type, param: null, code: type } }),
  whole: (model, script) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_764_000_000,
    model,
    choices: [{
      index: 0,
      message: {
        role: 'assistant',
        content: finishOf(script) === 'refusal' ? null : script.text ?? null,
        refusal: finishOf(script) === 'refusal' ? script.text ?? '' : null,
        ...(script.toolCalls && {
          tool_calls: script.toolCalls.map((call, index) => ({
            id: callIdOf(call, index),
            type: 'function',
            function: { name: call.name, arguments: call.arguments },
          })),
        }),
      },
      logprobs: null,
      finish_reason: FINISH[finishOf(script)],
    }],
    usage: usageOf(script),
  }),
  begin: (model, script) => {
    const { text = '', toolCalls = [] } = script;
    const member = finishOf(script) === 'refusal' ? 'refusal' : 'content';
    const calls = toolCalls.flatMap((call, index) => [
      delta(model, {
        tool_calls: [{
          index,
          id: callIdOf(call, index),
          type: 'function',
          function: { name: call.name, arguments: '' },
        }],
      }),
      ...piecesOf(call.arguments).map((piece) =>
        delta(model, { tool_calls: [{ index, function: { arguments: piece } }] })
      ),
    ]);
    return [
      delta(model, { role: 'assistant', content: '', refusal: null }),
      ...piecesOf(text).map((piece) => delta(model, { [member]: piece })),
      ...calls,
    ];
  },
  end: (model, script) => [
    delta(model, {}, FINISH[finishOf(script)]),
    chunk(model, [], { usage: usageOf(script) }),
    { data: '[DONE]' },
  ],
  more: (model, text) => delta(model, { content: text }),
  failure: (type, message) => ({ data: { error: { message, type, param: null, code: null } } }),
};
