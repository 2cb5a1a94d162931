import { debugText, displayText } from './display.ts';
import type { Run } from './run.ts';
import { Char, Container, Float, FnPointer, isInt, type RhaiValue } from './values.ts';

/** Charges for making the text of a value, before it is made. */
function chargeShown(run: Run, value: RhaiValue): void {
  if (value === null || isInt(value) || value instanceof Float || value instanceof Char) return;
  run.chargeValue(value);
  if (value instanceof FnPointer) run.chargeText(value.name.length);
}

/** A value as text, as `print`, `to_string` and string concatenation show it; it is paid for. */
export function showText(run: Run, value: RhaiValue): string {
  if (typeof value === 'string') return value;
  chargeShown(run, value);
  const text = displayText(value);
  // Names of functions, of which a container has no account, and numbers may be long.
  if (value instanceof Container) run.chargeText(text.length);
  return text;
}

/** A value as `debug` shows it, which is paid for: escapes make it longer, and are looked for one by one. */
export function showDebug(run: Run, value: RhaiValue): string {
  chargeShown(run, value);
  if (typeof value === 'string') run.charge(value.length >> 4);
  const text = debugText(value);
  if (value instanceof Container) run.chargeText(text.length);
  return text;
}
