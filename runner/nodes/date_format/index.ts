import { ConversionError } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import { readDate, readShortText, readZone } from '../../values/dates.ts';
import definition from './definition.json' with { type: 'json' };

/** Returns a known language tag in its canonical form; undefined for any other text. */
function canonicalLocale(locale: string): string | undefined {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale)[0];
  } catch {
    return undefined;
  }
}

/** Writes a date and time as a text. */
export const dateFormatNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const locale = canonicalLocale(readShortText(inputs, 'locale') ?? 'en');
    if (locale === undefined) throw new ConversionError('must be a language tag, such as de or pt-BR', 'locale');
    const date = readDate(inputs, readZone(inputs)).setLocale(locale);
    const format = readShortText(inputs, 'format');
    return { text: { S: format === undefined ? date.toISO()! : date.toFormat(format) } };
  },
};
