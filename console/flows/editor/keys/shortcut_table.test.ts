import { expect, test } from 'vitest';
import { shortcutOf, SHORTCUTS } from './shortcut_table.ts';

const press = (key: string, modifiers: { ctrlKey?: boolean; metaKey?: boolean; shiftKey?: boolean } = {}) =>
  shortcutOf({ key, ctrlKey: false, metaKey: false, shiftKey: false, ...modifiers })?.what;

test('no two shortcuts have the same keys', () => {
  const keys = SHORTCUTS.flatMap((shortcut) => shortcut.keys ?? []);
  expect(new Set(keys).size).toBe(keys.length);
});

test('keys are recognised on every keyboard, with Ctrl and with Cmd', () => {
  expect(press('/')).toBe('Add a node');
  expect(press('/', { shiftKey: true })).toBe('Add a node');
  expect(press('?', { shiftKey: true })).toBe('Show this list');
  expect(press('Z', { metaKey: true, shiftKey: true })).toBe('Redo');
  expect(press('z', { ctrlKey: true })).toBe('Undo');
  expect(press('z')).toBeUndefined();
});
