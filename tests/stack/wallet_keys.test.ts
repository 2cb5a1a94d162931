import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readWalletKeys } from '../../platform/secrets/sealed_secrets.ts';
import { loadKeys } from '../../dev/stack/keys.ts';

let dir: string;
let file: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'flow-keys-'));
  file = join(dir, 'keys.json');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it('a new stack makes WALLET_KEYS that the functions accept, and keeps them', async () => {
  const keys = await loadKeys(file);
  expect(readWalletKeys((name) => name === 'WALLET_KEYS' ? keys.walletKeys : undefined).currentId).toBe('local');
  expect(await loadKeys(file)).toEqual(keys);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('a stack without WALLET_KEYS gets them, and keeps its other keys', async () => {
  const { walletKeys, ...former } = await loadKeys(file);
  await writeFile(file, JSON.stringify(former));
  const keys = await loadKeys(file);
  expect(keys).toEqual({ ...former, walletKeys: expect.any(String) });
  expect(keys.walletKeys).not.toBe(walletKeys);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(keys);
});
