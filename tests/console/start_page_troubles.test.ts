import { expect, test } from 'vitest';
import { startAs } from '../support/actions.ts';
import { openConsole } from '../support/browser.ts';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { makeKeypair } from '../support/keypairs.ts';
import { deploy, type Person, signUp, storeFlow } from '../support/people.ts';

const HOSTILE = `<img src=x onerror="document.title='owned'">`;

/** Deploys a flow that anybody may start. Returns the deployment's id. */
async function deployForAll(owner: Person, flow: FlowBuilder, settings: object = {}): Promise<string> {
  const id = await deploy(owner, await storeFlow(owner, flow, { start_unverified: true, is_public: true }));
  await owner.client.from('flow_deployments').update({ start_permission: 'Anonymous', ...settings }).eq('id', id)
    .throwOnError();
  return id;
}

/** Opens a start page as a visitor with a key and without a wallet or an account. */
async function openAsStranger(id: string) {
  const opened = await openConsole({ viewport: { width: 360, height: 800 } });
  const { page } = opened;
  await opened.goto(`start/${id}`);
  await page.getByRole('button', { name: 'Continue as a guest' }).click();
  const start = () => page.getByRole('button', { name: 'Start', exact: true }).click();
  return { opened, page, alert: page.getByRole('alert'), start };
}

/** A flow whose script fails with a text. */
function failing(title: string, source: string): FlowBuilder {
  const flow = new FlowBuilder();
  flow.node('rhai_script_1x1', { inputs: ['source'], outputs: ['u'], form: { source }, title });
  return flow;
}

test('a visitor sees the reason for a failed run in a sentence, with folded details', async () => {
  const owner = await signUp();
  const id = await deployForAll(owner, failing(HOSTILE, `throw \`${HOSTILE}\``));
  const { opened, page, alert, start } = await openAsStranger(id);
  await start();
  await alert.getByText('The run has failed').waitFor();
  await alert.getByText('tell the person who gave you this address').waitFor();
  const line = alert.locator('pre').filter({ hasText: /[0-9a-f]{8}-/ });
  expect(await line.isVisible()).toBe(false);
  expect(await alert.getByText(HOSTILE).first().isVisible()).toBe(true);
  await opened.checkAccessibility();
  await alert.getByText('Details', { exact: true }).click();
  await line.waitFor();
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.getByRole('button', { name: 'Start again' }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
});

test('a visitor who stops a run sees that it was stopped', async () => {
  const owner = await signUp();
  const flow = new FlowBuilder();
  flow.node('api_input', { outputs: ['c'] });
  const { page, alert, start } = await openAsStranger(await deployForAll(owner, flow));
  await start();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await alert.getByText('The run was stopped').waitFor();
});

test('a visitor sees which input is wrong, and when a limit allows more starts', async () => {
  const owner = await signUp();
  const flow = new FlowBuilder();
  const end = flow.input('end');
  flow.output('all', flow.use('range', { start: flow.constant({ U: '0' }, 'zero'), end }).output('result'));
  for (const { data } of flow.nodes) {
    for (const port of data.targets) if (port.name === 'end') Object.assign(port, { type_bounds: ['decimal'] });
  }
  flow.node('api_input', { outputs: ['c'] });
  const id = await deployForAll(owner, flow, { max_runs_in_flight: 1 });
  // This run waits for an input, so the limit of one run is reached.
  await startAs(makeKeypair().publicKey, id, { values: { end: 1 } });
  const { opened, page, alert, start } = await openAsStranger(id);
  const field = page.getByRole('textbox', { name: 'end' });
  await field.fill(HOSTILE);
  await start();
  await page.getByText('must have the form of its type').first().waitFor();
  await opened.checkAccessibility();
  await field.fill('1');
  await start();
  await alert.getByText('start_limit_reached').waitFor();
  await alert.getByText(/^Try again in (a second|\d+ seconds)\.$/).waitFor();
});

test('a visitor of a deployment for users with accounts is asked to sign in', async () => {
  const owner = await signUp();
  const id = await deploy(owner, await storeFlow(owner, textFlow(), { name: 'For members' }));
  await owner.client.from('flow_deployments').update({ start_permission: 'Authenticated' }).eq('id', id).throwOnError();
  const opened = await openConsole();
  const { page } = opened;
  await opened.goto(`start/${id}`);
  await page.getByText('Sign in to open this page.').waitFor();
  await page.getByRole('textbox', { name: 'Email' }).fill(`${crypto.randomUUID()}@example.com`);
  await page.getByRole('textbox', { name: 'Password' }).fill(crypto.randomUUID());
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { level: 1, name: 'For members' }).waitFor();
  expect(page.url()).toContain(`start/${id}`);
});
