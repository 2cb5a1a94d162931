import { Button } from '@mantine/core';
import { Icon } from '../../../shared/icon.tsx';
import { useDrawers } from '../layout/drawers.tsx';
import { useProblems } from './problems_context.tsx';

/** The number of problems. Opens the list of problems, or closes it. */
export function ProblemsButton() {
  const { list, isCurrent } = useProblems();
  const { current, open, close } = useDrawers();
  const isOpen = current === 'problems';
  const isSerious = list.some(({ severity }) => severity !== 'warning');
  const label = `${list.length} ${list.length === 1 ? 'problem' : 'problems'}`;
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
