import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { collectNode } from './index.ts';

it('collect outputs the gathered values, and an empty array if there are none', async () => {
  const gathered = { A: [{ U: '1' }, { N: 0 as const }] };
  expect(await runNode(collectNode, { element: gathered })).toEqual({ array: gathered });
  expect(await runNode(collectNode, {})).toEqual({ array: { A: [] } });
});

it('collect refuses a word in the form that it does not know', async () => {
  for (const on_failed_element of ['leave_out', '', null]) {
    expect(await runNode(collectNode, {}, { formData: { on_failed_element } })).toEqual({ array: { A: [] } });
  }
  for (const on_failed_element of ['Leave_out', 'run', true]) {
    await expect(runNode(collectNode, {}, { formData: { on_failed_element } })).rejects.toThrow(
      'on_failed_element must be "leave_out", or left out',
    );
  }
});
