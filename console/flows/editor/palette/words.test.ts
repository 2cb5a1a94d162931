import { expect, test } from 'vitest';
import { nodeIds, nodeRegistry } from '../../../../runner/nodes/registry.ts';
import { COMMON, HIDDEN, meantBy, SUGGESTED } from './words.ts';

test('every node that a word means exists', () => {
  const words = ['if', 'email', 'sql', 'file', 'date', 'loop', 'approve', 'nft', 'sort', 'call', 'csv', 'save', 'key'];
  const named = [...COMMON, ...SUGGESTED, ...HIDDEN, ...words.flatMap(meantBy)];
  expect(named.filter((id) => nodeRegistry(id) === undefined)).toEqual([]);
});

test('a word finds the nodes that do what it means, also in the plural and among other words', () => {
  expect(meantBy('if').slice(0, 2)).toEqual(['branch', 'switch']);
  expect(meantBy('Emails')).toContain('http_request');
  expect(meantBy('send an email')).toEqual(['http_request']);
  expect(meantBy('files')).toContain('storage_upload');
  expect(meantBy('toString constructor')).toEqual([]);
});

test('the palette lists the script with named ports, and no script with a fixed number of ports', () => {
  const scripts = nodeIds().filter((id) => id.startsWith('rhai_script'));
  expect(scripts.filter((id) => !HIDDEN.includes(id))).toEqual(['rhai_script']);
});
