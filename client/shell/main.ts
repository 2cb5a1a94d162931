import { createFlowClient } from '../create_flow_client.ts';
import { FlowError } from '../flow_error.ts';
import { readCall } from './arguments.ts';
import type { CommandContext } from './command.ts';
import { commands } from './commands.ts';
import { type FindLocalStack, readEnvironment } from './environment.ts';
import { exitCodeOf } from './exit_codes.ts';
import { commandHelp, generalHelp } from './help.ts';
import { confirm, readPassword, readSecret } from './password.ts';
import type { ProjectRelease } from './install/release.ts';
import { printableBlock, printableJson, printableLine } from './printable.ts';
import { makeScreen, type Screen, type Streams } from './screen.ts';
import { UsageError } from './usage_error.ts';

/** The most characters of an error's details that a terminal shows. */
const MAX_DETAILS = 4_000;

/** The parts of the process in which `flows` runs. */
export interface ShellProcess extends Streams {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  signal: AbortSignal;
  /** Missing in the built package, because only a checkout has local stacks. */
  findLocalStack?: FindLocalStack;
  /** Reads the files that `flows install` writes. */
  readRelease: () => Promise<ProjectRelease>;
}

/** Formats an error's details: the errors of a run as one line each, other details as JSON of limited length. */
function describeDetails(details: unknown): string[] {
  const { errors } = (details ?? {}) as { errors?: unknown };
  if (Array.isArray(errors)) return errors.map((error) => `  ${printableBlock(String(error), '    ')}`);
  if (details === null) return [];
  const text = printableJson(details);
  return [`details: ${text.length > MAX_DETAILS ? `${text.slice(0, MAX_DETAILS)}… (--json shows all)` : text}`];
}

/** Hints for errors to which the backend adds no hint, by their codes. */
const HINTS: ReadonlyMap<string, string> = new Map([
  [
    'deployment_not_found',
    'Check the id, or the flow and its tag, and whose API key FLOWS_API_KEY is. Only the owner, and those whom ' +
    'start_permission allows, may start the deployment.',
  ],
  ['42501', 'Without FLOWS_API_KEY, calls are unauthenticated. Set it to an API key of the user to act as.'],
]);

/** Prints an error: as a few lines of text, or as JSON with the members of a backend error. */
function showError(screen: Screen, error: unknown, isJson: boolean): void {
  const flowError = error instanceof FlowError ? error : new FlowError({
    code: error instanceof UsageError ? 'usage' : 'internal',
    message: error instanceof Error ? error.message : String(error),
  });
  const { code, message, details, hint, status, retryAfter } = flowError;
  if (isJson) return screen.note(printableJson({ code, message, details, hint, status, retryAfter }));
  screen.note(`error: ${printableBlock(message)}${code === 'usage' ? '' : ` (${printableLine(code)})`}`);
  for (const line of describeDetails(details)) screen.note(line);
  const advice = hint ?? HINTS.get(code);
  if (advice !== undefined) screen.note(`hint: ${printableBlock(advice)}`);
  if (retryAfter !== null) screen.note(`Try again after ${retryAfter} s.`);
}

async function run(args: string[], shell: ShellProcess, screen: Screen): Promise<void> {
  const [name, ...rest] = args;
  if (name === undefined || ['--help', '-h', 'help'].includes(name)) return await screen.print(generalHelp(commands));
  const command = commands.find((one) => one.name === name);
  if (command === undefined) {
    throw new UsageError(
      `There is no command ${name}. There are ${
        commands.map((one) => one.name).join(', ')
      }; flows --help describes them.`,
    );
  }
  const call = readCall(command, rest);
  if (call.has('help')) return await screen.print(commandHelp(command));
  const connect = async (): Promise<CommandContext> => {
    const environment = await readEnvironment(shell.env, shell.findLocalStack, command.isLocal || !command.needsNoUser);
    return {
      ...local,
      client: createFlowClient(environment),
      signal: shell.signal,
      environment,
      readPassword: () => readPassword(shell, screen),
      readSecret: () => readSecret(shell, screen),
      confirm: (question) => confirm(shell, screen, question),
    };
  };
  const local = { screen, isJson: call.has('json'), readRelease: shell.readRelease, connect };
  if (command.isLocal) return await command.run(local, call);
  await command.run(await connect(), call);
}

/** Runs `flows` with these arguments and returns its exit code. */
export async function main(args: string[], shell: ShellProcess): Promise<number> {
  const screen = makeScreen(shell);
  try {
    await run(args, shell, screen);
    screen.progress('');
    return 0;
  } catch (error) {
    showError(screen, error, args.includes('--json'));
    return exitCodeOf(error);
  }
}
