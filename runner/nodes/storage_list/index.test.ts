import { expect, it } from 'vitest';
import { recordedFiles } from '../../../tests/support/files.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { storageListNode } from './index.ts';

it('storage_list outputs the names in a folder', async () => {
  const { files, calls } = recordedFiles({ list: { names: ['a/', 'b'], isCut: false } });
  const inputs = { bucket: { S: 'user-storages' }, path: { S: 'x' } };
  expect(await runNode(storageListNode, inputs, { files })).toEqual({ files: { A: [{ S: 'a/' }, { S: 'b' }] } });
  expect(calls).toEqual([['list', { bucket: 'user-storages', path: 'x' }]]);
  await expect(runNode(storageListNode, { path: { S: 'x' } }, { files })).rejects.toThrow('missing field `bucket`');
});

it('storage_list warns in the log if names may be missing', async () => {
  const { files } = recordedFiles({ list: { names: ['a'], isCut: true } });
  const lines: string[] = [];
  await runNode(storageListNode, { bucket: { S: 'b' } }, {
    files,
    log: (level, line) => lines.push(`${level} ${line}`),
  });
  expect(lines).toEqual(['Warn the folder may hold more than the 1 names in the output']);
});
