import { expect, it } from 'vitest';
import { fieldFaults } from './field_faults.tsx';

it.each<[unknown, [path: string, message: string][]]>([
  [
    Object.assign(new Error('refused'), { details: [{ path: ['hosts', 0], message: 'must be a host' }] }),
    [['hosts.0', 'must be a host']],
  ],
  [{ details: '[{"path":"public_key","message":"must be a key"}]' }, [['public_key', 'must be a key']]],
  [{ details: '{"path":"cron","message":"has five fields"}' }, [['cron', 'has five fields']]],
  [{ details: ['a sentence', { path: '', message: 'of nothing' }, { path: 'a' }] }, []],
  [{ details: 'a sentence' }, []],
  [{ details: null }, []],
  ['a text', []],
  [null, []],
])('the faults of %j are %j', (error, faults) => {
  expect(fieldFaults(error).map(({ path, message }) => [path, message])).toEqual(faults);
});
