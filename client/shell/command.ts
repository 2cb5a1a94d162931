import type { FlowClient } from '../flow_client.ts';
import type { Environment } from './environment.ts';
import type { Screen } from './screen.ts';

/** An option of a command: `--name`, or `--name <takes>`. */
export interface Option {
  name: string;
  /** A letter that stands for it, behind one hyphen. */
  short?: string;
  /** What stands behind it; an option without it is a switch. */
  takes?: string;
  meaning: string;
}

/** What a command is called with. */
export interface CommandCall {
  positionals: string[];
  /** The value of an option that takes one; undefined when it is not there. */
  option: (name: string) => string | undefined;
  /** Whether a switch is there. */
  has: (name: string) => boolean;
}

/** What a command works with. */
export interface CommandContext {
  client: FlowClient;
  screen: Screen;
  /** Whether `--json` is there. */
  isJson: boolean;
  signal: AbortSignal;
  /** The project that is called. */
  environment: Environment;
  /** Asks for a password: a line of stdin, which a terminal does not show. */
  readPassword: () => Promise<string>;
}

/** A command of `flows`. */
export interface Command {
  name: string;
  /** The arguments, as the usage shows them. */
  arguments: string;
  /** How many arguments it takes at least and at most. */
  count: [min: number, max: number];
  /** What it does, in a line. */
  summary: string;
  /** More about it, in sentences. */
  notes: string[];
  options: readonly Option[];
  example: string;
  /** Whether it is called in nobody's name: a local stack needs no user then. */
  needsNoUser?: boolean;
  /** Throws a UsageError or a FlowError. */
  run: (context: CommandContext, call: CommandCall) => Promise<void>;
}
