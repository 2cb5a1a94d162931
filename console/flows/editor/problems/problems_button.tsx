import { Button } from '@mantine/core';
import { Icon } from '../../../shared/icon.tsx';
import { useDrawers } from '../layout/drawers.tsx';
import { withoutNotes } from './problem.ts';
import { useProblems } from './problems_context.tsx';

/** The number of problems. Opens the list of problems, or closes it. */
export function ProblemsButton() {
  const { list: all, isCurrent } = useProblems();
  const { current, open, close } = useDrawers();
  const isOpen = current === 'problems';
  const list = withoutNotes(all);
  const notes = all.length - list.length;
  const isSerious = list.some(({ severity }) => severity !== 'warning');
  const noted = notes === 0 ? '' : `, ${notes} ${notes === 1 ? 'note' : 'notes'}`;
  const label = `${list.length} ${list.length === 1 ? 'problem' : 'problems'}${noted}`;
  return (
    <Button
      size='xs'
      variant='subtle'
      color={list.length === 0 ? 'gray' : isSerious ? 'red' : 'yellow'}
      leftSection={<Icon name={list.length === 0 ? 'check' : 'warning'} size={14} />}
      aria-label={label}
      aria-expanded={isOpen}
      title={isCurrent ? label : `${label}, before the last changes`}
      data-stale={!isCurrent || undefined}
      onClick={isOpen ? close : () => open('problems')}
    >
      {list.length}
    </Button>
  );
}
