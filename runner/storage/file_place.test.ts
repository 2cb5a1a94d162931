import { describe, expect, it } from 'vitest';
import { type BucketAccess, findFile, findFolder, isShareable, urlPathOf } from './file_place.ts';

const OWNER = '0193aaaa-0000-4000-8000-0000000000aa';
const OTHER = '0193aaaa-0000-4000-8000-0000000000ab';
const access: BucketAccess = { ownerId: OWNER, sharedBuckets: new Set(['reports', 'a.b-c_1']) };

const file = (bucket: string, path: string) => findFile({ bucket, path }, access);
const byKey = (key: string) => findFile({ key }, access);

describe('bucket and path', () => {
  it('lead into the folder of the owner, in user-storages by default', () => {
    expect(findFile({ path: 'a/b.txt' }, access)).toEqual({ bucket: 'user-storages', path: `${OWNER}/a/b.txt` });
    expect(file('user-public-storages', 'b.txt').path).toBe(`${OWNER}/b.txt`);
    expect(file('', '/a//b.txt/').path).toBe(`${OWNER}/a/b.txt`);
  });

  it('always get the folder of the owner, whatever the path begins with', () => {
    for (const first of [OWNER, OTHER, OWNER.toUpperCase(), `user-storages/${OTHER}`]) {
      expect(file('user-storages', `${first}/x`).path).toBe(`${OWNER}/${first}/x`);
    }
  });

  it('lead anywhere in a bucket that the operator lists', () => {
    expect(file('reports', '2026/a.csv')).toEqual({ bucket: 'reports', path: '2026/a.csv' });
    expect(file('a.b-c_1', `${OTHER}/a`)).toEqual({ bucket: 'a.b-c_1', path: `${OTHER}/a` });
  });

  it.each([
    'other',
    'USER-STORAGES',
    'User-Storages',
    'user-storages ',
    ' user-storages',
    'user-storages/',
    `user-storages/${OTHER}`,
    'user-storages\0',
    'user%2Dstorages',
    'user-stórages',
    'user‐storages',
    '.',
    '..',
    '../user-storages',
    'reports/..',
    'reports?x',
    'reports,user-storages',
    '__proto__',
    'constructor',
  ])('refuse the bucket %j', (bucket) => {
    expect(() => file(bucket, 'a')).toThrow(/^storage_denied: flows may not use the bucket /);
  });
});

describe('a key', () => {
  it('names a file in the folder of the owner, or in a bucket that the operator lists', () => {
    expect(byKey(`user-storages/${OWNER}/a/b`)).toEqual({ bucket: 'user-storages', path: `${OWNER}/a/b` });
    expect(byKey(`/user-public-storages//${OWNER}/a/`).path).toBe(`${OWNER}/a`);
    expect(byKey('reports/a/b')).toEqual({ bucket: 'reports', path: 'a/b' });
  });

  it.each([
    `user-storages/${OTHER}/a`,
    `user-public-storages/${OTHER}/a`,
    `user-storages/${OWNER}0/a`,
    `user-storages/${OWNER.slice(0, -1)}/a`,
    `user-storages/${OWNER.toUpperCase()}/a`,
    `user-storages/a`,
    'user-storages/user-storages',
    `user-storages/x/${OWNER}/a`,
    `other/${OWNER}/a`,
    `USER-STORAGES/${OWNER}/a`,
    'other',
  ])('is refused outside these: %s', (key) => {
    expect(() => byKey(key)).toThrow(/^storage_denied: /);
  });

  it.each([
    '/',
    '///',
    'user-storages',
    `user-storages/${OWNER}`,
    `user-storages/${OWNER}/`,
    'reports',
    'reports/',
  ])('is refused if it names no file: %s', (key) => {
    expect(() => byKey(key)).toThrow(/names no file|outside the folder/);
  });

  it('is not given with a bucket or a path', () => {
    for (const other of [{ path: 'a' }, { bucket: 'reports' }]) {
      expect(() => findFile({ key: `user-storages/${OWNER}/a`, ...other }, access)).toThrow('give either key');
    }
    for (const none of [{}, { key: '' }, { path: '' }, { path: '//' }, { bucket: 'reports' }]) {
      expect(() => findFile(none, access)).toThrow('give key or path');
    }
  });
});

describe.each<[string, (path: string) => unknown]>([
  ['path', (path) => file('user-storages', path)],
  ['path of a shared bucket', (path) => file('reports', path)],
  ['key', (path) => byKey(`user-storages/${OWNER}/${path}`)],
  ['key of a shared bucket', (path) => byKey(`reports/${path}`)],
  ['folder', (path) => findFolder('user-storages', path, access)],
])('a %s is refused', (_, find) => {
  it.each([
    '..',
    '.',
    `../${OTHER}/a`,
    `a/../../${OTHER}/b`,
    './a',
    'a/.',
    'a/..',
    '...',
    '.. /a',
    ' ../a',
    '. .',
    ' ',
    'a/ /b',
    'a ',
  ])('with the name of dots or spaces in %j', (path) => {
    expect(() => find(path)).toThrow("can't be used");
  });

  it.each([
    '%2e%2e/a',
    '%2E%2E%2Fa',
    '%252e%252e/a',
    '..%2fa',
    '%c0%ae%c0%ae/a',
    '%00',
    '%',
    'a\\..\\b',
    '..\\a',
    'a\0',
    'a\nb',
    'a\r\nX-Upsert: true',
    'a\u007f',
    'a#b',
    'a"b',
    'a<b>',
    'a{b}|c^`~[d]',
    '．．/a',
    '‥/a',
    'a／b',
    'a∕..',
    'a\u202e',
    'cafe\u0301',
    'café',
    '\ud800',
    '💾',
  ])('with a character that could be decoded or normalised in %j', (path) => {
    expect(() => find(path)).toThrow('does not take the character');
  });

  it('with more than 1,024 characters, before it is read', () => {
    expect(() => find(`${'../'.repeat(1_000_000)}a`)).toThrow('has more than 1024 characters');
    expect(() => find('a'.repeat(1_025))).toThrow('has more than 1024 characters');
  });
});

it("the folder of the owner counts in a path's length", () => {
  expect(file('user-storages', 'a'.repeat(1_024 - 37)).path.length).toBe(1_024);
  expect(() => file('user-storages', 'a'.repeat(1_024 - 36))).toThrow('more than 1024 characters');
});

it('a folder without a path is the whole folder of the owner, or a whole shared bucket', () => {
  expect(findFolder('user-storages', undefined, access).path).toBe(OWNER);
  expect(findFolder('user-storages', '/', access).path).toBe(OWNER);
  expect(findFolder('reports', undefined, access).path).toBe('');
  expect(() => findFolder('other', undefined, access)).toThrow('storage_denied');
  expect(() => findFolder('', undefined, access)).toThrow('storage_denied');
});

it.each(['', '..', `${OWNER}/`, OWNER.toUpperCase(), `{${OWNER}}`, OWNER.replaceAll('-', ''), `${OWNER}\n`])(
  'an owner id that is no UUID reaches no file: %j',
  (ownerId) => {
    expect(() => findFile({ path: 'a' }, { ...access, ownerId })).toThrow('has no UUID');
  },
);

it('every character that a path may hold stays in its place in a URL', () => {
  for (let code = 0; code < 0x250; code += 1) {
    const path = `a${String.fromCharCode(code)}b`;
    let place;
    try {
      place = file('user-storages', path);
    } catch {
      continue;
    }
    const { pathname, search, hash } = new URL(`https://x.example/${urlPathOf(place)}?q`);
    expect(decodeURIComponent(pathname)).toBe(`/user-storages/${OWNER}/${path}`);
    expect([search, hash]).toEqual(['?q', '']);
    expect(pathname.split('/')).toHaveLength(path.includes('/') ? 5 : 4);
  }
});

it('an operator may list neither a user bucket nor what is no bucket name', () => {
  expect(['reports', 'A.b_c-1'].map(isShareable)).toEqual([true, true]);
  const wrong = ['', 'user-storages', 'user-public-storages', 'a/b', '../a', '.a', 'a b', 'a%', 'é', 'a'.repeat(101)];
  // If a bucket could be named `authenticated`, GET object/authenticated/user-storages/<other owner>/a would read
  // another owner's file.
  wrong.push('authenticated', 'Public', 'sign', 'info', 'list', 'upload', 'move', 'copy');
  expect(wrong.filter(isShareable)).toEqual([]);
});
