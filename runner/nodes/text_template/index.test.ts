import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value } from '../../../types/values/value.ts';
import { textTemplateNode } from './index.ts';

const run = (template: string, data: Value, html?: boolean) =>
  runNode(textTemplateNode, { template: { S: template }, data, ...(html === undefined ? {} : { html: { B: html } }) });

const DATA: Value = {
  M: {
    name: { S: '<Ann>' },
    count: { U: '18446744073709551615' },
    items: { A: [{ M: { id: { U: '1' } } }, { M: { id: { U: '2' } } }] },
    empty: { A: [] },
    ['__proto__']: { S: 'own' },
  },
};

it.each([
  ['Hello {{name}}: {{count}}', undefined, 'Hello <Ann>: 18446744073709551615'],
  ['Hello {{name}}', true, 'Hello &lt;Ann&gt;'],
  ['Hello {{{name}}}', true, 'Hello <Ann>'],
  ['{{#items}}{{id}},{{/items}}{{^empty}}none{{/empty}}', undefined, '1,2,none'],
  ['{{missing}}{{! a comment }}', undefined, ''],
])('%s (html %s)', async (template, html, text) => {
  expect(await run(template, DATA, html)).toEqual({ text: { S: text } });
});

it('wrong templates fail, and a value is never called as a function', async () => {
  await expect(run('{{#a}}', DATA)).rejects.toThrow('Unclosed section "a"');
  await expect(run('{{/a}}', DATA)).rejects.toThrow('Unopened section "a"');
  const template =
    '{{constructor}}{{#constructor}}x{{/constructor}}{{items.map}}{{name.trim}}{{name.length}}{{__proto__}}';
  expect(await run(template, DATA)).toEqual({ text: { S: '5own' } });
  await expect(runNode(textTemplateNode, { data: DATA })).rejects.toThrow('missing field `template`');
});
