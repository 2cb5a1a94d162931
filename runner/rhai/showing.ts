import { debugText, displayText } from './display.ts';
import type { Run } from './run.ts';
import { Char, Container, Float, FnPointer, isInt, type RhaiValue } from './values.ts';

/** Charges for the text of a value before it is made. */
function chargeShown(run: Run, value: RhaiValue): void {
  if (value === null || isInt(value) || value instanceof Float || value instanceof Char) return;
  run.chargeValue(value);
  if (value instanceof FnPointer) run.chargeText(value.name.length);
}

/** Makes the text of a value, as `print`, `to_string` and string concatenation show it, and charges for it. */
export function showText(run: Run, value: RhaiValue): string {
  if (typeof value === 'string') return value;
  chargeShown(run, value);
  const text = displayText(value);
  // The text itself is also charged, because the container's weight counts neither numbers nor names of functions, and
  // these may have long texts.
  if (value instanceof Container) run.chargeText(text.length);
  return text;
}

/**
 * Makes the text of a value as `debug` shows it, and charges for it. This text costs more than the text of `showText`,
 * because each character is checked for an escape.
 */
export function showDebug(run: Run, value: RhaiValue): string {
  chargeShown(run, value);
  if (typeof value === 'string') run.charge(value.length >> 4);
  const text = debugText(value);
  if (value instanceof Container) run.chargeText(text.length);
  return text;
}
