import { expect, it } from 'vitest';
import { recordedFiles } from '../../../tests/support/files.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { effectsWith, publishedEffects, Released } from '../../engine/node.ts';
import { storageUploadNode } from './index.ts';

const stored = { upload: { key: 'user-storages/x/a.txt', contentType: 'text/plain' } };

it('storage_upload stores a text as UTF-8, or bytes', async () => {
  const { files, calls } = recordedFiles(stored);
  const inputs = { path: { S: 'a.txt' }, content: { S: 'ü' } };
  expect(await runNode(storageUploadNode, inputs, { files })).toEqual({
    key: { S: 'user-storages/x/a.txt' },
    content_type: { S: 'text/plain' },
  });
  const given = { bucket: { S: 'b' }, content_type: { S: 'image/png' }, overwrite: { B: true } };
  await runNode(storageUploadNode, { path: { S: 'a' }, content: { BY: 'AP8=' }, ...given }, { files });
  expect(calls).toEqual([
    [
      'upload',
      { bucket: undefined, path: 'a.txt' },
      { bytes: Uint8Array.of(0xc3, 0xbc), isText: true, contentType: undefined, overwrite: false },
    ],
    [
      'upload',
      { bucket: 'b', path: 'a' },
      { bytes: Uint8Array.of(0, 255), isText: false, contentType: 'image/png', overwrite: true },
    ],
  ]);
});

it('storage_upload takes no other values', async () => {
  const { files } = recordedFiles(stored);
  const run = (inputs: object) =>
    runNode(storageUploadNode, { path: { S: 'a' }, content: { S: 'x' }, ...inputs }, { files });
  await expect(run({ content: { M: {} } })).rejects.toThrow('content: ');
  await expect(run({ overwrite: { S: 'true' } })).rejects.toThrow('overwrite: ');
  await expect(run({ path: { U: '1' } })).rejects.toThrow('path: ');
  await expect(runNode(storageUploadNode, { path: { S: 'a' } }, { files })).rejects.toThrow('missing field `content`');
});

it('storage_upload may run again only if it overwrites', async () => {
  expect(publishedEffects(storageUploadNode)).toBe('once');
  const effects = [{ B: true }, { B: false }, { N: 0 as const }, { S: 'true' }].map((overwrite) =>
    effectsWith(storageUploadNode, { overwrite })
  );
  expect(effects).toEqual(['idempotent', 'once', 'once', 'once']);
  expect(effectsWith(storageUploadNode, {})).toBe('once');

  const { files } = recordedFiles({});
  const release = { files, releasing: AbortSignal.abort() };
  const inputs = { path: { S: 'a' }, content: { S: 'x' } };
  await expect(runNode(storageUploadNode, { ...inputs, overwrite: { B: true } }, release)).rejects.toThrow(Released);
  await expect(runNode(storageUploadNode, inputs, release)).rejects.toThrow('no answer to upload');
});
