import type { FlowClient } from '../flow_client.ts';
import type { Environment } from './environment.ts';
import type { ProjectRelease } from './install/release.ts';
import type { Screen } from './screen.ts';

/** An option of a command: `--name`, or `--name <takes>`. */
export interface Option {
  name: string;
  /** A one-letter name, written with one hyphen. */
  short?: string;
  /** The name of the option's value. An option without a value is a switch. */
  takes?: string;
  /** True if a call may give the option several times. */
  isRepeatable?: true;
  meaning: string;
}

/** The parsed arguments of a call. */
export interface CommandCall {
  positionals: string[];
  /** Returns the value of an option; undefined if the option is not given. */
  option: (name: string) => string | undefined;
  /** Returns all values of a repeatable option, in their order. */
  all: (name: string) => string[];
  /** Tests whether a switch is given. */
  has: (name: string) => boolean;
}

/** The services that every command uses. */
export interface LocalContext {
  screen: Screen;
  /** True if `--json` is given. */
  isJson: boolean;
  /** Reads the files that `flows install` writes. */
  readRelease: () => Promise<ProjectRelease>;
  /** Finds the project that the environment names. Throws a UsageError if it names none. */
  connect: () => Promise<CommandContext>;
}

/** The services of a command that calls a project. */
export interface CommandContext extends LocalContext {
  client: FlowClient;
  signal: AbortSignal;
  /** The project that is called. */
  environment: Environment;
  /** Reads a password from a line of stdin, and does not echo the line. */
  readPassword: () => Promise<string>;
  /** Reads the secret of a connection in the same way. */
  readSecret: () => Promise<string>;
  /** Asks a question, and returns true if the next line of stdin is y or yes. */
  confirm: (question: string) => Promise<boolean>;
}

interface DescribedCommand {
  name: string;
  /** The arguments in the form of the usage line. */
  arguments: string;
  /** The least and the greatest number of arguments. */
  count: [min: number, max: number];
  /** The purpose of the command, in one line. */
  summary: string;
  /** More about the command, in sentences. */
  notes: string[];
  options: readonly Option[];
  example: string;
}

/** A command of `flows` that calls a project. */
interface RemoteCommand extends DescribedCommand {
  isLocal?: never;
  /** True if the command needs no user, so that the shell needs no API key for a local stack. */
  needsNoUser?: boolean;
  /** Throws a UsageError or a FlowError. */
  run: (context: CommandContext, call: CommandCall) => Promise<void>;
}

/** A command of `flows` that can work with files only. It reads the environment only when it connects. */
export interface LocalCommand extends DescribedCommand {
  isLocal: true;
  /** Throws a UsageError if the arguments or the files are wrong. Nothing is changed then. */
  run: (context: LocalContext, call: CommandCall) => Promise<void>;
}

/** A command of `flows`. */
export type Command = RemoteCommand | LocalCommand;
