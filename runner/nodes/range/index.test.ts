import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { rangeNode } from './index.ts';

const inputs = (start: Value, end: Value, step?: Value): ValueMap => ({ start, end, ...(step && { step_by: step }) });
const decimal = (text: string): Value => ({ D: text });

it.each<[ValueMap, string[]]>([
  [inputs({ U: '0' }, { U: '3' }), ['0', '1', '2']],
  [inputs(decimal('0'), decimal('1'), decimal('0.3')), ['0', '0.3', '0.6']],
  [inputs(decimal('0.1'), decimal('0.4'), decimal('0.1')), ['0.1', '0.2', '0.3']],
  // The node never counts down: only the distance between start and end matters.
  [inputs({ U: '3' }, { U: '0' }), ['3', '4', '5']],
  [inputs({ S: ' 1e1 ' }, { F: '12.0' }), ['10', '11']],
  [inputs({ I: '-1' }, { I: '-1' }), []],
  [inputs({ U: '0' }, decimal('0.9')), []],
])('range outputs, for %j, the numbers %j', async (given, expected) => {
  expect(await runNode(rangeNode, given)).toEqual({ result: { A: expected.map(decimal) } });
});

const MAX = '79228162514264337593543950335';

it.each<[ValueMap, string]>([
  [{ end: { U: '1' } }, 'missing field `start`'],
  [{ start: { U: '1' } }, 'missing field `end`'],
  [inputs({ U: '0' }, { U: '1' }, { U: '0' }), 'step_by: must be a decimal greater than 0'],
  [inputs({ U: '0' }, { U: '1' }, { I: '-1' }), 'step_by: must be a decimal greater than 0'],
  [inputs({ U: '0' }, { U: '1' }, { N: 0 }), 'step_by: invalid type: unit value, expected a decimal'],
  [inputs({ U: '0' }, { U: '104858' }), "output_too_large: 104858 numbers don't fit into an output of 1048576 bytes"],
  [inputs(decimal(`-${MAX}`), decimal(MAX)), 'output_too_large: more numbers than can be counted'],
  [
    inputs(decimal(MAX), decimal('79228162514264337593543950333')),
    'a number of the range needs more than the 96 bits of a decimal',
  ],
])('range fails with %j and names the reason', async (given, message) => {
  await expect(runNode(rangeNode, given)).rejects.toThrow(message);
});

it('range outputs as many numbers as an output may hold, and checks the time meanwhile', async () => {
  let checks = 0;
  const given = inputs({ U: '0' }, { U: '104857' });
  const { result } = await runNode(rangeNode, given, { checkTime: () => checks++ });
  const { A } = result as { A: Value[] };
  expect([A.length, A.at(-1)]).toEqual([104857, decimal('104856')]);
  expect(checks).toBe(104);
});
