import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z, ZodError } from 'zod';
import { editorFlowToRow } from '../../types/editor_flow.ts';
import { startDeploymentParamsSchema } from '../../types/deployment.ts';
import type { ValueMap } from '../../types/values/value.ts';
import { makeLoggingFetch } from './demo_output.ts';
import type { Demo } from './demo_steps.ts';
import { projectDir } from './paths.ts';
import { DEFAULT_PORT, findFreePort, parsePort } from './ports.ts';
import type { StackStatus } from './stack.ts';
import { isUsageError, StackError, usageFault } from './stack_error.ts';
import { readStatus } from './stack_record.ts';

const USAGE = 'npm run demo -- [--port N] [--inputs <json>] [--verbose] [path/to/flow.json]';

const EXAMPLE_INPUTS = '{"item": {"S": "tea"}, "quantity": {"U": "3"}}';

const exampleFile = join(projectDir, 'docs/example_flow.json');
/** The labels of a flow's inputs. */
function inputLabels({ nodes }: Demo['row']): string[] {
  const data = nodes.map((node) =>
    node.data as { node_id?: string; targets_form?: { form_data?: { label?: string } } }
  );
  return data.flatMap((node) => node?.node_id === 'flow_input' ? [node.targets_form?.form_data?.label ?? ''] : []);
}

/** Prints what to try after the demo of this flow, on the port that was named. */
function showNext({ row, body }: Pick<Demo, 'row' | 'body'>, file: string, port: number | undefined): void {
  const isExample = file === exampleFile;
  const labels = inputLabels(row);
  const onPort = port === undefined ? '' : `--port ${port} `;
  const demo = `npm run demo -- ${onPort}${isExample ? '' : `${relative(process.env.INIT_CWD ?? '.', file)} `}`;
  const inputs = isExample ? EXAMPLE_INPUTS : `{"${labels[0]}": {"S": "…"}}`;
  const has = `the flow with inputs of your own; it has ${labels.join(', ')}`;
  const next = [
    ...labels.length > 0 && body === undefined ? [[has, `${demo}--inputs '${inputs}'`]] : [],
    ...isExample ? [['a flow that your editor exported', `npm run demo -- ${onPort}path/to/flow.json`]] : [],
    ['all requests and answers, whole', `${demo}--verbose`],
    ['a stack that stays; README.md, "The five calls", says how to call it', 'npm start'],
  ];
  console.log(`\nNext:\n${next.map(([what, command]) => `  ${command}\n      ${what}`).join('\n')}`);
}

/** Works on the stack that runs on the port, or on a new one that is deleted afterwards. */
async function withStack(port: number | undefined, work: (status: StackStatus) => Promise<void>): Promise<void> {
  const running = readStatus(port ?? DEFAULT_PORT);
  if (running !== undefined) {
    console.log(`Using the stack on ${running.API_URL}.`);
    return await work(running);
  }
  const dir = join(projectDir, '.stack', `demo-${process.pid}`);
  const stopRequest = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopRequest.abort());
  const began = performance.now();
  const { startStack } = await import('./stack.ts');
  const stack = await startStack({
    port: port ?? await findFreePort(),
    dir,
    watch: false,
    onProgress: (line) => console.log(line),
    signal: stopRequest.signal,
  });
  console.log(
    `Booted a stack on ${stack.status.API_URL} in ${
      ((performance.now() - began) / 1000).toFixed(1)
    } s; it ends with the demo.`,
  );
  try {
    await work(stack.status);
  } finally {
    await stack.remove();
  }
}

/** The inputs of a command line, as a start takes them: `{"label": {"S": "text"}}`. */
function parseInputs(text: string): { inputs: ValueMap } {
  const { success, data, error } = startDeploymentParamsSchema.safeParse({ inputs: parseJson('--inputs', text) });
  if (success && data.inputs !== undefined) return { inputs: data.inputs };
  throw new StackError(
    `--inputs takes the values of inputs by label, tagged as a start takes them: '${EXAMPLE_INPUTS}'` +
      (error ? `\n${z.prettifyError(error)}` : ''),
  );
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
      inputs: { type: 'string' },
      verbose: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit();
  }
  if (positionals.length > 1) throw new StackError(`One flow at a time.\n${USAGE}`);
  // npm runs scripts in the project's folder, but a path is relative to the folder from which the person called npm.
  const file = resolve(process.env.INIT_CWD ?? '.', positionals[0] ?? exampleFile);
  if (!existsSync(file)) throw new StackError(`The file ${file} does not exist.`);
  const row = editorFlowToRow(parseJson(file, await readFile(file, 'utf8')));
  const body = values.inputs === undefined ? undefined : parseInputs(values.inputs);
  const port = values.port === undefined ? undefined : parsePort(values.port);
  await withStack(port, async (status) => {
    // Loaded only now, because it takes longer than to say what is wrong with a command line.
    await import('./websocket.ts');
    const { demonstrate } = await import('./demo_steps.ts');
    await demonstrate({ status, row, body, fetch: makeLoggingFetch(values.verbose ?? false) });
    console.log('\nAll of it held.');
  });
  showNext({ row, body }, file, port);
} catch (error) {
  if (error instanceof StackError) console.error(`\n${error.message}`);
  else if (isUsageError(error)) console.error(`\n${usageFault(error)}\n${USAGE}`);
  else if (error instanceof ZodError) {
    console.error(`\nThe file must hold a flow as the editor exports it: ${error.message}`);
  } else console.error(error);
  process.exit(1);
}
process.exit();
