import { expect, it } from 'vitest';
import { recordedFiles } from '../../../tests/support/files.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { storageGetPublicUrlNode } from './index.ts';

it('storage_get_public_url outputs the URL of a file', async () => {
  const { files, calls } = recordedFiles({ publicUrl: 'https://x.example/a' });
  const inputs = { bucket: { S: 'user-public-storages' }, path: { S: 'a' }, key: { N: 0 as const } };
  expect(await runNode(storageGetPublicUrlNode, inputs, { files })).toEqual({ url: { S: 'https://x.example/a' } });
  expect(calls).toEqual([['publicUrl', { key: undefined, bucket: 'user-public-storages', path: 'a' }]]);
});
