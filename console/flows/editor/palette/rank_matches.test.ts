import { expect, test } from 'vitest';
import { nodeIds, nodeRegistry } from '../../../../runner/nodes/registry.ts';
import { inOrderOf, type ListedRow, newestOf } from './entries.ts';
import { leadOf } from './leads.ts';
import { rankMatches } from './rank_matches.ts';
import { HIDDEN, meantBy } from './words.ts';

const entries = newestOf(
  nodeIds().filter((id) => !HIDDEN.includes(id)).map((id): ListedRow => {
    const { data, sources, targets } = nodeRegistry(id)!.definition;
    const { display_name: title, description, tags } = data;
    return { id, user_id: null, node_id: id, created_at: '', title, description, tags, sources, targets };
  }),
  '',
);

/** Finds entries as the palette's queries do, and returns the first titles. */
function best(search: string, count = 1): string[] {
  const words = search.split(' ');
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const meant = meantBy(search);
  return rankMatches(search, {
    named: entries.filter(({ title, nodeId }) => has(`${nodeId} ${title}`)),
    meant: inOrderOf(meant, entries.filter(({ nodeId }) => meant.includes(nodeId))),
    others: entries.filter(({ title, description }) => has(`${title} ${description}`)),
  }).slice(0, count).map(({ title }) => title);
}

test('the palette lists a node whose title has the words before nodes that the words mean', () => {
  expect(best('signed url')).toEqual(['Create Signed URL']);
  expect(best('url', 3).sort()).toEqual(['Create Signed URL', 'Get Public URL', 'HTTP Request']);
  expect(best('file', 2)).toEqual(['File Explorer', 'Upload File']);
  expect(best('for')).toEqual(['For Each']);
});

test('the palette knows the words of n8n and Step Functions', () => {
  const words = {
    set: 'Constant',
    if: 'Branch',
    loop: 'For Each',
    merge: 'Merge',
    'sub-workflow': 'Interflow',
    aggregate: 'Collect',
    split: 'For Each',
    parallel: 'For Each',
    wait: 'Wait',
    choice: 'Branch',
    code: 'Script',
    secret: 'HTTP Request',
  };
  expect(Object.fromEntries(Object.keys(words).map((word) => [word, best(word)[0]]))).toEqual(words);
});

test('words for starts and secrets lead to the pages where users make them', () => {
  expect(['cron', 'Webhooks', 'every secret', 'merge'].map((search) => leadOf(search)?.href))
    .toEqual(['/schedules', '/deployments', '/connections', undefined]);
  expect(leadOf('constructor')).toBeUndefined();
});
