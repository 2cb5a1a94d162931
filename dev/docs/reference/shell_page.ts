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
      '`npx flows` is the command of [the client](client.md). In a checkout of this project it runs from its sources, and finds the local stack that `npm start` boots; elsewhere it comes with the package `flow-deployments-client`. `npx flows --help` and `npx flows <command> --help` say what stands here.',
    ),
    '## Credentials',
    markdownTable([
      ['variable', 'meaning'],
      ...environmentVariables.map(({ name, meaning }) => [`\`${name}\``, meaning]),
    ]),
    paragraph(
      'A secret key is refused: no command needs one. On the local stack, `flows` signs a user of its own up, and keeps its API key in the folder of the stack, readable by you only; another user goes first: set `FLOWS_API_KEY`. Several local stacks: set `FLOWS_URL` to one of them.',
    ),
    '## What it prints',
    list([
      'The result goes to stdout; warnings and errors go to stderr, and so does progress, on a terminal only.',
      'With `--json` the result is one JSON text (of `logs`, one on each line), and an error is one on stderr: `{code, message, details, hint, status, retryAfter}`, as [the backend](errors.md) and [the client](client.md#errors) say it. Outputs are tagged values there, which are exact.',
      'Texts of flows and runs may hold anything. Control characters are written out, as in `\\u001b`, and later lines of a text are indented. A text of more than 10,000 characters is cut, but not with `--json`.',
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
