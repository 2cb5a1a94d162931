import { useSyncExternalStore } from 'react';

/** The form in which the console shows times: an age, a date in words, or a date in digits. */
export type DateFormat = 'age' | 'words' | 'digits';

export const DATE_FORMATS: readonly DateFormat[] = ['age', 'words', 'digits'];

const KEY = 'flow-console-dates';

const listeners = new Set<() => void>();

const isFormat = (text: string | null): text is DateFormat => DATE_FORMATS.some((format) => format === text);

/** Reads the format from the browser's storage, which another tab may have changed. */
function read(): DateFormat {
  const stored = localStorage.getItem(KEY);
  return isFormat(stored) ? stored : 'age';
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  window.addEventListener('storage', onChange);
  return () => {
    listeners.delete(onChange);
    window.removeEventListener('storage', onChange);
  };
}

/** Returns the chosen format of dates, and follows its changes. */
export const useDateFormat = (): DateFormat => useSyncExternalStore(subscribe, read);

/** Chooses the format of dates for this browser. */
export function setDateFormat(format: DateFormat): void {
  localStorage.setItem(KEY, format);
  for (const listener of listeners) listener();
}

const WORDS = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
/** Swedish dates have the form of ISO 8601: 2026-11-28 01:47:32. */
const DIGITS = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });
const WORDS_OF_DAY = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });
const DIGITS_OF_DAY = new Intl.DateTimeFormat('sv-SE', { timeStyle: 'medium' });

/** Returns the date and time in the user's time zone. */
export const exactTime = (at: Date, format: DateFormat): string => (format === 'digits' ? DIGITS : WORDS).format(at);

/** Returns the time of day in the user's time zone. */
export const timeOfDay = (at: Date, format: DateFormat): string =>
  (format === 'digits' ? DIGITS_OF_DAY : WORDS_OF_DAY).format(at);

/** Returns a date and time without a year, for places with little room. */
export const shortTime = (at: Date, format: DateFormat): string =>
  format === 'digits'
    ? DIGITS.format(at).slice('2026-'.length, -':00'.length)
    : at.toLocaleString('en', { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
