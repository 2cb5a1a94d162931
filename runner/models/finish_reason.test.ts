import { expect, it } from 'vitest';
import { anthropic } from './anthropic.ts';
import { openai } from './openai.ts';

const ENDS = {
  openai: (reason: string) => ({ choices: [{ delta: {}, finish_reason: reason }] }),
  anthropic: (reason: string) => ({ type: 'message_delta', delta: { stop_reason: reason } }),
};

it.each(
  [
    ['openai', 'content_filter', 'refusal'],
    ['openai', 'constructor', 'constructor'],
    ['anthropic', 'model_context_window_exceeded', 'length'],
    ['anthropic', 'pause_turn', 'pause_turn'],
    ['anthropic', 'constructor', 'constructor'],
  ] as const,
)('%s: an answer that ends by %s has the reason %s', (dialect, reason, expected) => {
  const reader = { openai, anthropic }[dialect].readAnswer(1_000);
  reader.event(JSON.stringify(ENDS[dialect](reason)));
  expect(reader.answer().finishReason).toBe(expected);
});
