import type { KeyboardEvent } from 'react';

/**
 * Lets Enter choose the marked option of an open list. Mantine forgets the number of the marked option if the timer of
 * the list's opening ends after the first letter. Then its own handler would send the form instead.
 */
export function chooseMarked(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
  const list = (event.target as Element).getAttribute('aria-controls');
  const option = list === null ? null : document.getElementById(list)?.querySelector('[data-combobox-selected]');
  if (!(option instanceof HTMLElement)) return;
  event.preventDefault();
  event.stopPropagation();
  option.click();
}
