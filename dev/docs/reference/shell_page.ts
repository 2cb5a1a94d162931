import { commonOptions } from '../../../client/shell/arguments.ts';
import { commands } from '../../../client/shell/commands.ts';
import type { Command } from '../../../client/shell/command.ts';
import { environmentVariables } from '../../../client/shell/environment.ts';
import { exitCodes } from '../../../client/shell/exit_codes.ts';
import { spellOption } from '../../../client/shell/help.ts';
import { markdownTable } from '../markdown_table.ts';
import { list, page, paragraph } from './page.ts';

const describe = (command: Command): string[] => [
  `## flows ${command.name}`,
  `\`\`\`sh\n${`npx flows ${command.name} ${command.arguments}`.trimEnd()}\n\`\`\``,
  paragraph([command.summary, ...command.notes].join(' ')),
  ...(command.options.length === 0 ? [] : [
    markdownTable([
      ['option', 'meaning'],
      ...command.options.map((option) => [`\`${spellOption(option)}\``, option.meaning]),
    ]),
  ]),
  `\`\`\`sh\nnpx ${command.example}\n\`\`\``,
];

/** Makes docs/reference/shell.md. */
export const shellPage = (): string =>
  page(
    'The shell',
    '`client/shell/` and `dev/docs/reference/shell_page.ts`',
    paragraph(
      '`npx flows` is the command of [the client](client.md). In a checkout of this project, it runs from the sources and finds the local stack that `npm start` boots. Elsewhere, it comes with the package `flow-deployments-client`. `npx flows --help` and `npx flows <command> --help` print the same descriptions as this page.',
    ),
    '## Credentials',
    markdownTable([
      ['variable', 'meaning'],
      ...environmentVariables.map(({ name, meaning }) => [`\`${name}\``, meaning]),
    ]),
    paragraph(
      'The shell refuses a secret key, because no command needs one. On a local stack, `flows` signs up a user of its own. It stores the API key of this user in the folder of the stack, in a file that only you can read. To act as another user, run `flows login` or set `FLOWS_API_KEY`. If several local stacks run, set `FLOWS_URL` to the address of one of them.',
    ),
    '## What it prints',
    list([
      'The result goes to stdout. Warnings and errors go to stderr. On a terminal, progress also goes to stderr.',
      'With `--json`, the result is one JSON text. With `logs`, each line of the log is a JSON text. An error is a JSON text on stderr: `{code, message, details, hint, status, retryAfter}`, with the codes of [the backend](errors.md) and [the client](client.md#errors). Outputs are then tagged values, which are exact.',
      'Texts of flows and runs may contain anything. The shell prints control characters as escapes such as `\\u001b`, and indents all lines of a text but the first. Without `--json`, it cuts texts of more than 10,000 characters.',
    ]),
    '## Exit codes',
    markdownTable([['code', 'meaning'], ...Object.entries(exitCodes)]),
    '## Options of every command',
    markdownTable([
      ['option', 'meaning'],
      ...commonOptions.map((option) => [`\`${spellOption(option)}\``, option.meaning]),
    ]),
    ...commands.flatMap(describe),
  );
