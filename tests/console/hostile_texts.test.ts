import { expect, test } from 'vitest';
import { enterConsole, openConsole } from '../support/browser.ts';

const HTML = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
const DEEP = Array.from({ length: 60 }).reduce<object>((inner) => ({ type: 'object', properties: { a: inner } }), {
  type: 'string',
});

/** A flow in which every text, colour, picture and schema is an attack. */
const hostileFlow = {
  name: HTML,
  description: HTML,
  nodes: [
    {
      id: 'first',
      position: { x: 0, y: 0 },
      style: { position: 'fixed', inset: 0 },
      className: 'mantine-Modal-root',
      data: {
        type: 'native',
        node_id: HTML,
        display_name: HTML,
        description: HTML,
        design: {
          backgroundColor: 'url(https://evil.example/pixel)',
          backgroundColorDark: 'red;position:fixed',
          icon_url: 'https://evil.example/icon.svg',
        },
        resources: { documentation_url: 'javascript:document.title="owned"' },
        sources: [{ id: 's', name: HTML, type: HTML, tooltip: HTML }],
        targets: [
          { id: 't', name: '__proto__', type_bounds: [HTML], required: true, passthrough: true, tooltip: HTML },
          { id: 'u', name: 'constructor', type_bounds: ['string'], required: false, passthrough: false },
        ],
        targets_form: {
          json_schema: {
            type: 'object',
            title: HTML,
            description: HTML,
            $ref: 'https://evil.example/schema.json',
            properties: {
              a: { type: 'string', title: HTML, description: HTML, pattern: '^(a+)+$', default: `${'a'.repeat(40)}!` },
              b: { type: 'string', enum: [HTML, '2'] },
              c: { type: 'no such type' },
              d: DEEP,
              e: { $ref: '#' },
              f: { $ref: '#/definitions/gone' },
            },
          },
          ui_schema: {
            'ui:order': ['gone'],
            'ui:description': HTML,
            a: { 'ui:widget': 'no such widget', 'ui:field': 'no such field', 'ui:enableMarkdownInDescription': true },
            b: { 'ui:widget': { $$typeof: 'x' }, 'ui:options': { inputType: 'file' } },
          },
          form_data: { a: HTML, c: { __proto__: 1 } },
        },
      },
    },
    {
      id: 'picture',
      position: { x: 400, y: 0 },
      data: {
        type: 'WASM',
        node_id: 'x',
        display_name: 'Picture',
        design: {
          icon_url: `data:image/svg+xml,${
            encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" onload="parent.document.title=\'owned\'"/>')
          }`,
        },
        sources: 'none',
        targets: [null, 5, { id: 7 }],
        targets_form: { form_data: HTML, json_schema: 'none', ui_schema: [] },
      },
    },
    { id: 'bare', position: { x: 'left' }, data: HTML },
  ],
  edges: [{ id: HTML, source: 'first', sourceHandle: HTML, target: 'gone', targetHandle: 5, label: HTML }, {
    source: 1,
  }],
};

test('texts of a hostile flow are shown as texts, and its schemas, colours and pictures have no effect', async () => {
  const opened = await openConsole();
  const { page, goto } = opened;
  const { client } = await enterConsole(opened);
  const { data } = await client.from('flows').insert(hostileFlow as never).select('id').single().throwOnError();
  await goto('');
  await page.getByRole('link', { name: HTML }).waitFor();
  await goto(`flows/${data.id}`);
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(HTML);
  const canvas = page.getByRole('region', { name: 'Canvas' });
  const panel = page.getByRole('region', { name: 'Node', exact: true });
  for (const id of ['first', 'picture', 'bare']) {
    const node = canvas.locator(`.react-flow__node[data-id="${id}"]`);
    await node.focus();
    await page.keyboard.press('Enter');
    await panel.getByRole('heading', { level: 2 }).waitFor();
    // This text replaces a form that has failed.
    expect(await panel.getByRole('button', { name: 'Load the page again' }).count(), id).toBe(0);
    await page.keyboard.press('Escape');
  }
  // The embedded picture is the only one. There is no link to a script, and no element from the texts.
  expect(
    await page.locator('img').evaluateAll((images) => images.map((image) => image.getAttribute('src')!.slice(0, 19))),
  )
    .toEqual(['data:image/svg+xml,']);
  expect(await page.locator('a[href^="javascript"], script:not([src]), [onerror]').count()).toBe(0);
  expect(await page.title()).toBe(`${HTML} · Flow console`);
  expect(await page.evaluate(() => ({}).constructor === Object)).toBe(true);
});
