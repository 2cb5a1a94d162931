import { DateTime, Settings } from 'luxon';
import { nodeLimits } from '../../types/limits/nodes.ts';
import {
  ConversionError,
  invalidType,
  readField,
  readOptionalField,
  toInteger,
  toText,
} from '../../types/values/conversion.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';

const MAX_DATE_CHARACTERS = nodeLimits.date_characters.value;
const MAX_TOKENS = nodeLimits.date_tokens.value;

const toI64 = toInteger('i64');

/** Reads an optional text of bounded length. Throws a ConversionError that names the input. */
export function readShortText(inputs: ValueMap, name: string): string | undefined {
  const text = readOptionalField(inputs, name, toText);
  if (text !== undefined && text.length > MAX_DATE_CHARACTERS) {
    throw new ConversionError(`must have at most ${MAX_DATE_CHARACTERS} characters`, name);
  }
  return text;
}

/**
 * The most zones and locales whose data Luxon may cache. Luxon itself would never drop the data, some 100 KB for each
 * name.
 */
const MAX_KEPT = 100;
const kept = new Set<string>();

/** Counts the zone or locale. If there are too many, clears Luxon's cache. */
function keep(name: string): string {
  kept.add(name);
  if (kept.size > MAX_KEPT) {
    Settings.resetCaches();
    kept.clear();
  }
  return name;
}

/** Returns the result of `read`; undefined if Intl does not know the name. */
function known(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Reads the input `zone`, an IANA time zone; UTC by default. Throws a ConversionError. Returns one name for all
 * spellings of a zone. In upper and lower case, a name of 30 letters has a billion spellings, and Luxon would cache
 * data for each.
 */
export function readZone(inputs: ValueMap): string {
  const timeZone = readShortText(inputs, 'zone') ?? 'UTC';
  // Some runtimes would also accept offsets such as `+01:00`, which are no names of zones.
  const isName = /^[A-Za-z]/.test(timeZone);
  const zone = known(() => isName ? new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone : undefined);
  if (zone === undefined) {
    throw new ConversionError('must be a time zone of the IANA database, such as Europe/Berlin', 'zone');
  }
  return keep(zone);
}

/**
 * Reads the input `locale`, a language tag; English by default. Throws a ConversionError. Drops the extensions of the
 * tag. They can have any number of values, and Luxon would cache data for each.
 */
export function readLocale(inputs: ValueMap): string {
  const tag = readShortText(inputs, 'locale') ?? 'en';
  const locale = known(() => Intl.DateTimeFormat.supportedLocalesOf(new Intl.Locale(tag).baseName)[0]);
  if (locale === undefined) throw new ConversionError('must be a language tag, such as de or pt-BR', 'locale');
  return keep(locale);
}

/**
 * Returns the moment that a text names, in the zone. When clocks are put back, a local time occurs twice; like a
 * schedule, this returns the first moment. Luxon alone chooses by the present season. `read` keeps an offset that the
 * text gives: then there is only one moment.
 */
const firstMoment = (read: DateTime, zone: string): DateTime => read.getPossibleOffsets()[0]!.setZone(zone);

/** Reads a moment in ISO 8601. If the text has no offset, its time is in the zone. Throws a ConversionError. */
export function parseIso(text: string, zone: string, input: string): DateTime {
  const date = text.length > MAX_DATE_CHARACTERS ? undefined : DateTime.fromISO(text, { zone, setZone: true });
  if (!date?.isValid) throw new ConversionError('must be a date in ISO 8601, such as 2026-11-25T22:46:56Z', input);
  return firstMoment(date, zone);
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

/** Matches the letters of a token, or a text in single quotes, which is literal. */
const FORMAT_PARTS = /'[^']*(?:'|$)|([A-Za-z])\1*/g;

/** The tokens that Luxon writes. It writes all other letters as they are. Source: Luxon, "Table of tokens". */
const TOKENS = new Set(
  ('S u SSS uu uuu s ss m mm h hh H HH Z ZZ ZZZ ZZZZ ZZZZZ z a d dd c ccc cccc ccccc E EEE EEEE EEEEE ' +
    'L LL LLL LLLL LLLLL M MM MMM MMMM MMMMM y yy yyyy yyyyyy G GG GGGGG kk kkkk W WW n nn ii iiii o ooo q qq X x ' +
    'D DD DDD DDDD t tt ttt tttt T TT TTT TTTT f ff fff ffff F FF FFF FFFF').split(' '),
);

/** Throws a ConversionError if a format has letters that are no token. */
function checkTokens(format: string): void {
  for (const [token, letter] of format.matchAll(FORMAT_PARTS)) {
    if (letter !== undefined && !TOKENS.has(token)) {
      throw new ConversionError(
        `has the unknown token ${token}: the year is yyyy, the day dd, and words are in single quotes`,
        'format',
      );
    }
  }
}

/** Writes a moment in a format of Luxon. Throws a ConversionError. */
export function formatDate(date: DateTime, format: string): string {
  checkTokens(format);
  return date.toFormat(format);
}

/**
 * Reads a moment in a format of Luxon. Throws a ConversionError. Luxon tries all combinations of the lengths of tokens.
 * To bound that work, a format may have only a few tokens, each of them once.
 */
export function parseFormatted(text: string, format: string, zone: string): DateTime {
  checkTokens(format);
  const letters = [...format.matchAll(FORMAT_PARTS)].flatMap(({ 1: letter }) => letter ?? []);
  if (letters.length > MAX_TOKENS || new Set(letters).size < letters.length) {
    throw new ConversionError(`must have each token once, and at most ${MAX_TOKENS} tokens`, 'format');
  }
  if (text.length > MAX_DATE_CHARACTERS) {
    throw new ConversionError(`must have at most ${MAX_DATE_CHARACTERS} characters`, 'text');
  }
  let date: DateTime;
  try {
    date = DateTime.fromFormat(text, format, { zone, setZone: true, locale: 'en' });
  } catch {
    throw new ConversionError('has a token that Luxon can write but not read', 'format');
  }
  if (!date.isValid) throw new ConversionError('must be a date in the given format', 'text');
  return firstMoment(date, zone);
}

/** Returns the outputs of a moment: `iso` in UTC, and `timestamp` in milliseconds since 1970. */
export const dateOutputs = (date: DateTime): ValueMap => ({
  iso: { S: date.toUTC().toISO()! },
  timestamp: { I: String(date.toMillis()) },
});
