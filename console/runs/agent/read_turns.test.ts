import { expect, it } from 'vitest';
import { stepNodeId } from '../../../runner/engine/run/step_node_id.ts';
import type { PlainObject } from '../../shared/graph/drawn_node.ts';
import { tagLike } from '../../shared/plain_json.ts';
import { outcomeOf } from './call_outcome.ts';
import { readTurns } from './read_turns.ts';
import type { AgentStep } from './steps.ts';

const AGENT = '00000000-0000-4000-8000-000000000007';

/** Makes the steps of a run, one after another. */
function makeSteps() {
  const steps: AgentStep[] = [];
  const add = (name: string, input: PlainObject, more: Partial<AgentStep>) => {
    const node_id = stepNodeId(AGENT, name);
    const second = String(steps.length).padStart(2, '0');
    steps.push({
      node_id,
      times: steps.filter((step) => step.node_id === node_id).length,
      start_time: `2026-11-29T14:00:${second}+00:00`,
      end_time: `2026-11-29T14:00:${second}.5+00:00`,
      input: tagLike(input),
      output: null,
      errors: null,
      attempt: 1,
      is_taken_over: false,
      answered_at: null,
      answered_by: null,
      ...more,
    });
  };
  const answer = (text: string, calls: [name: string, given: string][]) => ({
    output: tagLike({
      text,
      tool_calls: calls.map(([name, given], index) => ({ id: `call_${index}`, name, arguments: given })),
      usage: { input_tokens: 11, output_tokens: 7 },
      finish_reason: calls.length === 0 ? 'stop' : 'tool_calls',
    }),
  });
  return {
    steps,
    model: (messages: PlainObject[], text: string, calls: [name: string, given: string][] = []) =>
      add('model', { messages }, answer(text, calls)),
    tool: (tool: string, given: PlainObject, more: Partial<AgentStep>) =>
      add(`tool ${tool}`, { tool, arguments: given }, more),
    approval: (tool: string, given: PlainObject, word: string) =>
      add(`approval ${tool}`, { tool, arguments: given }, { output: tagLike({ answer: word }) }),
  };
}

const told = (text: string, isError = false) => ({ role: 'tool', callId: 'call_0', text, isError });
const outcomes = (steps: AgentStep[], hasEnded = true) =>
  readTurns(steps, AGENT).map(({ calls }) => calls.map((call) => outcomeOf(call, hasEnded).word));

it('each call has its own approval, result and telling, also beside a wrong call of the same tool', () => {
  const { steps, model, tool, approval } = makeSteps();
  model([{ role: 'user', text: 'go' }], 'I try', [
    ['pay', '{"to":5}'],
    ['pay', '{"to":"a","amount":1.0}'],
    ['pay', '{"to":"b"}'],
    ['gone', 'no JSON'],
  ]);
  approval('pay', { amount: 1, to: 'a' }, 'Approve');
  tool('pay', { amount: 1, to: 'a' }, { output: tagLike({ result: { paid: 1 } }) });
  approval('pay', { to: 'b' }, 'Refuse');
  model(
    [told('to: must be string', true), told('{"paid":1}'), told('refused', true), told('unknown', true)],
    'Once more',
    [['pay', '{"to":"b"}']],
  );
  approval('pay', { to: 'b' }, 'Approve');
  tool('pay', { to: 'b' }, { errors: ['no money'] });
  model([told('no money', true), { role: 'user', text: 'Answer again' }], 'done');
  const turns = readTurns(steps, AGENT);
  expect(turns.map(({ text, prompts, usage }) => [text, prompts, usage])).toEqual([
    ['I try', ['go'], { input: 11, output: 7 }],
    ['Once more', [], { input: 11, output: 7 }],
    ['done', ['Answer again'], { input: 11, output: 7 }],
  ]);
  expect(turns[0]!.calls.map(({ told: { text } = { text: '' } }) => text)).toEqual([
    'to: must be string',
    '{"paid":1}',
    'refused',
    'unknown',
  ]);
  expect(outcomes(steps)).toEqual([['wrong call', 'done', 'refused', 'wrong call'], ['failed'], []]);
});

it('a call under way, the calls around it, and an answer that has not come have words of their own', () => {
  const { steps, model, tool } = makeSteps();
  const calls: [string, string][] = [['a', '{}'], ['a', '{"x":1}'], ['b', '{}']];
  model([{ role: 'user', text: 'go' }], '', calls);
  tool('a', { x: 1 }, { end_time: null });
  expect(outcomes(steps, false)).toEqual([['wrong call', 'running', 'not called yet']]);
  expect(outcomes(steps, true)).toEqual([['wrong call', 'stopped', 'not called']]);
  steps[0]!.output = null;
  expect(readTurns(steps, AGENT)).toMatchObject([{ text: '', calls: [], usage: undefined, finishReason: '' }]);
});

it('a model that was asked nothing yet has no turns', () => {
  expect(readTurns([], AGENT)).toEqual([]);
});
