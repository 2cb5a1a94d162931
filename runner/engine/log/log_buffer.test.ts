import { expect, it } from 'vitest';
import { executeFlow } from '../../../tests/support/execute_flow.ts';
import { FlowBuilder } from '../../../tests/support/flow_builder.ts';
import { LogBuffer } from './log_buffer.ts';

it('keeps lines up to the first one beyond the limit of characters, each shortened as it will be stored', () => {
  const buffer = new LogBuffer({}, { logLines: 10, logCharacters: 40_000 });
  for (let count = 0; count < 5; count++) buffer.add('Info', 'x'.repeat(100_000));
  expect(buffer.lines).toHaveLength(2);
  expect(buffer.lines[0]![1].length).toBeLessThan(33_000);
});

it('a node that computes at once keeps at most as many lines as the run may log, and no lines below the lowest level', async () => {
  const flow = new FlowBuilder();
  flow.script('for i in 0..200 { debug(i); print(i) }', {}, 1, 'loud');
  const logsOf = async (limits: { logLines?: number; logCharacters?: number }, environment = {}) =>
    (await executeFlow(flow, {}, { limits, environment })).logs.map(({ content }) => content);
  expect(await logsOf({ logLines: 100 })).toEqual(Array.from({ length: 100 }, (_, index) => String(index)));
  expect(await logsOf({ logCharacters: 10 })).toHaveLength(11);
  expect(await logsOf({ logLines: 50 }, { RUST_LOG: 'debug' })).toHaveLength(50);
});
