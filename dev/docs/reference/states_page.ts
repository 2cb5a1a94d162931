import { CLAIM_STATES } from '../../../runner/queue/claim/claim_life.ts';
import { SIGHTS } from '../../../runner/queue/polling.ts';
import { LIFECYCLE } from '../../../runner/engine/state/lifecycle.ts';
import { RUN_STATES } from '../../../runner/engine/run/run_life.ts';
import { SLICE_STATES } from '../../../runner/engine/state/slice.ts';
import { STANDSTILL } from '../../../runner/engine/tree/standstill.ts';
import type { TransitionTable } from '../../../runner/engine/state/transitions.ts';
import { StackError } from '../../stack/stack_error.ts';
import { markdownTable } from '../markdown_table.ts';
import { list, page, paragraph } from './page.ts';
import { declarationsOf } from './declarations.ts';

type AnyTable = TransitionTable<string, string>;

/** Each type of a state, with the file that declares it and the table of its transitions. */
const MACHINES: [title: string, file: string, type: string, table: AnyTable][] = [
  ['Claim', 'runner/queue/claim/claim_life.ts', 'ClaimState', CLAIM_STATES],
  ['Tree', 'runner/engine/state/lifecycle.ts', 'LifecycleState', LIFECYCLE],
  ['Run', 'runner/engine/run/run_life.ts', 'RunState', RUN_STATES],
  ['Standstill', 'runner/engine/tree/standstill.ts', 'StandstillState', STANDSTILL],
  ['Slice', 'runner/engine/state/slice.ts', 'SliceState', SLICE_STATES],
  ['Sight of the queue', 'runner/queue/polling.ts', 'Sight', SIGHTS],
];

/** Writes a table of transitions, with a column for each event. */
function transitionTable(table: AnyTable): string {
  const events = [...new Set(Object.values(table).flatMap((row) => Object.keys(row)))];
  const code = (text: string | undefined) => text === undefined ? '' : `\`${text}\``;
  return markdownTable([
    ['state', ...events.map(code)],
    ...Object.entries(table).map(([state, row]) => [code(state), ...events.map((event) => code(row[event]))]),
  ]);
}

/** Breaks the comment of a type into its paragraphs and its list of states. */
function commentBlocks(doc: string): string[] {
  const [head = '', ...items] = doc.split(/ - (?=`)/);
  return [paragraph(head), ...(items.length === 0 ? [] : [list(items)])];
}

/** Makes docs/reference/states.md: the states of a claimed run, as the code has them. */
export function statesPage(): string {
  const sections = MACHINES.flatMap(([title, file, type, table]) => {
    const declared = declarationsOf(file).find(({ name }) => name === type);
    if (declared === undefined) throw new StackError(`${file} declares no type ${type}.`);
    return [
      `## ${title}`,
      paragraph(`[\`${file}\`](../../${file})`),
      ...commentBlocks(declared.doc),
      transitionTable(table),
    ];
  });
  return page(
    'States of a claimed run',
    'the tables of transitions in `runner/`',
    paragraph(
      'Each type of a state has one table of transitions. A row is a state and a column is an event. An event whose cell is empty can not happen in this state: `nextState` throws an Error.',
    ),
    ...sections,
  );
}
