import { Text } from '@mantine/core';
import { memo, useEffect, useRef } from 'react';
import { DRAGGED_DEFINITION } from '../canvas/dragged_definition.ts';
import { groupPalette, type PaletteEntry } from './entries.ts';

/** The id of the list. The search field names this id in `aria-controls`. */
export const LIST_ID = 'palette-list';

export const optionId = ({ id }: PaletteEntry): string => `palette-option-${id}`;

interface OptionProps {
  entry: PaletteEntry;
  isActive: boolean;
  onChoose: (entry: PaletteEntry, isLast: boolean) => void;
}

const Option = memo(function Option({ entry, isActive, onChoose }: OptionProps) {
  const box = useRef<HTMLDivElement>(null);
  const id = optionId(entry);
  useEffect(() => {
    if (isActive) box.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    <div
      ref={box}
      role='none'
      className='palette-entry'
      data-active={isActive || undefined}
      draggable
      title={entry.description || undefined}
      onDragStart={(event) => event.dataTransfer.setData(DRAGGED_DEFINITION, entry.id)}
      // The focus stays in the search field.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      onClick={(event) => onChoose(entry, !event.shiftKey)}
    >
      <div role='option' id={id} aria-selected={isActive} aria-describedby={`${id}-text`}>{entry.title}</div>
      <Text id={`${id}-text`} size='xs' c='dimmed' lineClamp={1}>{entry.description}</Text>
    </div>
  );
});

interface OptionsProps {
  entries: readonly PaletteEntry[];
  /** The entry that Enter chooses. */
  active: PaletteEntry | undefined;
  isGrouped: boolean;
  onChoose: (entry: PaletteEntry, isLast: boolean) => void;
}

/** The definitions to choose from. The focus stays in the search field, and its arrow keys move the active option. */
export function Options({ entries, active, isGrouped, onChoose }: OptionsProps) {
  const optionsOf = (members: readonly PaletteEntry[]) =>
    members.map((entry) => (
      <Option key={entry.id} entry={entry} isActive={entry.id === active?.id} onChoose={onChoose} />
    ));
  return (
    <div role='listbox' id={LIST_ID} aria-label='Nodes to add'>
      {isGrouped
        ? groupPalette(entries).map(([group, members]) => (
          <div key={group} role='group' aria-label={group}>
            <div className='palette-group' aria-hidden='true'>{group}</div>
            {optionsOf(members)}
          </div>
        ))
        : optionsOf(entries)}
    </div>
  );
}
