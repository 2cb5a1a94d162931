import { expect, it } from 'vitest';
import { recordedFiles } from '../../../tests/support/files.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { publishedEffects, Released } from '../../engine/node.ts';
import { storageDeleteNode } from './index.ts';

it('storage_delete outputs the key of the deleted file', async () => {
  const { files, calls } = recordedFiles({ remove: 'b/c' });
  expect(await runNode(storageDeleteNode, { key: { S: 'b/c' } }, { files })).toEqual({ key: { S: 'b/c' } });
  expect(calls).toEqual([['remove', { key: 'b/c', bucket: undefined, path: undefined }]]);
});

it('storage_delete may run again', async () => {
  expect(publishedEffects(storageDeleteNode)).toBe('idempotent');
  const { files } = recordedFiles({});
  const released = { files, releasing: AbortSignal.abort() };
  await expect(runNode(storageDeleteNode, { path: { S: 'a' } }, released)).rejects.toThrow(Released);
});
