import { parseArgs } from 'node:util';
import { isTag, TAG_RULE } from '../../types/tag.ts';
import type { DeploymentTarget } from '../flow_client.ts';
import type { Command, CommandCall, Option } from './command.ts';
import { UsageError } from './usage_error.ts';

/** The options of every command. */
export const commonOptions: readonly Option[] = [
  { name: 'json', meaning: 'Print JSON: the result to stdout, an error to stderr.' },
  { name: 'help', short: 'h', meaning: 'Describe the command.' },
];

const listOptions = (options: readonly Option[]): string => options.map(({ name }) => `--${name}`).join(', ');

/** Parses the arguments of a command. Throws a UsageError that names the fault and the accepted form. */
export function readCall(command: Command, args: string[]): CommandCall {
  const known = [...command.options, ...commonOptions];
  const fail = (message: string): never => {
    throw new UsageError(`${message}\nUsage: flows ${command.name} ${command.arguments}`.trimEnd());
  };
  const { tokens } = parseArgs({
    args,
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      known.map(({ name, short, takes }) => [name, { type: takes ? 'string' : 'boolean', ...(short && { short }) }]),
    ),
  });
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = known.find(({ name, short }) => [`--${name}`, short && `-${short}`].includes(token.rawName));
    if (option === undefined) {
      if (token.rawName === '--tag' && command.arguments.includes('<flow|deployment>')) {
        return fail('There is no option --tag: write the tag after the flow, as in 7@stable.');
      }
      return fail(`There is no option ${token.rawName}. flows ${command.name} has ${listOptions(known)}.`);
    }
    if (given.has(option.name) && !option.isRepeatable) return fail(`${token.rawName} is given twice.`);
    if (option.takes === undefined && token.value !== undefined) return fail(`${token.rawName} takes no value.`);
    if (option.takes !== undefined && (!token.value || !token.inlineValue && token.value.startsWith('-'))) {
      return fail(`${token.rawName} takes ${option.takes}.`);
    }
    given.set(option.name, [...given.get(option.name) ?? [], token.value ?? '']);
  }
  const [min, max] = command.count;
  if (!given.has('help') && (positionals.length < min || positionals.length > max)) {
    if (positionals.length < min) return fail('An argument is missing.');
    return fail(`There are too many arguments. Remove: ${positionals.slice(max).join(' ')}`);
  }
  return {
    positionals,
    option: (name) => given.get(name)?.[0],
    all: (name) => given.get(name) ?? [],
    has: (name) => given.has(name),
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const FLOW = /^(\d{1,10})(?:@(.+))?$/;

/** Reads a deployment: its id, or its flow with or without a tag (`7`, `7@stable`). */
export function readTarget(text: string): DeploymentTarget {
  if (UUID.test(text)) return { id: text };
  const [, flow, tag] = FLOW.exec(text) ?? [];
  if (flow !== undefined && (tag === undefined || isTag(tag))) return { flow: Number(flow), tag };
  throw new UsageError(`${text} must be the id of a deployment (a UUID), or of a flow (a number), or <flow>@<tag>.`);
}

/** Reads the id of a flow. */
export function readFlowId(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new UsageError(`${text} must be the id of a flow, a number.`);
}

/** Reads a tag. Throws for an invalid tag, because the backend would refuse the tag only after the deploy. */
export function readTag(text: string): string {
  if (isTag(text)) return text;
  throw new UsageError(`A tag ${TAG_RULE}.`);
}

/** Reads the id of a run, a deployment or another row. */
export function readUuid(text: string, what: string): string {
  if (UUID.test(text)) return text.toLowerCase();
  throw new UsageError(`${text} must be the id of a ${what}, a UUID.`);
}

/** Reads a whole number from an option. */
export function readNumber(text: string | undefined, option: string, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  const number = /^-?\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`--${option} must be a whole number from ${min} to ${max}.`);
}
