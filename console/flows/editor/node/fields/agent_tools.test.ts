import { expect, it } from 'vitest';
import { faultOfName, readTools, toolNameOf, withMembers } from './agent_tools.ts';

it.each([
  ['Pay an order back', 'pay_an_order_back'],
  ['Café: Größe (2)', 'cafe_gro_e_2'],
  ['支払い', ''],
  ['a'.repeat(70), 'a'.repeat(64)],
])('the flow %j becomes a tool %j', (flow, name) => {
  expect(toolNameOf(flow)).toBe(name);
});

it.each([
  ['', 'Enter a name'],
  [undefined, 'Enter a name'],
  ['pay back', 'At most 64 letters, digits, _ and -'],
  ['a'.repeat(65), 'At most 64 letters, digits, _ and -'],
  ['find', 'Another tool has this name'],
  ['pay_back-2', undefined],
])('a second tool with the name %j has the fault %j', (name, fault) => {
  const tools = [{ name: 'find' }, { name }];
  expect([faultOfName(tools, 0), faultOfName(tools, 1)]).toEqual([undefined, fault]);
});

it('a changed tool keeps its other members, and loses those that say nothing', () => {
  const tool = { flow: 7, name: 'pay', needs_approval: true, other: [0] };
  expect(withMembers(tool, { needs_approval: false, description: '' })).toEqual({ flow: 7, name: 'pay', other: [0] });
});

it.each([[undefined, []], [null, []], [[{ flow: 7 }], [{ flow: 7 }]], [[7], undefined], ['pay', undefined]])(
  'the value %j has the tools %j',
  (value, tools) => {
    expect(readTools(value)).toEqual(tools);
  },
);
