import { ConversionError, readField, toInteger, toMember } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import { dateOutputs, readDate, readZone } from '../../values/dates.ts';
import definition from './definition.json' with { type: 'json' };

const UNITS = ['years', 'quarters', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds'];

const toI64 = toInteger('i64');
const toUnit = toMember(Object.fromEntries(UNITS.map((unit) => [unit, unit])));

/**
 * Adds a duration to a date. Days and longer units are counted by the calendar of the zone. So a day in which the
 * clocks change has 23 or 25 hours. If the month lacks the resulting day, the result is the last day of the month.
 */
export const dateAddNode: NodeModule = {
  definition,
  run: ({ inputs }) => {
    const unit = readField(inputs, 'unit', toUnit);
    const amount = Number(readField(inputs, 'amount', toI64));
    const sum = readDate(inputs, readZone(inputs)).plus({ [unit]: amount });
    if (!sum.isValid) throw new ConversionError('leads beyond the dates that can be computed', 'amount');
    return dateOutputs(sum);
  },
};
