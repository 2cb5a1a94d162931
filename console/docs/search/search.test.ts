import { expect, it } from 'vitest';
import { findSections } from './find_sections.ts';
import { sectionsOf } from './make_index.ts';

const TEXT = `# Redrive a run

A failed run is started again.

## Effects \`once\`

\`\`\`sh
# no heading
curl redeliver
\`\`\`

## Limits

## Limits

Zoë's retries.
`;
const sections = sectionsOf('guides/redrive', TEXT);

it('a page becomes sections with the anchors of its headings', () => {
  expect(sections.map(({ page, heading, anchor }) => [page, heading, anchor])).toEqual([
    ['Redrive a run', 'Redrive a run', ''],
    ['Redrive a run', 'Effects once', 'effects-once'],
    ['Redrive a run', 'Limits', 'limits'],
    ['Redrive a run', 'Limits', 'limits-1'],
  ]);
  expect(sections[1]!.words).toBe('effects once sh no heading curl redeliver');
});

it.each([
  ['curl', ['effects-once']],
  ['CURL  once!', ['effects-once']],
  ['retries', ['limits-1']],
  ['zoë', ['limits-1']],
  ['limits', ['limits', 'limits-1']],
  ['redrive', ['']],
  ['curl retries', []],
  ['nowhere', []],
  [' . ', []],
])('a search for %j finds %j', (query, anchors) => {
  expect(findSections(sections, query).map(({ anchor }) => anchor)).toEqual(anchors);
});

it('a heading comes before a text, and a whole word before a part of one', () => {
  const index = [
    ...sectionsOf('a', '# A\nwebhooks'),
    ...sectionsOf('b', '# B\nwebhook'),
    ...sectionsOf('c', '# Webhook'),
  ];
  expect(findSections(index, 'webhook').map(({ path }) => path)).toEqual(['c', 'b', 'a']);
});
