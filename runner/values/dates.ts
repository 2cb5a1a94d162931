import { DateTime, Settings } from 'luxon';
import {
  ConversionError,
  invalidType,
  readField,
  readOptionalField,
  toInteger,
  toText,
} from '../../types/values/conversion.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';

/** The most characters of a date as text, and of a format. */
export const MAX_DATE_CHARACTERS = 100;

const toI64 = toInteger('i64');

/** Reads an optional text of bounded length. Throws a ConversionError that names the input. */
export function readShortText(inputs: ValueMap, name: string): string | undefined {
  const text = readOptionalField(inputs, name, toText);
  if (text !== undefined && text.length > MAX_DATE_CHARACTERS) {
    throw new ConversionError(`must have at most ${MAX_DATE_CHARACTERS} characters`, name);
  }
  return text;
}

/** The time zones of the runtime, by their names in lower case. */
const ZONES = new Map(['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => [zone.toLowerCase(), zone]));

/**
 * Reads the input `zone`, an IANA time zone; UTC by default. Throws a ConversionError. Returns the canonical spelling:
 * Luxon keeps data of each spelling for ever, and a name of 30 letters has a billion spellings.
 */
export function readZone(inputs: ValueMap): string {
  const zone = ZONES.get((readShortText(inputs, 'zone') ?? 'UTC').toLowerCase());
  if (zone === undefined) {
    throw new ConversionError('must be a time zone of the IANA database, such as Europe/Berlin', 'zone');
  }
  return zone;
}

/** The languages of which Luxon keeps data, at most so many. */
const MAX_LOCALES = 100;
const locales = new Set<string>();

/**
 * Reads the input `locale`, a language tag; English by default. Throws a ConversionError. Leaves out the extensions of
 * the tag, which have any number of values, because Luxon keeps data of each tag.
 */
export function readLocale(inputs: ValueMap): string {
  let locale: string | undefined;
  try {
    const { baseName } = new Intl.Locale(readShortText(inputs, 'locale') ?? 'en');
    [locale] = Intl.DateTimeFormat.supportedLocalesOf(baseName);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  if (locale === undefined) throw new ConversionError('must be a language tag, such as de or pt-BR', 'locale');
  locales.add(locale);
  if (locales.size > MAX_LOCALES) {
    Settings.resetCaches();
    locales.clear();
  }
  return locale;
}

/** Reads a moment in ISO 8601. A text without an offset is in the zone. Throws a ConversionError. */
export function parseIso(text: string, zone: string, input: string): DateTime {
  const date = text.length > MAX_DATE_CHARACTERS ? undefined : DateTime.fromISO(text, { zone });
  if (!date?.isValid) throw new ConversionError('must be a date in ISO 8601, such as 2026-11-25T22:46:56Z', input);
  return date;
}

/** Reads the input `date`: ISO 8601, or milliseconds since 1970. Throws a ConversionError. */
export function readDate(inputs: ValueMap, zone: string): DateTime {
  const value = readField(inputs, 'date', (date: Value) => date);
  if ('S' in value) return parseIso(value.S, zone, 'date');
  if (!('U' in value || 'I' in value || 'D' in value)) {
    throw new ConversionError(invalidType(value, 'a date in ISO 8601 or milliseconds since 1970').reason, 'date');
  }
  const date = DateTime.fromMillis(Number(readField(inputs, 'date', toI64)), { zone });
  if (!date.isValid) throw new ConversionError('is beyond the dates that can be computed', 'date');
  return date;
}

/** The letters of a token, and a text in single quotes, which stands for itself. */
const FORMAT_PARTS = /'[^']*'|([A-Za-z])\1*/g;

/** The most tokens of a format that reads dates. */
const MAX_TOKENS = 12;

/**
 * Reads a moment in a format of Luxon. Throws a ConversionError. Luxon tries the lengths of all tokens against each
 * other, so a format has few tokens, and each of them once.
 */
export function parseFormatted(text: string, format: string, zone: string): DateTime {
  const letters = [...format.matchAll(FORMAT_PARTS)].flatMap(({ 1: letter }) => letter ?? []);
  if (letters.length > MAX_TOKENS || new Set(letters).size < letters.length) {
    throw new ConversionError(`must have each token once, and at most ${MAX_TOKENS} tokens`, 'format');
  }
  if (text.length > MAX_DATE_CHARACTERS) {
    throw new ConversionError(`must have at most ${MAX_DATE_CHARACTERS} characters`, 'text');
  }
  let date: DateTime;
  try {
    date = DateTime.fromFormat(text, format, { zone, locale: 'en' });
  } catch {
    throw new ConversionError('has a token that Luxon can only write', 'format');
  }
  if (!date.isValid) throw new ConversionError('must be a date in the given format', 'text');
  return date;
}

/** Returns the outputs of a moment: `iso` in UTC, and `timestamp` in milliseconds since 1970. */
export const dateOutputs = (date: DateTime): ValueMap => ({
  iso: { S: date.toUTC().toISO()! },
  timestamp: { I: String(date.toMillis()) },
});
