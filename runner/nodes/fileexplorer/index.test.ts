import { LosslessNumber } from 'lossless-json';
import { expect, it } from 'vitest';
import { makeNodeCall } from '../../../tests/support/node_call.ts';
import { fileexplorerNode } from './index.ts';

it('fileexplorer outputs the members of its form data that the flow declares as outputs', async () => {
  const formData = { key: 'user-storages/a', all: ['b', new LosslessNumber('2')], hidden: 'x' };
  const outputNames = ['key', 'all', 'missing', '__proto__'];
  const outputs = await fileexplorerNode.run(makeNodeCall(fileexplorerNode, { formData, outputNames }));
  expect({ ...outputs }).toEqual({ key: { S: 'user-storages/a' }, all: { A: [{ S: 'b' }, { U: '2' }] } });
});

it('fileexplorer outputs nothing without form data', async () => {
  for (const formData of [null, 'x', []]) {
    expect(await fileexplorerNode.run(makeNodeCall(fileexplorerNode, { formData, outputNames: ['key'] }))).toEqual({});
  }
});
