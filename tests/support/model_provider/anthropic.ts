import {
  callIdOf,
  DEFAULT_USAGE,
  finishOf,
  piecesOf,
  type ProviderDialect,
  type ProviderEvent,
  type ScriptedAnswer,
} from './scripts.ts';

// Messages, as https://docs.anthropic.com/en/api/messages describes them.

type Json = { [name: string]: unknown };

const VERSIONS = ['2023-06-01', '2026-10-21'];
const FINISH = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', refusal: 'refusal' };

const usageOf = ({ usage = DEFAULT_USAGE }: ScriptedAnswer) => ({
  input_tokens: usage.input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: usage.output,
});

const event = (type: string, data: Json): ProviderEvent => ({ event: type, data: { type, ...data } });

const toolInput = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};

const blocksOf = (message: Json): Json[] =>
  typeof message['content'] === 'string'
    ? [{ type: 'text', text: message['content'] }]
    : Array.isArray(message['content'])
    ? message['content']
    : [];

function faultOfMessages(messages: unknown): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: at least one message is required';
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const role = index % 2 === 0 ? 'user' : 'assistant';
    if (message.role !== role) return `messages.${index}: roles must alternate, starting with user`;
    const blocks = blocksOf(message);
    if (blocks.length === 0) return `messages.${index}: content must not be empty`;
    if (blocks.some(({ type, text }) => type === 'text' && text === '')) {
      return `messages.${index}: text content blocks must be non-empty`;
    }
    const answered = blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id }) => tool_use_id);
    if (answered.length !== open.length || open.some((id) => !answered.includes(id))) {
      return `messages.${index}: tool_use ids were found without tool_result blocks immediately after`;
    }
    const calls = blocks.filter(({ type }) => type === 'tool_use');
    if (calls.some(({ input }) => typeof input !== 'object' || input === null)) {
      return `messages.${index}: tool_use.input should be an object`;
    }
    open = calls.map(({ id }) => String(id));
  }
  return open.length > 0 ? 'tool_use ids were found without tool_result blocks immediately after' : undefined;
}

export const anthropicProvider: ProviderDialect = {
  path: '/v1/messages',
  faultOf: ({ model, max_tokens, messages, system, tools = [] }, headers) => {
    if (!VERSIONS.includes(String(headers['anthropic-version']))) return 'anthropic-version: header is required';
    if (typeof model !== 'string') return 'model: Field required';
    if (!Number.isInteger(max_tokens) || Number(max_tokens) < 1) return 'max_tokens: Field required';
    if (system === '') return 'system: text content blocks must be non-empty';
    if (!(tools as Json[]).every(({ name, input_schema }) => name && typeof input_schema === 'object')) {
      return 'tools: Field required';
    }
    return faultOfMessages(messages);
  },
  errorBody: (type, message) => ({ type: 'error', error: { type, message }, request_id: 'req_1' }),
  whole: (model, script) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(script.text === undefined ? [] : [{ type: 'text', text: script.text, citations: null }]),
      ...(script.toolCalls ?? []).map((call, index) => ({
        type: 'tool_use',
        id: callIdOf(call, index),
        name: call.name,
        input: toolInput(call.arguments),
      })),
    ],
    stop_reason: FINISH[finishOf(script)],
    stop_sequence: null,
    usage: usageOf(script),
  }),
  begin: (model, script) => {
    const { text, toolCalls = [] } = script;
    const shift = text === undefined ? 0 : 1;
    const texts = text === undefined ? [] : [
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('ping', {}),
      ...piecesOf(text).map((piece) =>
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } })
      ),
      event('content_block_stop', { index: 0 }),
    ];
    const calls = toolCalls.flatMap((call, index) => [
      event('content_block_start', {
        index: index + shift,
        content_block: { type: 'tool_use', id: callIdOf(call, index), name: call.name, input: {} },
      }),
      ...piecesOf(call.arguments).map((partial_json) =>
        event('content_block_delta', { index: index + shift, delta: { type: 'input_json_delta', partial_json } })
      ),
      event('content_block_stop', { index: index + shift }),
    ]);
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usageOf(script), output_tokens: 1 },
    };
    return [event('message_start', { message }), ...texts, ...calls];
  },
  end: (_model, script) => [
    event('message_delta', {
      delta: { stop_reason: FINISH[finishOf(script)], stop_sequence: null },
      usage: { output_tokens: usageOf(script).output_tokens },
    }),
    event('message_stop', {}),
  ],
  more: (_model, text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
  failure: (type, message) => event('error', { error: { type, message } }),
};
