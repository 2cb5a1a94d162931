import { readTarget, readUuid } from '../arguments.ts';
import { lineOf } from '../automatic_start.ts';
import type { Command, CommandCall, CommandContext } from '../command.ts';
import { printableJson, printableLine } from '../printable.ts';
import { UsageError } from '../usage_error.ts';

/** Writes a text as a literal of SQL. Postgres reads a backslash in it as itself (standard_conforming_strings). */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const listOf = (names: string): string[] => names.split(',').map((name) => name.trim());

const listLiteral = (names: string): string => `array[${listOf(names).map(literal).join(', ')}]`;

/** The words that an option takes. The statement would be refused only when it is executed. */
const WORDS = { events: ['insert', 'update', 'delete'], per: ['row', 'statement'], 'on-refusal': ['record', 'abort'] };

function checkWords({ option }: CommandCall): void {
  for (const [name, words] of Object.entries(WORDS)) {
    const given = option(name);
    const wrong = given === undefined ? undefined : listOf(given).find((word) => !words.includes(word));
    if (wrong !== undefined) throw new UsageError(`--${name}: ${wrong} must be ${words.join(' or ')}.`);
  }
}

async function list({ client, screen, isJson, signal }: CommandContext): Promise<void> {
  const starts = await client.rowStarts({ signal });
  if (isJson) return await screen.print(printableJson(starts));
  if (starts.length === 0) screen.note('There are no row starts to show.');
  for (const row of starts) {
    const { id, flow, tag, input, schema_name, table_name, events, is_active, refused } = row;
    const columns = [id, `${flow}@${tag}`, input, `${schema_name}.${table_name}`, events.join(',')];
    if (!is_active) columns.push('paused');
    if (refused > 0) columns.push(`refused: ${refused}`);
    await screen.print(printableLine(lineOf(columns, row)));
  }
}

/** Prints the statement that makes a row start. Only the owner of the table may execute it. */
async function printStatement(context: CommandContext, table: string, call: CommandCall) {
  const { option, positionals } = call;
  const target = readTarget(positionals[2]!);
  if (typeof target !== 'object' || !('flow' in target)) {
    throw new UsageError('A row start names a flow, as 7 or 7@stable, and not a deployment.');
  }
  const [events, input] = [option('events'), option('input')];
  if (events === undefined) {
    throw new UsageError('--events must be given: insert, update, delete, separated by commas.');
  }
  if (input === undefined) throw new UsageError('--input must be given: the input that gets each change.');
  checkWords(call);
  const [per, columns, onRefusal] = ['per', 'columns', 'on-refusal'].map(option);
  const statement = `select private.start_flow_on_rows(${
    [
      literal(table),
      listLiteral(events),
      String(target.flow),
      literal(target.tag ?? 'latest'),
      literal(input),
      ...(per === undefined ? [] : [`per => ${literal(per)}`]),
      ...(columns === undefined ? [] : [`columns => ${listLiteral(columns)}`]),
      ...(onRefusal === undefined ? [] : [`on_refusal => ${literal(onRefusal)}`]),
    ].join(', ')
  });`;
  await context.screen.print(context.isJson ? printableJson({ statement }) : printableLine(statement));
}

/** The number of arguments that follow each action. */
const ACTIONS: Record<string, number> = { list: 0, add: 2, pause: 1, resume: 1, delete: 1 };

const OPTIONS_OF_ADD = ['events', 'input', 'per', 'columns', 'on-refusal'];

export const rows: Command = {
  name: 'rows',
  arguments: '[list | add <table> <flow> | pause <row start> | resume <row start> | delete <row start>]',
  count: [0, 3],
  summary: 'List, pause, resume and delete row starts, by which changes of rows start your flows.',
  notes: [
    'Each line has id, target, input, table and events. If a start was refused, the line also has the reason.',
    'add only prints the SQL statement that makes a row start: the owner of the table has to execute it, in the SQL ' +
    'editor or in a migration.',
    'The runs that a row start has started stay.',
  ],
  options: [
    { name: 'events', takes: 'events', meaning: 'For add: insert, update, delete, separated by commas. Required.' },
    { name: 'input', takes: 'name', meaning: 'For add: the input that gets each change. Required.' },
    { name: 'per', takes: 'unit', meaning: 'For add: row, or statement for one run for all rows of a statement.' },
    { name: 'columns', takes: 'names', meaning: 'For add: only updates that change one of these columns.' },
    { name: 'on-refusal', takes: 'action', meaning: 'For add: record, or abort to let the write fail.' },
  ],
  example: 'flows rows add public.orders 7@stable --events insert,update --input change',
  run: async (context, call) => {
    const [action = 'list', text = ''] = call.positionals;
    const count = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (count === undefined) {
      throw new UsageError(`There is no rows ${action}. There are rows list, add, pause, resume and delete.`);
    }
    if (Math.max(call.positionals.length - 1, 0) !== count) {
      throw new UsageError(`flows rows ${action} takes ${count} argument${count === 1 ? '' : 's'}.`);
    }
    const option = OPTIONS_OF_ADD.find((known) => call.option(known) !== undefined);
    if (option !== undefined && action !== 'add') throw new UsageError(`--${option} may be given only with add.`);
    if (action === 'list') return await list(context);
    if (action === 'add') return await printStatement(context, text, call);
    const { client, screen, isJson, signal } = context;
    const id = readUuid(text, 'row start');
    const row = action === 'delete'
      ? await client.deleteRowStart(id, { signal })
      : await client.setRowStartActive(id, action === 'resume', { signal });
    await screen.print(isJson ? printableJson(row ?? { id, success: true }) : `${action}d row start ${id}`);
  },
};
