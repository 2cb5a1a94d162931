import { parse } from 'lossless-json';
import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { LosslessJson, ValueMap } from '../../../types/values/value.ts';
import { interflowNode } from './index.ts';

it.each(['{"id": 42}', '{"id": "42"}'])('interflow with %s runs the flow with its inputs', async (json) => {
  const calls: [number, ValueMap][] = [];
  const callFlow = async (flowId: number, inputs: ValueMap): Promise<ValueMap> => {
    calls.push([flowId, inputs]);
    return { sum: { U: '3' } };
  };
  const outputs = await runNode(interflowNode, { a: { U: '1' } }, { formData: parse(json) as LosslessJson, callFlow });
  expect(outputs).toEqual({ sum: { U: '3' } });
  expect(calls).toEqual([[42, { a: { U: '1' } }]]);
});

it.each(['{}', 'null', '{"id": null}', '{"id": "x"}', '{"id": -1}', '{"id": 1.5}', '{"id": 1e3}', '{"id": [1]}'])(
  'interflow with %s fails and names the expected form',
  async (json) => {
    await expect(runNode(interflowNode, {}, { formData: parse(json) as LosslessJson })).rejects.toThrow(
      'form_data.id must be the integer id of a flow',
    );
  },
);
