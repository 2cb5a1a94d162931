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

const NUMBERS: Value = {
  M: {
    price: { D: '2.20' },
    discount: { D: '0.00' },
    none: { U: '0' },
    odd: { D: '1.10000000000000000001' },
    id: { U: '820982911946154508' },
    whole: { D: '5.0' },
    list: { A: [{ D: '2.20' }, { D: '0.00' }] },
  },
};

it.each([
  ['{{price}} {{{price}}} {{&price}} {{discount}} {{whole}}', '2.20 2.20 2.20 0.00 5.0'],
  [
    '{{odd}} {{{odd}}} {{id}} {{{id}}}',
    '1.10000000000000000001 1.10000000000000000001 820982911946154508 820982911946154508',
  ],
  ['{{#discount}}Discount {{discount}}{{/discount}}{{^discount}}none{{/discount}}', 'none'],
  ['{{#none}}a{{/none}}{{^none}}b{{/none}}', 'b'],
  ['{{#price}}{{.}}{{/price}}{{^price}}none{{/price}}', '2.20'],
  ['{{#id}}{{.}} {{price}}{{/id}}', '820982911946154508 2.20'],
  ['{{#list}}[{{.}}]{{/list}}', '[2.20][0.00]'],
])('numbers: %s', async (template, text) => {
  expect(await run(template, NUMBERS)).toEqual({ text: { S: text } });
  expect(await run(template, NUMBERS, true)).toEqual({ text: { S: text } });
});
