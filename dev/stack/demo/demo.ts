import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z, ZodError } from 'zod';
import { parsePort, readStatus, stackDir, type StackStatus } from '../../../platform/local_stack/running_stacks.ts';
import { editorFlowToRow } from '../../../types/editor/editor_flow.ts';
import { type StartDeploymentParams, startDeploymentParamsSchema } from '../../../types/deployment.ts';
import { makeLoggingFetch } from './demo_output.ts';
import type { Demo, Shown } from './demo_steps.ts';
import { projectDir } from '../paths.ts';
import { findFreePort } from '../ports.ts';
import { isUsageError, StackError, usageFault } from '../stack_error.ts';
import { chooseRunningPort } from '../stack_record.ts';
import { findStackUser } from '../../../client/shell/stack_user.ts';

const USAGE = 'npm run demo -- [--port N] [--values <json> | --inputs <json>] [--verbose] [path/to/flow.json]';

const EXAMPLE_VALUES = '{"item": "tea", "quantity": 3}';
const EXAMPLE_INPUTS = '{"item": {"S": "tea"}, "quantity": {"U": "3"}}';

const exampleFile = join(projectDir, 'docs/example_flow.json');
/** Returns the labels of a flow's inputs. */
function inputLabels({ nodes }: Demo['row']): string[] {
  const data = nodes.map((node) =>
    node.data as { node_id?: string; targets_form?: { form_data?: { label?: string } } }
  );
  return data.flatMap((node) => node?.node_id === 'flow_input' ? [node.targets_form?.form_data?.label ?? ''] : []);
}

/** Prints commands to try after the demo of this flow. The commands name the port if the user has named a port. */
function showNext(
  { row, body }: Pick<Demo, 'row' | 'body'>,
  file: string,
  port: number | undefined,
  stays: boolean,
): void {
  const isExample = file === exampleFile;
  const labels = inputLabels(row);
  const onPort = port === undefined ? '' : `--port ${port} `;
  const demo = `npm run demo -- ${onPort}${isExample ? '' : `${relative(process.env.INIT_CWD ?? '.', file)} `}`;
  const values = isExample ? EXAMPLE_VALUES : `{"${labels[0]}": …}`;
  const has = `the flow with inputs of your own; it has ${labels.join(', ')}`;
  const next = [
    ...labels.length > 0 && body === undefined ? [[has, `${demo}--values '${values}'`]] : [],
    ...isExample ? [['a flow that your editor exported', `npm run demo -- ${onPort}path/to/flow.json`]] : [],
    ['all requests and answers, whole', `${demo}--verbose`],
    ...stays ? [] : [[
      'a stack that keeps running: a demo in another shell leaves its user and flow there for the console',
      'npm start',
    ]],
  ];
  console.log(`\nNext:\n${next.map(([what, command]) => `  ${command}\n      ${what}`).join('\n')}`);
}

/** The stack of a demo. */
interface DemoStack {
  status: StackStatus;
  /** The folder in which the stack stores its user. */
  dir: string;
  /** True if the stack keeps running after the demo. */
  stays: boolean;
}

/**
 * Does work on the stack at the named port, or by default on the only running stack. If no such stack runs, boots a new
 * stack and deletes it afterwards.
 */
async function withStack(named: number | undefined, work: (stack: DemoStack) => Promise<void>): Promise<void> {
  const port = chooseRunningPort(named);
  const running = readStatus(port);
  if (running !== undefined) {
    console.log(`Using the stack on ${running.API_URL}. The demo's user and flow stay there.`);
    return await work({ status: running, dir: stackDir(port), stays: true });
  }
  console.log('No stack runs, so the demo boots one of its own, which is deleted when the demo ends.');
  const dir = join(projectDir, '.stack', `demo-${process.pid}`);
  const stopRequest = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopRequest.abort());
  const began = performance.now();
  const { startStack } = await import('../stack.ts');
  const stack = await startStack({
    port: named ?? await findFreePort(),
    dir,
    watch: false,
    onProgress: (line) => console.log(line),
    signal: stopRequest.signal,
  });
  console.log(`Booted a stack on ${stack.status.API_URL} in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
  try {
    await work({ status: stack.status, dir, stays: false });
  } finally {
    await stack.remove();
  }
}

/** Prints the address and the user for looking at the demo's flow. */
function showLeft({ status, user }: Pick<Demo, 'status' | 'user'>, { flowId }: Shown): void {
  console.log(`
Look at it in the console:
  ${status.CONSOLE_URL}flows/${flowId}
      email     ${user.email}
      password  ${user.password}
The shell acts as the same user: npx flows runs. If the shell acts as another user: npx flows login ${user.email}`);
}

/** Reads the body of a start from a command line; undefined if the inputs take their defaults. */
function readBody({ values, inputs }: { values?: string; inputs?: string }): StartDeploymentParams | undefined {
  if (values === undefined && inputs === undefined) return undefined;
  if (values !== undefined && inputs !== undefined) {
    throw new StackError(`Give either --values or --inputs, not both.\n${USAGE}`);
  }
  const [name, text, what] = values !== undefined
    ? ['values' as const, values, `plain JSON by label: '${EXAMPLE_VALUES}'`]
    : ['inputs' as const, inputs!, `the values of inputs by label, tagged as a start takes them: '${EXAMPLE_INPUTS}'`];
  const { success, data, error } = startDeploymentParamsSchema.safeParse({ [name]: parseJson(`--${name}`, text) });
  if (success) return data;
  throw new StackError(`--${name} takes ${what}\n${z.prettifyError(error)}`);
}

function parseJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StackError(`${what} must be JSON: ${(error as Error).message}`);
  }
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string' },
      values: { type: 'string' },
      inputs: { type: 'string' },
      verbose: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit();
  }
  if (positionals.length > 1) throw new StackError(`Give only one flow.\n${USAGE}`);
  // npm runs scripts in the project's folder, but a path is relative to the folder from which the person called npm.
  const file = resolve(process.env.INIT_CWD ?? '.', positionals[0] ?? exampleFile);
  if (!existsSync(file)) throw new StackError(`The file ${file} does not exist.`);
  const row = editorFlowToRow(parseJson(file, await readFile(file, 'utf8')));
  const body = readBody(values);
  const port = values.port === undefined ? undefined : parsePort(values.port);
  let stays = false;
  await withStack(port, async (stack) => {
    // Loaded only here, so that a wrong command line is reported without waiting for these modules.
    await import('../websocket.ts');
    const { demonstrate } = await import('./demo_steps.ts');
    const { status } = stack;
    stays = stack.stays;
    const user = await findStackUser(stack.dir, { url: status.API_URL, key: status.PUBLISHABLE_KEY });
    const shown = await demonstrate({ status, user, row, body, fetch: makeLoggingFetch(values.verbose ?? false) });
    console.log('\nAll of it held.');
    if (stays) showLeft({ status, user }, shown);
  });
  showNext({ row, body }, file, port, stays);
} catch (error) {
  if (error instanceof StackError) console.error(`\n${error.message}`);
  else if (isUsageError(error)) console.error(`\n${usageFault(error)}\n${USAGE}`);
  else if (error instanceof ZodError) {
    console.error(`\nThe file must hold a flow as the editor exports it: ${error.message}`);
  } else console.error(error);
  process.exit(1);
}
process.exit();
