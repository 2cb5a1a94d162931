import { expect, it } from 'vitest';
import { isLogged } from '../../runner/engine/log/log_filter.ts';
import type { LogLevel } from '../../runner/engine/node.ts';
import { executeFlow } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';

const LEVELS: LogLevel[] = ['Trace', 'Debug', 'Info', 'Warn', 'Error'];

it.each<[string | undefined, LogLevel[]]>([
  [undefined, ['Info', 'Warn', 'Error']],
  ['', ['Info', 'Warn', 'Error']],
  ['trace', LEVELS],
  ['DEBUG', ['Debug', 'Info', 'Warn', 'Error']],
  ['error', ['Error']],
  ['off', []],
  ['solana=trace', ['Info', 'Warn', 'Error']],
  ['warn, solana=trace', ['Warn', 'Error']],
  ['loud', ['Info', 'Warn', 'Error']],
])('RUST_LOG=%s keeps the levels %j', (setting, kept) => {
  const environment: { [name: string]: string } = setting === undefined ? {} : { RUST_LOG: setting };
  expect(LEVELS.filter((level) => isLogged(level, environment))).toEqual(kept);
});

it("a run keeps the log lines that its flow's environment selects", async () => {
  const flow = new FlowBuilder();
  flow.script('debug("detail"); print("line")', {});
  const contents = async (environment: { [name: string]: string }) =>
    (await executeFlow(flow, {}, { environment })).logs.map(({ log_level }) => log_level);
  expect(await contents({})).toEqual(['Info']);
  expect(await contents({ RUST_LOG: 'debug' })).toEqual(['Debug', 'Info']);
  expect(await contents({ RUST_LOG: 'warn' })).toEqual([]);
});
