import { expect, inject, test } from 'vitest';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { enterConsole, openConsole } from '../support/browser.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { deploy, storeFlow } from '../support/people.ts';

const HOSTILE = '<img src=x onerror="throw 1">';

test('row changes are listed, paused and deleted, by keyboard and on a narrow screen', async () => {
  const opened = await openConsole({ viewport: { width: 360, height: 800 } });
  const { page } = opened;
  const owner = await enterConsole(opened);
  await opened.goto('schedules');
  await page.getByText('No change of a table starts a flow of yours.').waitFor();
  const graph = new FlowBuilder();
  graph.output('seen', graph.input('change'));
  const flow = await storeFlow(owner, graph, { name: 'Log' });
  const deployment = await deploy(owner, flow);
  const sql = connect(inject('stack').DB_URL);
  const table = `${HOSTILE} ${process.pid}`;
  try {
    await sql`create table public.${sql(table)} (id integer primary key, text text)`;
    const quoted = `public."${table.replaceAll('"', '""')}"`;
    await sql`
      select private.start_flow_on_rows(${quoted}, '{insert,update}', ${flow}, null, 'change', columns => '{text}')`;
    await sql`insert into public.${sql(table)} values (1, 'a'), (2, repeat('x', 1100000))`;

    await opened.goto(`deployments/${deployment}?tab=triggers`);
    const list = page.getByRole('table', { name: 'row changes' });
    await list.getByText(`public.${table}`).waitFor();
    await list.getByRole('cell', { name: 'Log, latest' }).waitFor();
    await list.getByText('insert, update').waitFor();
    await list.getByText('of text').waitFor();
    await list.getByText('inputs_too_large').waitFor();
    await opened.checkAccessibility();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

    await opened.goto('schedules');
    const active = list.getByRole('switch', { name: `public.${table} is active` });
    await active.focus();
    await page.keyboard.press('Space');
    await page.waitForFunction((element) => !(element as HTMLInputElement).checked, await active.elementHandle());
    await sql`insert into public.${sql(table)} values (3, 'c')`;
    await list.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('table', { name: 'runs' }).getByText('by a change of a row').waitFor();
    expect(await page.getByText('by a change of a row').count()).toBe(1);
    await opened.checkAccessibility();

    await opened.goto('schedules');
    await list.getByRole('button', { name: `Delete public.${table}` }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No change of a table starts a flow of yours.').waitFor();
    await opened.checkAccessibility();
    expect(await sql`select from public.flow_row_starts where user_id = ${owner.id}`).toHaveLength(0);
  } finally {
    await sql`drop table if exists public.${sql(table)}`;
    await sql.end();
  }
});
