import { expect, it } from 'vitest';
import type { LosslessJson } from '../../types/values/value.ts';
import { readAnswering } from './answering.ts';

it.each<[LosslessJson, object]>([
  [{}, { answered_by: 'anyone_with_the_link', shown_inputs: [] }],
  [{ answered_by: 'owner', shown_inputs: ['amount'] }, { answered_by: 'owner', shown_inputs: ['amount'] }],
  [{ answered_by: 'starter' }, { answered_by: 'starter', shown_inputs: [] }],
  [{ answered_by: ['ann@example.com'] }, { answered_by: 'listed', answerers: ['ann@example.com'], shown_inputs: [] }],
])('reads from the form data %j who may answer', (formData, answering) => {
  expect(readAnswering(formData)).toEqual(answering);
});

it.each<[LosslessJson]>([
  [null],
  [''],
  ['anybody'],
  ['listed'],
  [[]],
  [['ann']],
  [[true]],
  [[' ann@example.com']],
  [{ S: 'owner' }],
])(
  'refuses answered_by %j, so that a mistake never lets anyone answer',
  (answered_by) => {
    expect(() => readAnswering({ answered_by })).toThrow(
      'bad_config: answered_by: must be owner, starter, anyone_with_the_link, or a list of 1 to 50 e-mail addresses',
    );
  },
);

it('refuses too many addresses, and names of inputs that are no texts', () => {
  const emails = Array.from({ length: 51 }, (_, index) => `a${index}@example.com`);
  expect(() => readAnswering({ answered_by: emails })).toThrow('bad_config: answered_by');
  expect(() => readAnswering({ shown_inputs: [true] })).toThrow('bad_config: shown_inputs: must be a list of up to 20');
});
