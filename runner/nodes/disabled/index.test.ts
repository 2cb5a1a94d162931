import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { disabledNode } from './index.ts';

const ports = { inputNames: ['url', 'body'], outputNames: ['status', 'answer'] };

it('a disabled node gives its first input that has a value as each output', async () => {
  const outputs = await runNode(disabledNode, { body: { S: 'a' } }, { ...ports, formData: { chooses: false } });
  expect(outputs).toEqual({ status: { S: 'a' }, answer: { S: 'a' } });
  expect(await runNode(disabledNode, { url: { N: 0 }, body: { S: 'a' } }, ports)).toMatchObject({ answer: { N: 0 } });
});

it('a disabled node that chose among its outputs gives the value the first way only', async () => {
  const outputs = await runNode(disabledNode, { url: { S: 'a' } }, { ...ports, formData: { chooses: true } });
  expect(outputs).toEqual({ status: { S: 'a' } });
});

it('a disabled node without values leaves its outputs unset', async () => {
  expect(await runNode(disabledNode, {}, ports)).toEqual({});
});
