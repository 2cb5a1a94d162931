import { Text, UnstyledButton } from '@mantine/core';
import type { Point } from '../../../shared/graph/drawn_node.ts';
import { PointMenu } from '../../../shared/menu/point_menu.tsx';
import type { PossibleEdge } from './drag.ts';

interface PortMenuProps {
  title: string;
  at: Point;
  choices: readonly PossibleEdge[];
  onChoose: (choice: PossibleEdge) => void;
  onClose: () => void;
}

/** Offers the ports of the node on which an edge was dropped. */
export default function PortMenu({ title, at, choices, onChoose, onClose }: PortMenuProps) {
  return (
    <PointMenu label={title} at={at} onClose={onClose}>
      <Text size='xs' c='dimmed' px={8} py={2}>{title}</Text>
      {choices.map((choice) => (
        <UnstyledButton
          key={`${choice.edge.sourceHandle} ${choice.edge.targetHandle}`}
          role='menuitem'
          className='point-menu-item'
          onClick={() => onChoose(choice)}
        >
          <span>{choice.name === '' ? 'port' : choice.name}</span>
          <span className='graph-value'>{choice.types.join(' | ')}</span>
        </UnstyledButton>
      ))}
    </PointMenu>
  );
}
