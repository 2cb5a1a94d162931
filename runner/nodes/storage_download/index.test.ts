import { expect, it } from 'vitest';
import { recordedFiles } from '../../../tests/support/files.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { storageDownloadNode } from './index.ts';

const contentOf = async (...bytes: number[]) => {
  const { files } = recordedFiles({ download: { bytes: Uint8Array.from(bytes), contentType: 'a/b' } });
  const { content, ...others } = await runNode(storageDownloadNode, { path: { S: 'a' } }, { files });
  expect(others).toEqual({ content_type: { S: 'a/b' }, size: { U: String(bytes.length) } });
  return content;
};

it('storage_download outputs a text if the file is one in UTF-8, otherwise bytes', async () => {
  expect(await contentOf()).toEqual({ S: '' });
  expect(await contentOf(0xc3, 0xbc)).toEqual({ S: 'ü' });
  expect(await contentOf(0xef, 0xbb, 0xbf, 0x61)).toEqual({ S: '\ufeffa' });
  expect(await contentOf(0xc3)).toEqual({ BY: 'ww==' });
  expect(await contentOf(0x61, 0)).toEqual({ BY: 'YQA=' });
  expect(await contentOf(0xed, 0xa0, 0x80)).toEqual({ BY: '7aCA' });
});

it('storage_download reads no more bytes than an output may have', async () => {
  const { files, calls } = recordedFiles({ download: { bytes: new Uint8Array(), contentType: 'a/b' } });
  await runNode(storageDownloadNode, { key: { S: 'b/c' } }, { files, maxOutputBytes: 5 });
  expect(calls).toEqual([['download', { key: 'b/c', bucket: undefined, path: undefined }, 5]]);
});
