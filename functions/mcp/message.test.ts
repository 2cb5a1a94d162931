import { expect, it } from 'vitest';
import { readMessage } from './message.ts';

it.each<[unknown, object, boolean]>([
  [undefined, {}, false],
  ['7', { after_flow: 7 }, false],
  ['2147483647', { after_flow: 2_147_483_647 }, false],
  ['2147483648', { tool_name: '' }, true],
  ['1e3', { tool_name: '' }, true],
  [7, { tool_name: '' }, true],
])('the cursor %j asks for %j', (cursor, wanted, hasForeignCursor) => {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor } });
  expect(readMessage(text)).toMatchObject({ wanted, hasForeignCursor });
});
