import { commonOptions } from './arguments.ts';
import type { Command, Option } from './command.ts';
import { environmentVariables } from './environment.ts';
import { exitCodes } from './exit_codes.ts';

const WIDTH = 78;

/** Wraps text at this width and indents the later lines. */
function wrap(text: string, indent: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line !== '' && indent.length + line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${indent}`);
}

/** Formats names and their meanings in two columns. */
function columns(rows: [name: string, meaning: string][]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, meaning]) => `  ${name.padEnd(width)}${wrap(meaning, ' '.repeat(width + 2))}`).join('\n');
}

/** Formats an option as it is written on a command line. */
export const spellOption = ({ name, short, takes }: Option): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${takes === undefined ? '' : ` <${takes}>`}`;

/** The text of `flows --help`. */
export const generalHelp = (commands: readonly Command[]): string =>
  [
    'flows <command> … deploys, starts and reads flows.',
    `Commands:\n${columns(commands.map(({ name, summary }) => [name, summary]))}`,
    `Environment:\n${columns(environmentVariables.map(({ name, meaning }) => [name, meaning]))}`,
    `Exit codes:\n${columns(Object.entries(exitCodes))}`,
    'flows <command> --help describes a command.',
  ].join('\n\n');

/** The text of `flows <command> --help`. */
export const commandHelp = (command: Command): string =>
  [
    `flows ${command.name} ${command.arguments}`.trimEnd(),
    wrap([command.summary, ...command.notes].join(' '), ''),
    `Options:\n${
      columns([...command.options, ...commonOptions].map((option) => [spellOption(option), option.meaning]))
    }`,
    `Example:\n  ${command.example}`,
  ].join('\n\n');
