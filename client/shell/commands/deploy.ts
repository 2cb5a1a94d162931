import { FlowError } from '../../flow_error.ts';
import { readNumber, readTag } from '../arguments.ts';
import type { Command } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';
import { readJsonFile } from '../read_json_file.ts';
import { UsageError } from '../usage_error.ts';

/** Adds to an error that the flow is stored already. Without this hint, each further try would store another flow. */
function withStoredFlow(error: unknown, file: string, flowId: number): unknown {
  if (!(error instanceof FlowError)) return error;
  const stored = `The flow is stored as ${flowId}. Change the file, then: flows deploy ${file} --flow ${flowId}`;
  const hint = error.hint === null ? stored : `${error.hint} ${stored}`;
  return new FlowError({ ...error, message: error.message, hint });
}

export const deploy: Command = {
  name: 'deploy',
  arguments: '<flow.json>',
  count: [1, 1],
  summary: 'Store a flow from a file, and deploy it.',
  notes: [
    'The file holds a flow that an editor has exported.',
    'Without --flow, the command stores a new flow. With --flow, it changes that flow and deploys it again.',
    'Warnings go to stderr.',
  ],
  options: [
    { name: 'flow', takes: 'id', meaning: 'The flow to change.' },
    {
      name: 'tag',
      takes: 'tag',
      meaning: 'A tag for the deployment, in addition to latest. If the tag exists, it is moved.',
    },
    {
      name: 'settings-from',
      takes: 'deployment',
      meaning: 'The tag or id of a deployment of the flow. The new one takes over its settings.',
    },
    { name: 'strict', meaning: 'Refuse the flow if it has warnings.' },
  ],
  example: 'flows deploy shop.json --flow 7 --tag stable --settings-from stable',
  run: async ({ client, screen, isJson, signal }, { positionals: [file = ''], option, has }) => {
    const id = readNumber(option('flow'), 'flow', 1, 2_147_483_647);
    const name = option('tag');
    const tag = name === undefined ? undefined : readTag(name);
    const settingsFrom = option('settings-from');
    if (settingsFrom !== undefined && id === undefined) {
      throw new UsageError('--settings-from needs --flow, because a new flow has no deployment yet.');
    }
    const { json } = await readJsonFile(file);
    // Loaded here, because only this command needs the module, which takes as long to load as the rest of the shell.
    const { readEditorFlow } = await import('../../editor_flow.ts');
    const { row: flow, leftOut } = readEditorFlow(json);
    for (const what of leftOut) screen.note(printableLine(`not carried over: ${what}`));
    screen.progress('storing the flow');
    const flowId = await client.storeFlow(flow, { id, signal });
    screen.progress('deploying it');
    const options = { strict: has('strict'), tag, settingsFrom, signal };
    const { deployment_id, warnings, limits } = await client.deploy(flowId, options).catch((error: unknown) => {
      throw id === undefined ? withStoredFlow(error, file, flowId) : error;
    });
    if (isJson) {
      return await screen.print(printableJson({ flow_id: flowId, deployment_id, warnings, ...(limits && { limits }) }));
    }
    for (const { code, path, message } of warnings) {
      screen.note(printableLine(`warning: ${path}: ${message} (${code})`));
    }
    if (limits !== undefined) {
      const { max_starts_per_minute: starts, max_runs_in_flight: runs } = limits.guests;
      screen.note(
        `Anybody may start it. Together, callers without an account have ${starts} starts a minute and ${runs} runs in ` +
          'flight, half of max_starts_per_minute and max_runs_in_flight of the deployment.',
      );
    }
    await screen.print(`flow        ${flowId}`);
    await screen.print(printableLine(`deployment  ${deployment_id}`));
  },
};
