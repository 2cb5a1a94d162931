import { Paper, Text, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { PossibleEdge } from './drag.ts';

export interface PortMenuProps {
  title: string;
  choices: readonly PossibleEdge[];
  onChoose: (choice: PossibleEdge) => void;
  onClose: () => void;
}

/** Offers the ports of the node on which an edge was dropped. */
export default function PortMenu({ title, choices, onChoose, onClose }: PortMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => menu.current?.querySelector('button')?.focus(), []);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') onClose();
    else if (step !== undefined) {
      const items = [...event.currentTarget.querySelectorAll('button')];
      const now = items.findIndex((item) => item === document.activeElement);
      items.at((now + step) % items.length)?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Paper ref={menu} withBorder shadow='md' role='menu' aria-label={title} p={4} onKeyDown={onKeyDown}>
      <Text size='xs' c='dimmed' px={8} py={2}>{title}</Text>
      {choices.map((choice) => (
        <UnstyledButton
          key={`${choice.edge.sourceHandle} ${choice.edge.targetHandle}`}
          role='menuitem'
          className='connecting-choice'
          onClick={() => onChoose(choice)}
        >
          <span>{choice.name === '' ? 'port' : choice.name}</span>
          <span className='graph-value'>{choice.types.join(' | ')}</span>
        </UnstyledButton>
      ))}
    </Paper>
  );
}
